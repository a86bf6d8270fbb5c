/**
 * @file Search for the quality of a profile by another thread, while the profile is written.
 */
#ifndef PD_ADVICE_QUALITY_SEARCH_H
#define PD_ADVICE_QUALITY_SEARCH_H

#include <stdbool.h>
#include <stddef.h>

#include <pdconv/error.h>

#include "advice/quality.h"
#include "base/pool.h"

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

#endif
