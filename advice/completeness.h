/**
 * @file How complete the stacks of a profile are: how unwinds ended, for each event and thread, in
 * samples and in period; and which frames lack a name, by reason.
 */
#ifndef PD_ADVICE_COMPLETENESS_H
#define PD_ADVICE_COMPLETENESS_H

#include <stdint.h>

#include <pdconv/error.h>
#include <pdconv/vec.h>

#include "advice/unnamed_defs.h"
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

/** Summarize the samples of @p profile. Errors: NOMEM. */
struct pd_error *advice_unwind_summary_create(
	const struct profile *profile, struct advice_unwind_summary *ret) pd_must_check;
void advice_unwind_summary_deinit(struct advice_unwind_summary *summary);

/** Number of samples whose unwind did not reach the root. */
static inline uint64_t advice_unwind_stats_not_rooted(const struct advice_unwind_stats *stats)
{
	return stats->walked.samples - stats->ends[PD_UNWIND_END_ROOT].samples;
}

enum advice_unnamed_why {
#define ADVICE_UNNAMED_ENUM(name, ...) ADVICE_UNNAMED_##name,
	ADVICE_UNNAMED(ADVICE_UNNAMED_ENUM)
#undef ADVICE_UNNAMED_ENUM
		ADVICE_N_UNNAMED,
};

/**
 * Numbers of frames in the stacks of all samples: a frame in the stacks of ten samples counts ten
 * times.
 */
struct advice_unnamed {
	uint64_t n_frames;
	uint64_t n[ADVICE_N_UNNAMED];
	/** Samples with a frame that has no name, by reason. */
	uint64_t samples[ADVICE_N_UNNAMED];
	/** Frames without a name, indexed by binary id. NULL: not counted. Owned. */
	uint64_t *by_binary;
	/** Files and kernels that have frames, but no frame with a name. */
	size_t n_bare_binaries;
};

/** Count the frames of @p profile, whose frames have been named. Errors: NOMEM. */
struct pd_error *advice_unnamed_count(
	const struct profile *profile, struct advice_unnamed *ret) pd_must_check;
void advice_unnamed_deinit(struct advice_unnamed *unnamed);

/**
 * Whether @p binary is the vdso of another machine and has less than 1 % of the frames: nothing can
 * be done about its names, and they do not matter.
 */
bool advice_unnamed_is_cold_vdso(
	const struct profile *profile, const struct advice_unnamed *unnamed, size_t binary);

/** Number of frames without a name, for whatever reason. */
uint64_t advice_unnamed_sum(const struct advice_unnamed *unnamed);

/** Name of a reason in lower case: "no_file". Static storage. */
const char *advice_unnamed_key(enum advice_unnamed_why why);
/** Description of a reason: "binary not found". Static storage. */
const char *advice_unnamed_text(enum advice_unnamed_why why);
/** Advice on a reason; "" if nothing is known to do. Static storage. */
const char *advice_unnamed_remedy(enum advice_unnamed_why why);

#endif
