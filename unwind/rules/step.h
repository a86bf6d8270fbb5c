/**
 * @file Steps: rows in 8 bytes, small enough to be cached for every program counter.
 *
 * A step only involves the program counter, the stack pointer, the frame pointer and, in the leaf,
 * the link register. That is enough for nearly every frame. A row that needs more becomes a
 * UNW_STEP_FULL, and the unwind starts again with all registers.
 *
 *     higher addresses
 *
 *     │ frame of the caller   │
 *     ├───────────────────────┤ ◄─ CFA, the caller's sp ───────────┬───────────┐
 *     │ return address        │ ◄─ CFA + ra_off: the caller's pc   │ cfa_off   │ cfa_off
 *     │ saved frame pointer   │ ◄─ CFA + fp_off: the caller's fp   │ from fp   │ from sp
 *     │                       │ ◄─ fp, often just here ────────────┘           │
 *     │ other saved registers │                                                │
 *     │ local variables       │                                                │
 *     └───────────────────────┘ ◄─ sp ─────────────────────────────────────────┘
 *       │ the stack grows down: calls and pushes lower sp
 *       ▼
 *     lower addresses
 *
 * Offsets of saved words are negative: they are below the CFA. With a link register a function that
 * calls nothing may save no return address.
 */
#ifndef PD_UNWIND_STEP_H
#define PD_UNWIND_STEP_H

#include <stdbool.h>
#include <stdint.h>

#include "unwind/rules/cfi_row.h"

struct unw_arch;

enum unw_step_kind {
	UNW_STEP_SP,	     /**< CFA = sp + cfa_off */
	UNW_STEP_FP,	     /**< CFA = fp + cfa_off */
	UNW_STEP_FP_DEREF,   /**< CFA = *(fp + cfa_off), caller's fp = *fp */
	UNW_STEP_SP_LINK,    /**< CFA = sp + cfa_off, the return address is in the link register */
	UNW_STEP_FP_LINK,    /**< CFA = fp + cfa_off, the return address is in the link register */
	UNW_STEP_FULL,	     /**< The row needs all registers. */
	UNW_STEP_ROOT,	     /**< The frame is the root. */
	UNW_STEP_BAD,	     /**< The call frame information is invalid. */
	UNW_STEP_NO_CFI,     /**< The module's call frame information does not cover the address. */
	UNW_STEP_ENTRY,	     /**< Like NO_CFI, but at the program's entry point. */
	UNW_STEP_NO_FILE,    /**< The module has no call frame information: unw_module.missing. */
	UNW_STEP_NO_MAPPING, /**< No module covers the address. */
	UNW_STEP_SIGNAL,     /**< A signal trampoline: the kernel's frame has all registers. */
	/** Flag in addition to a kind with a row: the row may be wrong at this address. */
	UNW_STEP_INEXACT = 0x80,
};

/** Step: (pc, sp, fp) of the caller = (*(CFA + ra_off), CFA, fp_off ? *(CFA + fp_off) : fp). */
struct unw_step {
	/** enum unw_step_kind. */
	uint32_t kind : 8;
	int32_t cfa_off : 24;
	int16_t fp_off;
	int16_t ra_off;
};

_Static_assert(sizeof(struct unw_step) == 8, "a step is kept for every program counter");

/** Whether a step of this kind was made from a row, short or not. */
static inline bool unw_step_has_row(uint8_t kind)
{
	return (kind & ~UNW_STEP_INEXACT) <= UNW_STEP_FULL;
}

/** Shorten @p row, which covers the vaddr @p pc. */
struct unw_step unw_step_from_row(
	const struct unw_arch *arch, const struct unw_row *row, uint64_t pc);

#endif
