/**
 * @file From an address to the offset of the FDE that covers it.
 *
 * `.eh_frame_hdr` has a table for that. Where it is missing or of another form, and for
 * `.debug_frame`, a table is made from one pass over the section, when it is first needed.
 */
#ifndef PD_UNWIND_FDE_TABLE_H
#define PD_UNWIND_FDE_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include <pdconv/cursor.h>
#include <pdconv/error.h>

#include "unwind/fde.h"

/** `.eh_frame_hdr`'s binary search table. */
struct unw_hdr_table {
	/** Pairs of signed 32-bit distances from the header's start: address, FDE. */
	const uint8_t *pairs;
	/** 0: there is no table that can be used. */
	size_t n;
	/** Of the header. */
	uint64_t vaddr;
	bool swap;
};

/** A table with n 0 if the header has none of the usual form. */
struct unw_hdr_table unw_hdr_table_read(
	const struct unw_section *hdr, const struct unw_frame_section *eh_frame);

/**
 * The offset in `.eh_frame` (which need not be inside) of the last FDE that begins at or before
 * the vaddr @p addr. False if there is none.
 */
bool unw_hdr_table_find(const struct unw_hdr_table *table, uint64_t eh_frame_vaddr, uint64_t addr,
	uint64_t *off_ret);

/** A table made from the section itself. Safe for concurrent use. */
struct unw_fde_table;

/** @p section is borrowed. NULL if there is no memory. */
struct unw_fde_table *unw_fde_table_create(const struct unw_frame_section *section);
void unw_fde_table_destroy(struct unw_fde_table *table);

/** The same as unw_hdr_table_find; *found_ret tells whether there is one. Errors: no memory. */
struct pd_error *unw_fde_table_find(struct unw_fde_table *table, uint64_t addr, bool *found_ret,
	uint64_t *off_ret) pd_must_check;

#endif
