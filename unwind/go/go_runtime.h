/**
 * @file Functions of Go's runtime that are not called, or do not call, as their frames say.
 *
 * - Some call the vDSO on the system stack of the thread, and keep the stack pointer of their frame
 *   in a register. Frame sizes and call frame information still count from the stack pointer.
 *   Source: Go's src/runtime/sys_linux_*.s and time_linux_amd64.s.
 * - Some are entered by Go's handler of signals, as if the interrupted code had called them. Their
 *   return address does not follow a call. Source: Go's src/runtime/signal_*.go (pushCall).
 *
 * Functions whose callers are on another stack that cannot be found from there are roots, by their
 * names: see resolve/binaries/root_defs.h.
 */
#ifndef PD_UNWIND_GO_RUNTIME_H
#define PD_UNWIND_GO_RUNTIME_H

#include "base/pclntab.h"
#include "unwind/rules/arch_rules.h"
#include "unwind/rules/section.h"
#include "unwind/rules/cfi_row.h"

/**
 * Correct @p row of the vaddr @p addr if @p table says that the function is one of these. @p text
 * is the code.
 */
void unw_go_correct_row(const struct base_pclntab *table, const struct unw_section *text,
	const struct unw_arch *arch, uint64_t addr, struct unw_row *row);

/** Whether rows of the function at the vaddr @p addr may be corrected. */
bool unw_go_corrects(const struct base_pclntab *table, uint64_t addr);

#endif
