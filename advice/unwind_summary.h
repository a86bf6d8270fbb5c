/**
 * @file Summary of how unwinds ended, for each event and thread, in samples and in period.
 */
#ifndef PD_ADVICE_UNWIND_SUMMARY_H
#define PD_ADVICE_UNWIND_SUMMARY_H

#include <pdconv/error.h>
#include <pdconv/vec.h>

#include "profile/profile.h"

/** Unwound samples, in total and by the reason why the unwind ended. Periods have one unit. */
struct advice_unwind_stats {
	struct prof_value walked;
	struct prof_value ends[PD_N_UNWIND_ENDS];
};

struct advice_unwind_summary {
	/** All samples. Periods of different events are summed, whatever their units are. */
	struct advice_unwind_stats all;
	/** Indexed by event id and by thread id. */
	PD_VEC(struct advice_unwind_stats) events;
	PD_VEC(struct advice_unwind_stats) threads;
	/** Threads with stacks that do not reach the root, those with most such stacks first. */
	PD_VEC(struct prof_thread_id) worst_threads;
};

/** Summarize the samples of @p profile. Errors: no memory. */
struct pd_error *advice_unwind_summary_create(
	const struct profile *profile, struct advice_unwind_summary *ret) pd_must_check;
void advice_unwind_summary_deinit(struct advice_unwind_summary *summary);

/** Number of samples whose unwind did not reach the root. */
static inline uint64_t advice_unwind_stats_not_rooted(const struct advice_unwind_stats *stats)
{
	return stats->walked.samples - stats->ends[PD_UNWIND_END_ROOT].samples;
}

#endif
