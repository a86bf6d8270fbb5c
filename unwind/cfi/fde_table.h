/**
 * @file Tables that map an address to the offset of its FDE.
 *
 * `.eh_frame_hdr` is such a table. If it is missing, has an unusual form or is not sorted, and for
 * `.debug_frame`, a table is built in one pass over the section when it is first needed.
 */
#ifndef PD_UNWIND_FDE_TABLE_H
#define PD_UNWIND_FDE_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include <pdconv/cursor.h>
#include <pdconv/error.h>

#include "unwind/cfi/fde.h"

/** Binary search table of `.eh_frame_hdr`. */
struct unw_hdr_table {
	/** Pairs (address, FDE) of signed 32-bit distances from the start of the header. */
	const uint8_t *pairs;
	/** Number of pairs; 0 without a usable table. */
	size_t n;
	/** Vaddr of the header. */
	uint64_t vaddr;
	bool swap;
};

/**
 * Read the header. The result has no pairs if its form is not the one that linkers write, or if
 * they are not sorted.
 */
struct unw_hdr_table unw_hdr_table_read(
	const struct unw_section *hdr, const struct unw_frame_section *eh_frame);

/** Count the FDEs that start at or before the vaddr @p addr. */
size_t unw_hdr_table_count(const struct unw_hdr_table *table, uint64_t addr);

/** Offset of FDE number @p i in `.eh_frame`, which may be outside of the section. */
uint64_t unw_hdr_table_offset(const struct unw_hdr_table *table, uint64_t eh_frame_vaddr, size_t i);

/** Append the addresses at which the FDEs of the table begin to @p ret. Errors: NOMEM. */
struct pd_error *unw_hdr_table_list(
	const struct unw_hdr_table *table, struct unw_vaddrs *ret) pd_must_check;

/** Table built from a section. Thread-safe. */
struct unw_fde_table;

/** Create a table, which borrows @p section. Returns NULL if out of memory. */
struct unw_fde_table *unw_fde_table_create(const struct unw_frame_section *section);
void unw_fde_table_destroy(struct unw_fde_table *table);

/**
 * Find the last FDE that starts at or before the vaddr @p addr, and its offset in the section.
 * *found_ret is whether there is one. Errors: NOMEM.
 */
struct pd_error *unw_fde_table_find(struct unw_fde_table *table, uint64_t addr, bool *found_ret,
	uint64_t *off_ret) pd_must_check;

/** Like unw_hdr_table_list(). */
struct pd_error *unw_fde_table_list(
	struct unw_fde_table *table, struct unw_vaddrs *ret) pd_must_check;

/**
 * Whether the section has FDEs, none of which begins in @p code. False if no address was looked up
 * in the table yet.
 */
bool unw_fde_table_misses(struct unw_fde_table *table, const struct unw_range *code);

#endif
