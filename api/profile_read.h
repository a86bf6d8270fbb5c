/**
 * @file A profile of the library, and how a recording becomes one.
 */
#ifndef PD_API_PROFILE_READ_H
#define PD_API_PROFILE_READ_H

#include <pdconv/profile.h>

#include "api/reading.h"
#include "api/output_sink.h"
#include "base/arena.h"
#include "output/formats.h"
#include "profile/profile.h"
#include "profile/request.h"

struct pd_profile {
	struct profile *profile;
	/** NULL: the profile was created for none. */
	const struct out_format *format;
	/** Parts that the profile has. */
	struct prof_request request;
	struct out_write_opts write;
	/** Path of the recording; NULL: it was not opened by a path. */
	const char *path;
	/** A copy, whose title is never NULL: without one it is the name of the recording. */
	struct pd_profile_opts opts;
	/** Texts of the options, and the path. */
	struct base_arena arena;
};

/** Where a recording comes from. */
struct api_origin {
	/** Name for people. */
	const char *name;
	/** NULL: it was not opened by a path. */
	const char *path;
};

/**
 * Check options for profiles of any format, without reading a recording. Errors: USAGE; OS, a file
 * of the search cannot be read; NOMEM.
 */
struct pd_error *api_profile_check_opts(const struct pd_profile_opts *opts) pd_must_check;

/** Parts of a profile: what its format needs, with what callers look at, or to be compared. */
enum api_profile_parts { PD_PARTS_OF_FORMAT, PD_PARTS_FOR_LOOKING, PD_PARTS_FOR_DIFF };

/**
 * Begin a profile with @p opts for @p format, which may be NULL: ret->request and ret->write are
 * set, and ret->profile is NULL. Errors: USAGE, NOMEM.
 */
struct pd_error *api_profile_plan(const struct pd_profile_opts *opts,
	const struct out_format *format, enum api_profile_parts parts,
	const struct api_origin *origin, struct pd_profile **ret) pd_must_check;

/**
 * Read @p file as @p reading says, and create profile->profile. Reports are noted in the diag of
 * @p file. Errors: see pd_profile_create().
 */
struct pd_error *api_profile_make(struct pd_profile *profile, struct pd_file *file,
	struct api_reading *reading) pd_must_check;

/** api_profile_plan() and api_profile_make(). @p opts may be NULL. */
struct pd_error *api_profile_read(struct pd_file *file, const struct pd_profile_opts *opts,
	const struct out_format *format, enum api_profile_parts parts,
	struct pd_profile **ret) pd_must_check;

#endif
