/**
 * @file Adding stacks, tags and samples in groups, so that their cache misses overlap. What is
 * loaded only affects the time.
 */
#ifndef PD_PROFILE_AHEAD_H
#define PD_PROFILE_AHEAD_H

#include "base/prefetch.h"
#include "profile/profile.h"

/** Most stacks and samples of a group. */
enum { PROF_GROUP = 16 };

/**
 * Add @p n stacks, at most PROF_GROUP, with overlapping cache misses. The frames of stack i are
 * @p frames from @p ends[i - 1], or 0, up to @p ends[i]. Returns false if memory ran out.
 */
bool prof_add_stacks(struct profile *profile, const struct prof_frame_id *frames,
	const size_t *ends, size_t n, struct prof_stack_id *ret) pd_must_check;

/**
 * Add @p n lists of process addresses, like prof_add_stacks(): list i is @p pcs from @p ends[i -
 * 1], or 0, up to @p ends[i]. Returns false if memory ran out.
 */
bool prof_add_pcs_lists(struct profile *profile, const uint64_t *pcs, const size_t *ends, size_t n,
	struct prof_pcs_id *ret) pd_must_check;

/** Start to load what prof_add_sample() looks at first. */
void prof_load_sample(const struct profile *profile, const struct prof_sample *sample);
/** Start to load the first sample with the stack of @p sample, after prof_load_sample(). */
void prof_load_first_sample(const struct profile *profile, const struct prof_sample *sample);

/**
 * Start to load the stacks of samples that follow @p id in a loop over all samples: those are one
 * after the other in memory, their stacks are anywhere.
 */
void prof_load_stacks_after(const struct profile *profile, struct prof_sample_id id);

/** Start to load what prof_add_value() changes. */
static inline void prof_prefetch_value(const struct profile *profile, struct prof_sample_id id)
{
	base_prefetch(&profile->samples.data[id.i]);
	base_prefetch(&profile->values.data[id.i]);
}

#endif
