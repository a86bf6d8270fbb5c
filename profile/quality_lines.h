/**
 * @file The quality of a profile in a few sentences, for people.
 */
#ifndef PD_PROFILE_QUALITY_LINES_H
#define PD_PROFILE_QUALITY_LINES_H

#include <stdint.h>
#include <stdio.h>

#include "profile/profile.h"
#include "profile/quality.h"

enum prof_quality_line {
	/** How many stacks reach the root. */
	PROF_QUALITY_STACKS,
	/** How many frames have a name. */
	PROF_QUALITY_NAMES,
	/** Periods that are likely to be wrong, or were not recorded; empty if there are none. */
	PROF_QUALITY_PERIODS,
	/** Losses and damage; empty if there was none. */
	PROF_QUALITY_LOSSES,
	/** Samples left out by filters; empty if there were none. */
	PROF_QUALITY_FILTERED,
	PROF_N_QUALITY_LINES
};

/** Name of a line: "stacks". Static storage. */
const char *prof_quality_line_name(enum prof_quality_line line);

/** Write a line without the line end, which may be nothing. */
void prof_quality_write_line(const struct profile *profile, const struct prof_quality *quality,
	enum prof_quality_line line, FILE *out);

/**
 * Write what is wrong with periods: "1 sample of cycles has the period 18446744073709546616, which
 * counts as 0". Write nothing if all are right.
 */
void prof_quality_write_periods(const struct profile *profile, FILE *out);

/** Reason for which samples were left out, such as "damaged". Static storage. */
const char *prof_skip_text(enum prof_skip skip);

/** Largest size of the captured stacks in bytes; 0 if none were captured. */
uint32_t prof_quality_captured_bytes(const struct profile *profile);

#endif
