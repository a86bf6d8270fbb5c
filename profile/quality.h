/**
 * @file The quality of a profile: what was lost, truncated or not found, and what to do about it.
 */
#ifndef PD_PROFILE_QUALITY_H
#define PD_PROFILE_QUALITY_H

#include <stdio.h>

#include "profile/hints.h"
#include "profile/unnamed.h"
#include "profile/unwind_summary.h"
#include "profile/profile.h"

struct prof_quality {
	struct prof_unwind_summary unwinds;
	/** Empty unless has_names. */
	struct prof_unnamed unnamed;
	bool has_names;
	struct prof_hints hints;
};

/**
 * Find the quality of @p profile; names are only counted if @p counts_names is set and names were
 * requested. Errors: no memory.
 */
struct pd_error *prof_quality_find(
	const struct profile *profile, bool counts_names, struct prof_quality *ret) pd_must_check;
/** Zeroed ones are permitted. */
void prof_quality_deinit(struct prof_quality *quality);

/** Samples with a user stack: unwound ones, and call chains that the kernel recorded. */
uint64_t prof_quality_n_stacks(const struct prof_quality *quality);
/** Those of prof_quality_n_stacks() that reach the root, or do not look cut. */
uint64_t prof_quality_n_rooted(const struct prof_quality *quality);

/** Write everything that is known, with all hints, to @p out. */
void prof_quality_write(
	const struct profile *profile, const struct prof_quality *quality, FILE *out);

/** Write the part of the report about stacks: their sources and how unwinds ended. */
void prof_quality_write_stacks(const struct profile *profile,
	const struct prof_unwind_summary *summary, const struct prof_hints *hints, FILE *out);

/** Write up to @p max hints with a title. Write nothing if there are none. */
void prof_quality_write_hints(const struct prof_hints *hints, size_t max, FILE *out);

/**
 * Write warnings about problems that make the output less reliable, each line with @p prefix in
 * front. Write nothing if there are none.
 */
void prof_quality_warn(const struct profile *profile, const struct prof_quality *quality,
	const char *prefix, FILE *out);

#endif
