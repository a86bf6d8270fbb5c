/**
 * @file The state that an unwind can read: the captured stack and the registers.
 */
#ifndef PD_UNWIND_CAPTURED_STATE_H
#define PD_UNWIND_CAPTURED_STATE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/integer.h"
#include "unwind/rules/cfi_row.h"

/** Captured memory of the recorded process. */
struct unw_memory {
	const uint8_t *bytes;
	size_t size;
	/** Process address of the first byte. */
	uint64_t start;
	bool swap;
};

/** Register values, indexed by DWARF number. */
struct unw_regs {
	uint64_t value[UNW_N_REGS];
	bool is_known[UNW_N_REGS];
};

/**
 * Read the unsigned integer at the process address @p addr. Returns false if it was not captured.
 */
static inline bool unw_memory_read(
	const struct unw_memory *mem, uint64_t addr, unsigned int size, uint64_t *ret)
{
	uint64_t off = addr - mem->start;

	if (off > mem->size || mem->size - off < size)
		return false;
	const uint8_t *p = mem->bytes + off;
	/* Nearly all reads are of 8 bytes, and unwinding spends most of its time in them. */
	if (__builtin_expect(size == 8, true)) {
		*ret = pd_load_u64(p, mem->swap);
		return true;
	}
	if (!base_is_integer_size(size))
		return false;
	*ret = base_load_uint(p, size, mem->swap);
	return true;
}

#endif
