/**
 * @file Comparison of recordings: which functions and call paths take more or less than before.
 *
 * Recordings differ in the speed of the machine and in how much they cover. What all functions have
 * in common is therefore separated from what a function has changed in addition: the base of a
 * recording is what those functions take that changed alike, and amounts are compared relative to
 * it. Amounts are per recording, in units of the event.
 */
#ifndef PD_ANALYZE_COMPARISON_H
#define PD_ANALYZE_COMPARISON_H

#include <pdconv/error.h>
#include <pdconv/vec.h>

#include "analyze/comparison/significance.h"
#include "analyze/comparison/diff_columns.h"
#include "analyze/comparison/sides.h"
#include "analyze/symbols.h"
#include "profile/profile.h"

/** Functions with fewer samples, on both sides together, are not compared. */
enum { ANA_MIN_SAMPLES = 10 };

/** The change of a column. */
struct ana_change {
	struct ana_column column;
	/** Samples of all recordings of a side. */
	uint64_t samples[ANA_N_SIDES];
	/** Mean amount of the recordings of a side. */
	double amount[ANA_N_SIDES];
	/** Part of all samples, 0 to 1: the mean of the recordings of a side. */
	double share[ANA_N_SIDES];
	/**
	 * Amount after, less the amount before times the common change, and half of the width of
	 * its interval.
	 */
	double difference;
	double margin;
	/** Amount after divided by the amount before times the common change. */
	struct ana_ratio ratio;
	/** Probability of such a difference if there was no change. */
	double p;
	/** It is more than noise. False for paths, which are not tested by themselves. */
	bool is_changed;
};

/** Change of the recordings as wholes. */
struct ana_whole {
	struct ana_ratio ratio;
	/** The interval is known, because both sides have several recordings. */
	bool has_interval;
	/** It is more than noise. */
	bool is_changed;
};

/** A comparison. A zeroed one is empty. */
struct ana_diff {
	/** Samples and periods of all recordings of a side. */
	struct prof_value sums[ANA_N_SIDES];
	/**
	 * Mean length, in ns: that of ledgers, or if a recording has none, the time from the first
	 * to the last sample. 0 if samples have no time.
	 */
	double duration[ANA_N_SIDES];
	/** Change of all amounts together, and the one that most functions have in common. */
	struct ana_whole whole;
	struct ana_whole common;
	/** SELF and TOTAL of functions with enough samples; TOTAL only if it differs from SELF. */
	PD_VEC(struct ana_change) changes;
	/** PATH of functions whose SELF changed, the largest differences first. */
	PD_VEC(struct ana_change) paths;
	/** Number of functions in whose SELF there were samples, but too few. */
	size_t n_skipped;
	/** Columns to which paths refer. */
	struct ana_columns columns;
};

/** Subject of a comparison. */
struct ana_diff_opts {
	/** Borrowed. */
	const struct ana_sides *sides;
	struct prof_event_id event;
	/** Functions with a smaller part of the samples on both sides are not compared, 0 to 1. */
	double least_share;
};

/**
 * Compare two sides of @p profile, whose samples should be kept apart by time. Free with
 * ana_diff_deinit(). Errors: NOMEM.
 */
struct pd_error *ana_diff_create(const struct profile *profile, const struct ana_symbols *symbols,
	const struct ana_diff_opts *opts, struct ana_diff *ret) pd_must_check;
void ana_diff_deinit(struct ana_diff *diff);

#endif
