/**
 * @file Thread that makes tables of binaries and arranges them in pages for BPF, so that the
 * recorder can go on reading rings: the table of a large binary takes a second.
 */
#ifndef PD_CAPTURE_BPF_TABLE_LOADER_H
#define PD_CAPTURE_BPF_TABLE_LOADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/error.h>

#include "capture/bpf/bpf_program.h"
#include "capture/bpf/table_pages.h"
#include "capture/bpf/table_pool.h"

struct cap_table_loader;

/** Table that was made, or was not. */
struct cap_loaded {
	/** Number that the request had. */
	size_t number;
	/** A table was wanted, not only the delta. */
	bool with_table;
	/** Pages of the table, which belong to the receiver; empty: none was made. */
	struct cap_pages pages;
	/** Value to add to addresses of the mapping: see cap_table_maker. */
	uint64_t delta;
};

/** Start the thread, which reserves pages of @p pool for its tables. Errors: NOMEM, OS. */
struct pd_error *cap_table_loader_create(const struct cap_table_maker *maker, struct cap_pool *pool,
	struct cap_table_loader **ret) pd_must_check;
/** Wait for the table that is being made, drop others, and end the thread. NULL is fine. */
void cap_table_loader_destroy(struct cap_table_loader *loader);

/**
 * Request the table of @p mapping, whose name is copied. Without @p with_table only its delta is
 * found, because another mapping of the file has the table. Errors: NOMEM.
 */
struct pd_error *cap_table_loader_add(struct cap_table_loader *loader, size_t number, uint32_t pid,
	const struct cap_mapping *mapping, bool with_table) pd_must_check;

/** Descriptor that is readable while there are results. */
int cap_table_loader_fd(const struct cap_table_loader *loader);

/**
 * Take a result. Returns false if there is none; before @p until (as of base_clock_now), only if
 * all requests have been taken. An error of the thread is returned once. Errors: NOMEM.
 */
struct pd_error *cap_table_loader_take(struct cap_table_loader *loader, double until,
	struct cap_loaded *ret, bool *has_ret) pd_must_check;

#endif
