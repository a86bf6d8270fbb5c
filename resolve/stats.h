/**
 * @file Counters of `perf stat record`: STAT records, each with the count of an event so far, on a
 * CPU or in a thread.
 */
#ifndef PD_RESOLVE_STATS_H
#define PD_RESOLVE_STATS_H

#include <pdconv/error.h>
#include <pdconv/record.h>
#include <pdconv/vec.h>

#include "base/containers/intern.h"
#include "resolve/facts/recording_facts.h"

/** Last count of each counter. A zeroed one is empty. */
struct resolve_stats {
	/** Counters: event id, CPU and thread. */
	struct base_intern counters;
	/** Counts by the same index, as if the counter had been on the CPU all the time. */
	PD_VEC(double) counts;
};

void resolve_stats_deinit(struct resolve_stats *stats);

/** Take a record, which is ignored unless it is a STAT record. Errors: NOMEM. */
struct pd_error *resolve_stats_take_record(
	struct resolve_stats *stats, const struct pd_record *rec) pd_must_check;

/** Add up the counts of each event of the profile. Errors: NOMEM. */
struct pd_error *resolve_stats_finish(
	const struct resolve_stats *stats, struct resolve_facts *facts) pd_must_check;

#endif
