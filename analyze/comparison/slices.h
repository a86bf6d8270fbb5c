/**
 * @file The amounts of one recording by column and by slice of its time, and their variances, from
 * resampling the slices.
 *
 * Slices are resampled in blocks, because neighbouring slices are alike, and each block is replaced
 * by one near it, because programs have phases: the local block bootstrap of Paparoditis and
 * Politis (2002). What changes slowly is thus taken for the course of the program, not for noise.
 */
#ifndef PD_ANALYZE_SLICES_H
#define PD_ANALYZE_SLICES_H

#include <stdbool.h>
#include <stdint.h>

#include <pdconv/error.h>

#include "analyze/comparison/diff_columns.h"
#include "analyze/comparison/sides.h"
#include "profile/profile.h"

/**
 * Largest number of slices. They are short, so that a phase of the program has many of them, and
 * most of these are not at its ends.
 */
enum { ANA_MAX_SLICES = 512 };

/** Samples of a recording in which to look. */
struct ana_slices_opts {
	const struct profile *profile;
	const struct ana_sides *sides;
	const struct ana_columns *columns;
	struct prof_event_id event;
};

/** Amounts of a recording. A zeroed one is empty. */
struct ana_slices {
	/** Number of slices; 1 if the samples have no time. */
	size_t n;
	size_t n_columns;
	/** Time from the first sample to the last, in ns. */
	uint64_t duration;
	/** Samples and their sum of periods, by column. */
	struct prof_value *sums;
	/** Sum of the periods in slice i of column c, in [c * n + i]. */
	double *amounts;
};

/**
 * Sum the samples of @p recording by column only: amounts is NULL. Free with ana_slices_deinit().
 * Errors: NOMEM.
 */
struct pd_error *ana_slices_sum(
	const struct ana_slices_opts *opts, size_t recording, struct ana_slices *ret) pd_must_check;

/**
 * Sum the samples of @p recording by column and slice, and take only columns for which @p map,
 * indexed by column, is not PROF_NONE: it is the column of the result, less than @p n_columns.
 * Free with ana_slices_deinit(). Errors: NOMEM.
 */
struct pd_error *ana_slices_create(const struct ana_slices_opts *opts, size_t recording,
	const uint32_t *map, size_t n_columns, struct ana_slices *ret) pd_must_check;

void ana_slices_deinit(struct ana_slices *slices);

/**
 * Find the variance of each column of @p slices relative to a part of the recording, its base:
 * column 0 less the columns for which @p is_excluded, indexed by column, is true. Each variance is
 * that of amount / base * the base of the recording itself, in squared units of the event, and is
 * stored in @p ret, indexed by column. The same @p seed gives the same result. Samples without
 * times are taken to be independent of each other. Errors: NOMEM.
 */
struct pd_error *ana_resample(const struct ana_slices *slices, const bool *is_excluded,
	uint64_t seed, double *ret) pd_must_check;

#endif
