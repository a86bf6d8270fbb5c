/**
 * @file Variances of the amounts of a recording, from resampling its time slices.
 *
 * Slices are resampled in blocks, because neighbouring slices are alike, and each block is replaced
 * by one near it, because programs have phases: the local block bootstrap of Paparoditis and
 * Politis (2002). What changes slowly is thus taken for the course of the program, not for noise.
 */
#ifndef PD_ANALYZE_RESAMPLE_H
#define PD_ANALYZE_RESAMPLE_H

#include <stdbool.h>
#include <stdint.h>

#include <pdconv/error.h>

#include "analyze/slices.h"

/**
 * Find the variance of each column of @p slices relative to a part of the recording, its base:
 * column 0 less the columns for which @p is_excluded, indexed by column, is true. Each variance is
 * that of amount / base * the base of the recording itself, in squared units of the event, and is
 * stored in @p ret, indexed by column. The same @p seed gives the same result. Samples without
 * times are taken to be independent of each other. Errors: no memory.
 */
struct pd_error *ana_resample(const struct ana_slices *slices, const bool *is_excluded,
	uint64_t seed, double *ret) pd_must_check;

#endif
