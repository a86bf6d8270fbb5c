/**
 * @file Listing of the files that were tried for the binaries of a recording.
 */
#ifndef PD_RESOLVE_LISTING_H
#define PD_RESOLVE_LISTING_H

#include <pdconv/error.h>

#include "resolve/binaries/binaries.h"
#include "resolve/batch/resolve_opts.h"
#include "profile/profile.h"
#include "parse/space/space.h"

/** Fill attempts and unused of @p profile. @p opts has the search paths. Errors: NOMEM. */
struct pd_error *resolve_list_files(struct profile *profile, struct resolve_binaries *binaries,
	const struct parse_space *space, const struct resolve_opts *opts) pd_must_check;

#endif
