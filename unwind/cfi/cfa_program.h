/**
 * @file Call frame instructions: running the programs of a CIE and an FDE, up to an address or for
 * all rows.
 */
#ifndef PD_UNWIND_CFA_PROGRAM_H
#define PD_UNWIND_CFA_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "unwind/rules/arch_rules.h"
#include "unwind/cfi/cfa_checkpoints.h"
#include "unwind/cfi/fde.h"
#include "unwind/rules/cfi_row.h"

/**
 * Compute the row of @p fde for the vaddr @p pc, which it covers. False if a program is invalid.
 * @p checkpoints has those of long programs, which depend on nothing but the parameters before.
 */
bool unw_cfa_run(const struct unw_arch *arch, const struct unw_frame_section *section,
	const struct unw_fde *fde, uint64_t pc, struct unw_cfa_checkpoints *checkpoints,
	struct unw_row *ret);

/** Callback for rows, which are borrowed during the call. Returns false to end the visit. */
typedef bool unw_on_row(void *ctx, const struct unw_row *row);

/**
 * Pass the rows of @p fde to @p fn in order of address, in one run of the programs. Each is what
 * unw_cfa_run() computes for its addresses. Returns the vaddr up to which rows were passed: the end
 * of @p fde, unless the program is invalid or goes back to a lower address.
 */
uint64_t unw_cfa_visit(const struct unw_arch *arch, const struct unw_frame_section *section,
	const struct unw_fde *fde, unw_on_row *fn, void *ctx);

#endif
