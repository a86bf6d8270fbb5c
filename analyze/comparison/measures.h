/**
 * @file Measures: the amounts of columns in each recording, with their variances.
 */
#ifndef PD_ANALYZE_MEASURES_H
#define PD_ANALYZE_MEASURES_H

#include <pdconv/error.h>
#include <pdconv/vec.h>

#include "analyze/comparison/significance.h"
#include "analyze/comparison/diff_columns.h"
#include "analyze/comparison/sides.h"
#include "analyze/comparison/slices.h"

/** Measures of some columns. A zeroed one is empty. */
struct ana_measures {
	struct ana_slices_opts opts;
	size_t n_recordings;
	/** Ids of the columns that are measured. Number 0 is the column ALL. */
	PD_VEC(uint32_t) columns;
	/** Index in columns of each column, by its id; PROF_NONE if it is not measured. */
	uint32_t *map;
	/** Sums of recording r and measured column c, in [c * n_recordings + r]. */
	struct prof_value *sums;
	/** Time from the first to the last sample of each recording, in ns. */
	uint64_t *durations;
	/** Amount of the columns that are not excluded, by recording. */
	double *bases;
	/** Mean of the bases before the change. */
	double base;
	/**
	 * Amounts as parts of the base of their recording, times base; indexed like sums. Without a
	 * base they are unchanged.
	 */
	double *amounts;
	/** Variances of amounts. */
	double *variances;
};

/** A column that could be measured. */
struct ana_candidate {
	const struct ana_column *column;
	/** Sums of the column and of the column ALL, by recording. */
	const struct prof_value *sums;
	const struct prof_value *wholes;
};

/** Returns whether to measure a column. */
typedef bool ana_candidate_fn(void *ctx, const struct ana_candidate *candidate);

/**
 * Measure the columns of @p opts (borrowed) for which @p is_wanted is true, and the column ALL.
 * Free with ana_measures_deinit(). Errors: NOMEM.
 */
struct pd_error *ana_measures_create(const struct ana_slices_opts *opts,
	ana_candidate_fn *is_wanted, void *ctx, struct ana_measures *ret) pd_must_check;

/**
 * Find amounts and variances. Measured columns for which @p is_excluded is true do not belong to
 * the base of their recording. Errors: NOMEM.
 */
struct pd_error *ana_measures_update(
	struct ana_measures *measures, const bool *is_excluded) pd_must_check;
void ana_measures_deinit(struct ana_measures *measures);

/** Return the measure number @p i on one side. */
static inline struct ana_series ana_series(
	const struct ana_measures *measures, size_t i, enum ana_side side)
{
	const struct ana_sides *sides = measures->opts.sides;
	size_t at = i * measures->n_recordings + (side == ANA_AFTER ? sides->n[ANA_BEFORE] : 0);

	return (struct ana_series){ &measures->amounts[at], &measures->variances[at],
		sides->n[side] };
}

#endif
