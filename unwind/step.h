/**
 * @file A row in 8 bytes: enough for nearly every frame, and small enough to keep for every program
 * counter that was met.
 *
 * Only program counter, stack pointer and frame pointer are followed, and the link register out of
 * the first frame. What a row asks beyond that makes it a UNW_STEP_FULL, and the walk starts again
 * with all registers.
 */
#ifndef PD_UNWIND_STEP_H
#define PD_UNWIND_STEP_H

#include <stdbool.h>
#include <stdint.h>

#include "unwind/row.h"

struct unw_arch;

enum unw_step_kind {
	UNW_STEP_SP,	     /**< CFA = sp + cfa_off */
	UNW_STEP_FP,	     /**< CFA = fp + cfa_off */
	UNW_STEP_FP_DEREF,   /**< CFA = *(fp + cfa_off), caller's fp = *fp */
	UNW_STEP_SP_LINK,    /**< CFA = sp + cfa_off, the return address is in the link register */
	UNW_STEP_FP_LINK,    /**< CFA = fp + cfa_off, likewise */
	UNW_STEP_FULL,	     /**< Needs the complete path. */
	UNW_STEP_ROOT,	     /**< There is no caller. */
	UNW_STEP_BAD,	     /**< Covered by damaged call frame information. */
	UNW_STEP_NO_CFI,     /**< The module's call frame information does not cover it. */
	UNW_STEP_ENTRY,	     /**< The same, at the program's entry point. */
	UNW_STEP_NO_FILE,    /**< The module has none: unw_module.missing. */
	UNW_STEP_NO_MAPPING, /**< There is no module. */
	UNW_STEP_SIGNAL,     /**< A trampoline: the kernel's frame has all registers. */
	/** Flag beside one of the kinds that have a row: it may be wrong here. */
	UNW_STEP_INEXACT = 0x80,
};

/** (pc, sp, fp) of the caller = (*(CFA + ra_off), CFA, fp_off ? *(CFA + fp_off) : fp) */
struct unw_step {
	/** enum unw_step_kind. */
	uint32_t kind : 8;
	int32_t cfa_off : 24;
	int16_t fp_off;
	int16_t ra_off;
};

_Static_assert(sizeof(struct unw_step) == 8, "a step is kept for every program counter");

/** Whether a row leads on from a step of that kind, short or not. */
static inline bool unw_step_has_row(uint8_t kind)
{
	return (kind & ~UNW_STEP_INEXACT) <= UNW_STEP_FULL;
}

/** The short form of @p row, which covers the vaddr @p pc. */
struct unw_step unw_step_from_row(
	const struct unw_arch *arch, const struct unw_row *row, uint64_t pc);

#endif
