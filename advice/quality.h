/**
 * @file The quality of a profile: what was lost, truncated or not found, and what to do about it.
 */
#ifndef PD_ADVICE_QUALITY_H
#define PD_ADVICE_QUALITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/error.h>

#include "advice/hints.h"
#include "advice/completeness.h"
#include "base/pool.h"
#include "profile/profile.h"

struct advice_quality {
	struct advice_unwind_summary unwinds;
	/** Empty unless has_names. */
	struct advice_unnamed unnamed;
	bool has_names;
	struct advice_lacks lacks;
	struct advice_hints hints;
};

/**
 * Find the quality of @p profile; names are only counted if @p counts_names is set and names were
 * requested. Errors: NOMEM.
 */
struct pd_error *advice_quality_find(
	const struct profile *profile, bool counts_names, struct advice_quality *ret) pd_must_check;
/** Zeroed ones are permitted. */
void advice_quality_deinit(struct advice_quality *quality);

/** Search for the quality of a profile by another thread, while the profile is written. */
struct advice_quality_search {
	/** Result, after advice_quality_search_finish(). The caller frees it. */
	struct advice_quality quality;

	/* The following are private. */

	const struct profile *profile;
	bool counts_names;
	struct base_pool *pool;
	struct pd_error *err;
};

/**
 * Start advice_quality_find(); with one of @p jobs, it runs when it is finished. @p profile is
 * borrowed until then. Errors: NOMEM, or a thread cannot be started.
 */
struct pd_error *advice_quality_search_start(const struct profile *profile, bool counts_names,
	size_t jobs, struct advice_quality_search *ret) pd_must_check;
/**
 * Wait for the end of @p search, which was started. Returns @p err, the result of what was done
 * meanwhile, or else that of the search. Errors: NOMEM.
 */
struct pd_error *advice_quality_search_finish(
	struct advice_quality_search *search, struct pd_error *err) pd_must_check;

/** Samples with a user stack: unwound ones, and call chains that the kernel recorded. */
uint64_t advice_quality_n_stacks(const struct advice_quality *quality);
/** Those of advice_quality_n_stacks() that reach the root, or do not look cut. */
uint64_t advice_quality_n_rooted(const struct advice_quality *quality);

/** Largest size of the captured stacks in bytes; 0 if none were captured. */
uint32_t advice_quality_captured_bytes(const struct profile *profile);

#endif
