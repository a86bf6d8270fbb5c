/**
 * @file Pages of a table, as the BPF program searches them (bpf/maps.h).
 *
 *	rows   0..n       rows by address; those of a block are in one page
 *	index  n..m       blocks by address
 *	top    m          numbers of the index pages
 *
 * Pages refer to each other by their place in the list, until they get places in the memory of
 * the program.
 */
#ifndef PD_CAPTURE_BPF_TABLE_PAGES_H
#define PD_CAPTURE_BPF_TABLE_PAGES_H

#include <stddef.h>
#include <stdint.h>

#include <pdconv/error.h>
#include <pdconv/vec.h>

#include "bpf/maps.h"
#include "unwind/bpf_table.h"

struct cap_pages {
	PD_VEC(union bw_page) list;
	/** Number of pages with rows, and of index pages after them. The top page is last. */
	size_t n_rows;
	size_t n_index;
	/** Size of a block as a power of two. */
	uint32_t shift;
	/** Vaddr of the base of the table. */
	uint64_t base;
};

/** Arrange @p table in pages. Initialize @p ret with zeros. Errors: NOMEM. */
struct pd_error *cap_pages_make(const struct unw_table *table, struct cap_pages *ret) pd_must_check;
void cap_pages_deinit(struct cap_pages *pages);

/**
 * Copy page number @p i to @p to, where the others have the numbers @p numbers, by their place in
 * the list.
 */
void cap_pages_copy(
	const struct cap_pages *pages, size_t i, const uint32_t *numbers, union bw_page *to);

#endif
