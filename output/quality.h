/**
 * @file The quality of a profile as text: for the report, for statistics, and as warnings.
 */
#ifndef PD_OUTPUT_QUALITY_H
#define PD_OUTPUT_QUALITY_H

#include <stddef.h>
#include <stdio.h>

#include "advice/quality.h"
#include "profile/profile.h"

enum out_quality_line {
	/** How many stacks reach the root. */
	OUT_QUALITY_STACKS,
	/** How many frames have a name. */
	OUT_QUALITY_NAMES,
	/** Periods that are likely to be wrong, or were not recorded; empty if there are none. */
	OUT_QUALITY_PERIODS,
	/** Losses and damage; empty if there was none. */
	OUT_QUALITY_LOSSES,
	/** Samples left out by filters; empty if there were none. */
	OUT_QUALITY_FILTERED,
	OUT_N_QUALITY_LINES
};

/** Name of a line: "stacks". Static storage. */
const char *out_quality_line_name(enum out_quality_line line);

/** Return the text of a line, which is allocated and may be empty; NULL: no memory. */
char *out_quality_line(const struct profile *profile, const struct advice_quality *quality,
	enum out_quality_line line) pd_must_check;

/**
 * Write what is wrong with periods: "1 sample of cycles has the period 18446744073709546616, which
 * counts as 0". Write nothing if all are right.
 */
void out_quality_write_periods(const struct profile *profile, FILE *out);

/** Write everything that is known, with all hints, to @p out. */
void out_quality_write(
	const struct profile *profile, const struct advice_quality *quality, FILE *out);

/** Write the part of the statistics about stacks: their sources and how unwinds ended. */
void out_quality_write_stacks(
	const struct profile *profile, const struct advice_quality *quality, FILE *out);

/** Write all hints with a title. Write nothing if there are none. */
void out_quality_write_hints(const struct advice_hints *hints, FILE *out);

/**
 * Write warnings about problems that make the output less reliable, each line with @p prefix in
 * front. Write nothing if there are none.
 */
void out_quality_warn(const struct profile *profile, const struct advice_quality *quality,
	const char *prefix, FILE *out);

#endif
