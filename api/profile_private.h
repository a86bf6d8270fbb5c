/**
 * @file Profiles of the library, as pd_profile_create() and pd_convert() share them.
 */
#ifndef PD_API_PROFILE_PRIVATE_H
#define PD_API_PROFILE_PRIVATE_H

#include <pdconv/profile.h>

#include "output/formats.h"
#include "profile/profile.h"
#include "profile/request.h"

struct pd_profile {
	struct profile *profile;
	/** NULL: the profile was created for none. */
	const struct out_format *format;
	/** Parts that the profile has. */
	struct prof_request request;
	/** Borrows from the options of the caller. */
	struct out_write_opts write;
	/** Name of the recording. */
	char *input;
};

/** Find the format @p name. Errors: USAGE. */
struct pd_error *pd_format_find(const char *name, const struct out_format **ret) pd_must_check;

/**
 * Check options for profiles of any format, without reading a recording. Errors: USAGE; OS, a file
 * of the search cannot be read; NOMEM.
 */
struct pd_error *pd_profile_check_opts(const struct pd_profile_opts *opts) pd_must_check;

/** Parts of a profile in addition to what its format needs. */
enum pd_profile_parts { PD_PARTS_OF_FORMAT, PD_PARTS_FOR_LOOKING };

/**
 * Read @p file and create its profile for @p format, which may be NULL. @p opts may be NULL.
 * Errors: see pd_profile_create().
 */
struct pd_error *pd_profile_read(struct pd_file *file, const struct pd_profile_opts *opts,
	const struct out_format *format, enum pd_profile_parts parts,
	struct pd_profile **ret) pd_must_check;

/** Like pd_profile_get_stats(). */
struct pd_error *pd_profile_count(const struct pd_profile *profile, const struct out_format *format,
	struct pd_profile_stats *ret) pd_must_check;

#endif
