/**
 * @file The quality of a profile as text: for statistics, and as warnings. See
 * output/quality_lines.h for one line on each part of it.
 */
#ifndef PD_OUTPUT_QUALITY_TEXT_H
#define PD_OUTPUT_QUALITY_TEXT_H

#include <stdio.h>

#include "advice/quality.h"
#include "profile/profile.h"

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
