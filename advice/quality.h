/**
 * @file The quality of a profile: what was lost, truncated or not found, and what to do about it.
 */
#ifndef PD_ADVICE_QUALITY_H
#define PD_ADVICE_QUALITY_H

#include <stdio.h>

#include "advice/hints.h"
#include "advice/unnamed.h"
#include "advice/unwind_summary.h"
#include "profile/profile.h"

struct advice_quality {
	struct advice_unwind_summary unwinds;
	/** Empty unless has_names. */
	struct advice_unnamed unnamed;
	bool has_names;
	struct advice_hints hints;
};

/**
 * Find the quality of @p profile; names are only counted if @p counts_names is set and names were
 * requested. Errors: no memory.
 */
struct pd_error *advice_quality_find(
	const struct profile *profile, bool counts_names, struct advice_quality *ret) pd_must_check;
/** Zeroed ones are permitted. */
void advice_quality_deinit(struct advice_quality *quality);

/** Samples with a user stack: unwound ones, and call chains that the kernel recorded. */
uint64_t advice_quality_n_stacks(const struct advice_quality *quality);
/** Those of advice_quality_n_stacks() that reach the root, or do not look cut. */
uint64_t advice_quality_n_rooted(const struct advice_quality *quality);

/** Write everything that is known, with all hints, to @p out. */
void advice_quality_write(
	const struct profile *profile, const struct advice_quality *quality, FILE *out);

/** Write the part of the report about stacks: their sources and how unwinds ended. */
void advice_quality_write_stacks(const struct profile *profile,
	const struct advice_unwind_summary *summary, const struct advice_hints *hints, FILE *out);

/** Write up to @p max hints with a title. Write nothing if there are none. */
void advice_quality_write_hints(const struct advice_hints *hints, size_t max, FILE *out);

/**
 * Write warnings about problems that make the output less reliable, each line with @p prefix in
 * front. Write nothing if there are none.
 */
void advice_quality_warn(const struct profile *profile, const struct advice_quality *quality,
	const char *prefix, FILE *out);

#endif
