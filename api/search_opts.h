/**
 * @file Copies of struct pd_search_opts, for what outlives a call.
 */
#ifndef PD_API_SEARCH_OPTS_H
#define PD_API_SEARCH_OPTS_H

#include <pdconv/profile_opts.h>

#include "base/arena.h"

/** Copy @p opts with its strings and arrays to @p arena. Errors: NOMEM. */
struct pd_error *pd_search_opts_copy(const struct pd_search_opts *opts, struct pd_arena *arena,
	struct pd_search_opts *ret) pd_must_check;

#endif
