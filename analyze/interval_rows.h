/**
 * @file Intervals of one kind, summed up by their names or by the threads in which they began.
 */
#ifndef PD_ANALYZE_INTERVAL_ROWS_H
#define PD_ANALYZE_INTERVAL_ROWS_H

#include <stdint.h>

#include <pdconv/error.h>
#include <pdconv/vec.h>

#include "profile/profile.h"

enum ana_intervals_by {
	ANA_INTERVALS_BY_NAME,
	ANA_INTERVALS_BY_THREAD,
};

/** Intervals of one name or thread. Times are in ns. */
struct ana_interval_row {
	/** Name by name, and thread by thread. */
	struct prof_string_id name;
	struct prof_thread_id thread;
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
	/** Number of intervals. */
	uint64_t n;
};

/** Sum up the intervals of a kind, an index in profile.interval_kinds. Errors: NOMEM. */
struct pd_error *ana_interval_rows_create(const struct profile *profile, uint32_t kind,
	enum ana_intervals_by by, struct ana_interval_rows *ret) pd_must_check;
void ana_interval_rows_deinit(struct ana_interval_rows *rows);

#endif
