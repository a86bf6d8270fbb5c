/**
 * @file The captured slice of a stack, and the registers: all the state that a walk can read.
 */
#ifndef PD_UNWIND_MEMORY_H
#define PD_UNWIND_MEMORY_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "unwind/row.h"

/** Bytes of the recorded process. */
struct unw_memory {
	const uint8_t *bytes;
	size_t size;
	/** Process address of the first byte. */
	uint64_t start;
	bool swap;
};

/** Values by DWARF number. */
struct unw_regs {
	uint64_t value[UNW_N_REGS];
	bool is_known[UNW_N_REGS];
};

/** The unsigned number of @p size bytes at the process address @p addr; false if not captured. */
static inline bool unw_memory_read(
	const struct unw_memory *mem, uint64_t addr, unsigned int size, uint64_t *ret)
{
	uint64_t off = addr - mem->start;
	uint64_t u64;
	uint32_t u32;
	uint16_t u16;

	if (off > mem->size || mem->size - off < size)
		return false;
	const uint8_t *p = mem->bytes + off;
	/* Most are of this size, and this is where walks spend their time. */
	if (__builtin_expect(size == 8, true)) {
		memcpy(&u64, p, 8);
		*ret = mem->swap ? __builtin_bswap64(u64) : u64;
		return true;
	}
	switch (size) {
	case 4:
		memcpy(&u32, p, 4);
		*ret = mem->swap ? __builtin_bswap32(u32) : u32;
		return true;
	case 2:
		memcpy(&u16, p, 2);
		*ret = mem->swap ? __builtin_bswap16(u16) : u16;
		return true;
	case 1:
		*ret = *p;
		return true;
	default:
		return false;
	}
}

#endif
