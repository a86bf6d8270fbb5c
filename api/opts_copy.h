/**
 * @file Copies of options with everything that they point to, for what outlives the call that got
 * them. Only budgets and contexts of callbacks stay those of the caller.
 */
#ifndef PD_API_OPTS_COPY_H
#define PD_API_OPTS_COPY_H

#include <pdconv/capture.h>
#include <pdconv/profile_opts.h>

#include "base/arena.h"

/** Copy @p opts with their texts and arrays to @p arena. Errors: NOMEM. */
struct pd_error *api_search_opts_copy(const struct pd_search_opts *opts, struct base_arena *arena,
	struct pd_search_opts *ret) pd_must_check;

/** Like api_search_opts_copy(). */
struct pd_error *api_profile_opts_copy(const struct pd_profile_opts *opts, struct base_arena *arena,
	struct pd_profile_opts *ret) pd_must_check;

/** Copy the texts of @p opts to @p arena. Their attrs stay those of the caller. Errors: NOMEM. */
struct pd_error *api_capture_opts_copy_texts(
	struct pd_capture_opts *opts, struct base_arena *arena) pd_must_check;

#endif
