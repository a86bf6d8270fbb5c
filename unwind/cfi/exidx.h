/**
 * @file Unwind tables of 32-bit ARM, `.ARM.exidx` and `.ARM.extab`.
 *
 * Format: Exception Handling ABI for the Arm Architecture, sections 6, 7 and 10.3. A table
 * describes how to undo the whole prologue of a function. So it is valid at the function's calls,
 * but not everywhere within prologue and epilogue, and its rows are marked as inexact.
 *
 * Addresses are vaddrs of the ELF file.
 */
#ifndef PD_UNWIND_EXIDX_H
#define PD_UNWIND_EXIDX_H

#include "unwind/rules/arch_rules.h"
#include "unwind/rules/section.h"
#include "unwind/rules/cfi_row.h"

/** Unwind tables of a binary. index.data is NULL if there are none. */
struct unw_exidx {
	struct unw_section index;
	struct unw_section extab;
	bool swap;
};

/**
 * Find the row of the vaddr @p addr. @p arch must be ARM. The result is UNW_CFI_NONE if the table
 * says that the function cannot be unwound: it says so for root functions, but also for all
 * functions that were compiled without tables. @p ret is written only with UNW_CFI_ROW.
 */
enum unw_cfi_result unw_exidx_find_row(const struct unw_exidx *exidx, const struct unw_arch *arch,
	uint64_t addr, struct unw_row *ret);

#endif
