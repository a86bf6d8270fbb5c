/**
 * @file LEB128 numbers, as DWARF has them.
 */
#ifndef PD_BASE_LEB_H
#define PD_BASE_LEB_H

#include <stdint.h>

#include <pdconv/bytes.h>
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

/** Append @p value as an unsigned LEB128 number. */
static inline void base_bytes_uleb(struct pd_bytes *bytes, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		pd_bytes_u8(bytes, (uint8_t)(value | 0x80));
	pd_bytes_u8(bytes, (uint8_t)value);
}

/** Append @p value as the unsigned LEB128 number that has its sign in the lowest bit. */
static inline void base_bytes_zigzag(struct pd_bytes *bytes, int64_t value)
{
	base_bytes_uleb(bytes, (uint64_t)value << 1 ^ (uint64_t)(value < 0 ? -1 : 0));
}

#endif
