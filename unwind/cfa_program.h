/**
 * @file Call frame instructions: run a CIE's and an FDE's program up to an address.
 */
#ifndef PD_UNWIND_CFA_PROGRAM_H
#define PD_UNWIND_CFA_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "unwind/arch.h"
#include "unwind/fde.h"
#include "unwind/row.h"

/** The row of @p fde for the vaddr @p pc, which it covers; false if a program is damaged. */
bool unw_cfa_run(const struct unw_arch *arch, const struct unw_frame_section *section,
	const struct unw_cie *cie, const struct unw_fde *fde, uint64_t pc, struct unw_row *ret);

#endif
