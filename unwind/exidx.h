/**
 * @file Unwind tables of 32-bit ARM, `.ARM.exidx` and `.ARM.extab`: from an address to its row.
 *
 * Format: Exception Handling ABI for the Arm Architecture, sections 6, 7 and 10.3. A table says how
 * to undo a function's whole prologue, and so holds at its calls, but not everywhere within
 * prologue and epilogue: rows are marked as inexact.
 *
 * Addresses are vaddrs of the ELF file.
 */
#ifndef PD_UNWIND_EXIDX_H
#define PD_UNWIND_EXIDX_H

#include "unwind/arch.h"
#include "unwind/cfi.h"
#include "unwind/row.h"

/** The two sections. index.data NULL: there is no table. */
struct unw_exidx {
	struct unw_section index;
	struct unw_section extab;
	bool swap;
};

/**
 * The row of the vaddr @p addr, of the architecture @p arch, which is ARM. That a function "cannot
 * be unwound" is said of outermost ones, and of all that were compiled without tables: NONE.
 * @p ret is written only with UNW_CFI_ROW.
 */
enum unw_cfi_result unw_exidx_find_row(const struct unw_exidx *exidx, const struct unw_arch *arch,
	uint64_t addr, struct unw_row *ret);

#endif
