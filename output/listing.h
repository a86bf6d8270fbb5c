/**
 * @file Which files were tried for the binaries of a recording.
 */
#ifndef PD_OUTPUT_LISTING_H
#define PD_OUTPUT_LISTING_H

#include <pdconv/error.h>

#include "output/binaries.h"
#include "output/build.h"
#include "output/profile.h"
#include "parse/space.h"

/** Fill attempts and unused of @p profile, as @p opts says where to look. Errors: no memory. */
struct pd_error *out_list_files(struct profile *profile, struct out_binaries *binaries,
	const struct pd_space *space, const struct out_opts *opts) pd_must_check;

#endif
