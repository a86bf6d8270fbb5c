/**
 * @file How the walks of a profile's stacks ended: of each event, thread and binary, in samples and in
 * period.
 */
#ifndef PD_PROFILE_UNWIND_SUMMARY_H
#define PD_PROFILE_UNWIND_SUMMARY_H

#include <pdconv/error.h>
#include <pdconv/vec.h>

#include "profile/profile.h"

/** Of some samples: those that were walked, and by how the walk ended. Periods are in one unit. */
struct prof_unwind_stats {
	struct prof_value walked;
	struct prof_value ends[PD_N_UNWIND_ENDS];
};

struct prof_unwind_summary {
	/** Of all samples; periods of different events are added up, whatever their units. */
	struct prof_unwind_stats all;
	/** By number of the event in the profile, and by number of the thread. */
	PD_VEC(struct prof_unwind_stats) events;
	PD_VEC(struct prof_unwind_stats) threads;
	/** Numbers of the threads that have stacks which do not reach the root, most of them first. */
	PD_VEC(struct prof_thread_id) worst_threads;
};

/** Add up the samples of @p profile. Errors: no memory. */
struct pd_error *prof_unwind_summary_create(
	const struct profile *profile, struct prof_unwind_summary *ret) pd_must_check;
void prof_unwind_summary_deinit(struct prof_unwind_summary *accounts);

/** Walks, in samples, that did not reach the root. */
static inline uint64_t prof_unwind_stats_not_rooted(const struct prof_unwind_stats *account)
{
	return account->walked.samples - account->ends[PD_UNWIND_END_ROOT].samples;
}

/** Share of the walks, in samples, that reached the root: 0 to 1; 0 if there were none. */
double prof_unwind_stats_rooted(const struct prof_unwind_stats *account);

#endif
