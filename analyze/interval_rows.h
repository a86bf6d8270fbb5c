/**
 * @file Intervals of one kind, summed up by their names, or by the threads or the stacks in which
 * they began.
 */
#ifndef PD_ANALYZE_INTERVAL_ROWS_H
#define PD_ANALYZE_INTERVAL_ROWS_H

#include <stdint.h>

#include <pdconv/error.h>
#include <pdconv/vec.h>

#include "analyze/symbols.h"
#include "base/containers/intern.h"
#include "profile/profile.h"

enum ana_intervals_by {
	ANA_INTERVALS_BY_NAME,
	ANA_INTERVALS_BY_THREAD,
	ANA_INTERVALS_BY_STACK,
};

/** Intervals of one name, thread or stack. Times are in ns. */
struct ana_interval_row {
	/** Name by name, thread by thread, path by stack: for ana_interval_path(). */
	struct prof_string_id name;
	struct prof_thread_id thread;
	uint32_t path;
	uint64_t n;
	uint64_t n_failed;
	uint64_t total;
	/** The smallest times that 50 % and 99 % of the intervals do not exceed. */
	uint64_t p50;
	uint64_t p99;
	uint64_t max;
};

/** A zeroed one is empty. */
struct ana_interval_rows {
	/** The largest totals first. */
	PD_VEC(struct ana_interval_row) list;
	/** Number of intervals; by stack, of those that have one. */
	uint64_t n;
	/** Arrays of symbols, leaf first. */
	struct base_intern paths;
};

/**
 * Sum up the intervals of a kind, an index in profile.interval_kinds. By stack, paths have symbols
 * of @p symbols, without the functions of the kernel below which the program is; else @p symbols
 * may be NULL. Errors: NOMEM.
 */
struct pd_error *ana_interval_rows_create(const struct profile *profile,
	const struct ana_symbols *symbols, uint32_t kind, enum ana_intervals_by by,
	struct ana_interval_rows *ret) pd_must_check;
/** Return the symbols of a path, leaf first. */
const uint32_t *ana_interval_path(
	const struct ana_interval_rows *rows, uint32_t path, uint32_t *n_ret);
void ana_interval_rows_deinit(struct ana_interval_rows *rows);

#endif
