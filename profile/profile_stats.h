/**
 * @file Statistics of a recording, and facts about it.
 */
#ifndef PD_PROFILE_PROFILE_STATS_H
#define PD_PROFILE_PROFILE_STATS_H

#include <stdint.h>

#include <pdconv/left_out_defs.h>

#include "profile/ids.h"

/** Why a sample of the input is not in the output. */
enum prof_skip {
#define PROF_SKIP_ENUM(skip, ...) PROF_SKIP_##skip,
	PD_SKIPS(PROF_SKIP_ENUM)
#undef PROF_SKIP_ENUM
		PROF_N_SKIPS,
};

/** Filters that may leave out a valid sample. */
enum prof_filter_kind {
#define PROF_FILTER_ENUM(kind, ...) PROF_FILTER_##kind,
	PD_FILTERS(PROF_FILTER_ENUM)
#undef PROF_FILTER_ENUM
		PROF_N_FILTERS,
};

/** Where the user stack of a sample comes from. */
enum prof_stack_origin {
	/** The stack was unwound by pdconv from registers and stack bytes. */
	PROF_STACK_UNWOUND,
	/** The kernel recorded a call chain, at once or when it returned to user space. */
	PROF_STACK_RECORDED,
	/** The processor recorded the calls in its last branch records. */
	PROF_STACK_BRANCHES,
	/** The sample has no user stack, or none was recorded. */
	PROF_STACK_NONE,
	PROF_N_STACK_ORIGINS,
};

/** Tasks (processes and threads) that began and ended within a sampling period. */
struct prof_short_lives {
	uint64_t n_tasks;
	/** Sum of the times from their beginnings to their ends. */
	uint64_t total_ns;
	/** Samples of the event below. */
	uint64_t n_samples;
	/** Period of the event that samples time most often; 0 if no event does. */
	uint64_t period_ns;
};

/** Branch stacks of the samples. Only counted if edges are requested. */
struct prof_branch_stats {
	/** Samples with a branch stack, and the branches in these. */
	uint64_t n_stacks;
	uint64_t n_branches;
	/**
	 * Branches that are calls on the stack (`perf record --call-graph lbr`) and count as no
	 * edges: other branches were taken between them.
	 */
	uint64_t n_calls;
	/**
	 * Branches of which not all kinds were recorded, so that it is not known where the code
	 * after one of them was left.
	 */
	uint64_t n_chosen;
};

struct prof_stats {
	/**
	 * SAMPLE records read. A record with the values of a group counts once for each counter
	 * that advanced.
	 */
	uint64_t n_samples;
	/** Sum of their periods, of all events, which is at most PROF_MAX_PERIODS. */
	uint64_t period_sum;
	uint64_t skipped[PROF_N_SKIPS];
	uint64_t filtered[PROF_N_FILTERS];
	/** Sum of the periods of filtered samples. Periods of all events are added up. */
	uint64_t filtered_period[PROF_N_FILTERS];
	uint64_t origins[PROF_N_STACK_ORIGINS];
	/** Records and samples that the recorder lost. */
	uint64_t n_lost_records;
	uint64_t n_lost_samples;
	uint64_t n_throttled;
	uint64_t n_late_records;
	uint64_t n_unknown_records;
	/** Places of damage among the records, and bytes that were passed over there. */
	uint64_t n_gaps;
	uint64_t gap_bytes;
	/**
	 * SAMPLE records after the first of these places, whose mappings may have been among the
	 * bytes.
	 */
	uint64_t n_after_gaps;
	uint64_t n_frames;
	uint64_t n_fp_frames;
	/** Truncated stacks that were completed to the root from neighbouring samples. */
	uint64_t n_stitched;
	/**
	 * Addresses in generated code with a name, and those of them that had other code earlier,
	 * whose name the samples from then should have.
	 */
	uint64_t n_generated;
	uint64_t n_reused;
	/** Times of the first and the last sample; 0: samples have no times. */
	uint64_t first_ns;
	uint64_t last_ns;
	/**
	 * When the recording began, 0 if not known, and the time of its last record. All threads
	 * may have waited before the first sample and after the last one.
	 */
	uint64_t begin_ns;
	uint64_t end_ns;
	struct prof_short_lives short_lives;
	struct prof_branch_stats branches;
};

/** Facts about the recording. Strings are "" if not known. */
struct prof_about {
	struct prof_string_id host;
	struct prof_string_id kernel_release;
	struct prof_string_id arch;
	struct prof_string_id perf_version;
	/** Words are quoted where a shell needs it. */
	struct prof_string_id command;
	/** CPUs that were online; 0 if not known. */
	uint32_t n_cpus;
	/** Wall-clock time at stats.first_ns, in ns since 1970; 0 if not recorded. */
	uint64_t start_ns;
	/** Text from prof_request.describe. */
	struct prof_string_id description;
	/**
	 * Times, names and numbers of the samples, if filters have left out all of them:
	 * "times from 1.2 to 3.4".
	 */
	struct prof_string_id choices;
	/**
	 * Names in filters that stand for several functions, and which; or for none, and which
	 * names are like them.
	 */
	struct prof_string_id name_notes;
	/** Clock of all times: 0 is perf's own one, n + 1 the clock n of clock_gettime(2). */
	uint32_t clock;
};

/** Length of the recording in ns; 0: not known. */
uint64_t prof_stats_length(const struct prof_stats *stats);

/** Reason for which samples were left out, such as "damaged". Static storage. */
const char *prof_skip_text(enum prof_skip skip);

/** Return the name of @p filter: "pid". Static storage. */
const char *prof_filter_name(enum prof_filter_kind filter);

#endif
