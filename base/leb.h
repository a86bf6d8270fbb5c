/**
 * @file DWARF's LEB128 numbers.
 */
#ifndef PD_BASE_LEB_H
#define PD_BASE_LEB_H

#include <stdint.h>

#include <pdconv/cursor.h>

/** Read an unsigned LEB128 number. Bits beyond the 64th are dropped. */
static inline uint64_t base_cursor_uleb(struct pd_cursor *c)
{
	uint64_t value = 0;

	for (unsigned int shift = 0;; shift += 7) {
		uint8_t byte = pd_cursor_u8(c);

		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return value;
	}
}

/** Read a signed LEB128 number. Bits beyond the 64th are dropped. */
static inline int64_t base_cursor_sleb(struct pd_cursor *c)
{
	uint64_t value = 0;

	for (unsigned int shift = 0;;) {
		uint8_t byte = pd_cursor_u8(c);

		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
		if (byte & 0x80)
			continue;
		if (shift < 64 && (byte & 0x40))
			value |= ~UINT64_C(0) << shift;
		return (int64_t)value;
	}
}

#endif
