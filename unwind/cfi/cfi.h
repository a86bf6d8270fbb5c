/**
 * @file Call frame information of one binary: `.eh_frame` and `.debug_frame`.
 *
 * `.eh_frame` is searched by `.eh_frame_hdr`, or by a table built here if there is none. Format:
 * DWARF 5 section 6.4, and the Linux Standard Base for `.eh_frame`. Rows are computed on demand.
 *
 * Addresses are vaddrs of the ELF file.
 */
#ifndef PD_UNWIND_CFI_H
#define PD_UNWIND_CFI_H

#include "unwind/cfi/cfa_checkpoints.h"
#include "unwind/cfi/cfa_program.h"
#include "unwind/cfi/fde_table.h"

/** Call frame information. Thread-safe after unw_cfi_init(). */
struct unw_cfi {
	const struct unw_arch *arch;
	struct unw_frame_section eh_frame;
	struct unw_frame_section debug_frame;
	struct unw_hdr_table hdr;
	/** Tables for .eh_frame if hdr is not usable, and for .debug_frame. */
	struct unw_fde_table *eh_table;
	struct unw_fde_table *debug_table;
	struct unw_cfa_checkpoints *checkpoints;
};

/**
 * Prepare @p cfi, whose sections and architecture are set, with the section @p hdr,
 * `.eh_frame_hdr`. Returns false if out of memory.
 */
bool unw_cfi_init(struct unw_cfi *cfi, const struct unw_section *hdr);
void unw_cfi_deinit(struct unw_cfi *cfi);

/**
 * Find the row of the vaddr @p addr. @p row_ret is written only with UNW_CFI_ROW. Errors: NOMEM.
 */
struct pd_error *unw_cfi_find_row(const struct unw_cfi *cfi, uint64_t addr,
	enum unw_cfi_result *result_ret, struct unw_row *row_ret) pd_must_check;

/** Find the FDE that covers the vaddr @p addr. The range is empty if none does. Errors: NOMEM. */
struct pd_error *unw_cfi_find_fde(
	const struct unw_cfi *cfi, uint64_t addr, struct unw_range *ret) pd_must_check;

/** Append the vaddrs at which FDEs begin to @p ret, in any order. Errors: NOMEM. */
struct pd_error *unw_cfi_list_starts(
	const struct unw_cfi *cfi, struct unw_vaddrs *ret) pd_must_check;

/**
 * Pass the rows of the FDE that begins at the start of @p range and covers all of it to @p fn,
 * until that returns false. *end_ret is the vaddr up to which rows were passed, which may be after
 * @p range; without such an FDE it is not written. Errors: NOMEM.
 */
struct pd_error *unw_cfi_visit_rows(const struct unw_cfi *cfi, struct unw_range range,
	unw_on_row *fn, void *ctx, uint64_t *end_ret) pd_must_check;

#endif
