/**
 * @file The quality of a profile in a few sentences, for people.
 */
#ifndef PD_ADVICE_QUALITY_LINES_H
#define PD_ADVICE_QUALITY_LINES_H

#include <stdint.h>
#include <stdio.h>

#include "advice/quality.h"
#include "profile/profile.h"

enum advice_quality_line {
	/** How many stacks reach the root. */
	ADVICE_QUALITY_STACKS,
	/** How many frames have a name. */
	ADVICE_QUALITY_NAMES,
	/** Periods that are likely to be wrong, or were not recorded; empty if there are none. */
	ADVICE_QUALITY_PERIODS,
	/** Losses and damage; empty if there was none. */
	ADVICE_QUALITY_LOSSES,
	/** Samples left out by filters; empty if there were none. */
	ADVICE_QUALITY_FILTERED,
	ADVICE_N_QUALITY_LINES
};

/** Name of a line: "stacks". Static storage. */
const char *advice_quality_line_name(enum advice_quality_line line);

/** Write a line without the line end, which may be nothing. */
void advice_quality_write_line(const struct profile *profile, const struct advice_quality *quality,
	enum advice_quality_line line, FILE *out);

/**
 * Write what is wrong with periods: "1 sample of cycles has the period 18446744073709546616, which
 * counts as 0". Write nothing if all are right.
 */
void advice_quality_write_periods(const struct profile *profile, FILE *out);

/** Largest size of the captured stacks in bytes; 0 if none were captured. */
uint32_t advice_quality_captured_bytes(const struct profile *profile);

#endif
