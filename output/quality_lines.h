/**
 * @file The quality of a profile in lines of text: one on its stacks, one on its names and so on.
 */
#ifndef PD_OUTPUT_QUALITY_LINES_H
#define PD_OUTPUT_QUALITY_LINES_H

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

#endif
