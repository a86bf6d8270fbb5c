/**
 * @file The quality of a profile: what was lost, truncated or not found, and what to do about it.
 */
#ifndef PD_PROFILE_QUALITY_H
#define PD_PROFILE_QUALITY_H

#include <stdio.h>

#include "profile/hints.h"
#include "profile/unwind_summary.h"
#include "profile/profile.h"

/** Write the complete report, with @p max_hints hints at most, to @p out. Errors: no memory. */
struct pd_error *prof_quality_write(const struct profile *profile,
	const struct prof_unwind_summary *summary, size_t max_hints, FILE *out) pd_must_check;

/** Write the part of the report about stacks: their sources and how unwinds ended. */
void prof_quality_write_stacks(const struct profile *profile,
	const struct prof_unwind_summary *summary, const struct prof_hints *hints, FILE *out);

/** Write up to @p max hints with a title. Write nothing if there are none. */
void prof_quality_write_hints(const struct prof_hints *hints, size_t max, FILE *out);

/**
 * Write warnings about problems that make the output less reliable, each line with @p prefix in
 * front. Write nothing if there are none. Errors: no memory.
 */
struct pd_error *prof_quality_warn(const struct profile *profile,
	const struct prof_unwind_summary *summary, const char *prefix, FILE *out) pd_must_check;

#endif
