/**
 * @file A row in 8 bytes: enough for nearly every frame, and small enough to keep for every program
 * counter that was met.
 *
 * Only program counter, stack pointer and frame pointer are followed. What a row asks beyond that
 * makes it a UNW_STEP_FULL, and the walk starts again with all registers.
 */
#ifndef PD_UNWIND_STEP_H
#define PD_UNWIND_STEP_H

#include <stdint.h>

#include "unwind/row.h"

struct unw_arch;

enum unw_step_kind {
	UNW_STEP_SP,	     /**< CFA = sp + cfa_off */
	UNW_STEP_FP,	     /**< CFA = fp + cfa_off */
	UNW_STEP_FP_DEREF,   /**< CFA = *(fp + cfa_off), caller's fp = *fp */
	UNW_STEP_FULL,	     /**< Needs the complete path. */
	UNW_STEP_ROOT,	     /**< There is no caller. */
	UNW_STEP_BAD,	     /**< Covered by damaged call frame information. */
	UNW_STEP_NO_CFI,     /**< The module's call frame information does not cover it. */
	UNW_STEP_ENTRY,	     /**< The same, at the program's entry point. */
	UNW_STEP_NO_FILE,    /**< The module has none: unw_module.missing. */
	UNW_STEP_NO_MAPPING, /**< There is no module. */
};

/** (pc, sp, fp) of the caller = (*(CFA + ra_off), CFA, fp_off ? *(CFA + fp_off) : fp) */
struct unw_step {
	int32_t cfa_off;
	int16_t fp_off;
	int8_t ra_off;
	/** enum unw_step_kind. */
	uint8_t kind;
};

_Static_assert(sizeof(struct unw_step) == 8, "a step is kept for every program counter");

/** The short form of @p row, which covers the vaddr @p pc. */
struct unw_step unw_step_from_row(
	const struct unw_arch *arch, const struct unw_row *row, uint64_t pc);

#endif
