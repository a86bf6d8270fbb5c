/**
 * @file Rows from Go's table of functions, for Go code without call frame information.
 *
 * The table has the size of each frame, exactly and for every instruction. Go's linker makes the
 * call frame information of Go code from it, and leaves that out of stripped programs. Sources:
 * Go's src/runtime/traceback.go, src/cmd/link/internal/ld/dwarf.go (writeframes) and, for the frame
 * pointer, src/cmd/internal/obj/x86/obj6.go and arm64/obj7.go.
 */
#ifndef PD_UNWIND_GO_FRAMES_H
#define PD_UNWIND_GO_FRAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/pclntab.h"
#include "unwind/rules/arch_rules.h"
#include "unwind/rules/section.h"
#include "unwind/rules/cfi_row.h"

/**
 * Find the row of the vaddr @p addr by @p table. @p text is the code, from which it is read whether
 * the frame pointer was saved. Returns false if the table does not cover the address.
 */
bool unw_go_find_row(const struct base_pclntab *table, const struct unw_section *text,
	const struct unw_arch *arch, uint64_t addr, struct unw_row *ret);

/**
 * Find the function that covers the vaddr @p addr and has frame sizes. The range is empty if none
 * does.
 */
struct unw_range unw_go_find_range(const struct base_pclntab *table, uint64_t addr);

#endif
