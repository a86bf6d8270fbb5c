/**
 * @file Call frame instructions: running the programs of a CIE and an FDE up to an address.
 */
#ifndef PD_UNWIND_CFA_PROGRAM_H
#define PD_UNWIND_CFA_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "unwind/arch.h"
#include "unwind/cfa_marks.h"
#include "unwind/fde.h"
#include "unwind/row.h"

/**
 * Compute the row of @p fde for the vaddr @p pc, which it covers. False if a program is invalid.
 * @p marks has the marks of long programs, which depend on nothing but the parameters before.
 */
bool unw_cfa_run(const struct unw_arch *arch, const struct unw_frame_section *section,
	const struct unw_fde *fde, uint64_t pc, struct unw_cfa_marks *marks, struct unw_row *ret);

#endif
