/**
 * @file Filters that look at the names of frames. They are applied when a profile is complete.
 */
#ifndef PD_PROFILE_NAME_FILTER_H
#define PD_PROFILE_NAME_FILTER_H

#include <pdconv/error.h>

#include "profile/profile.h"
#include "profile/sample_filter.h"

/**
 * Remove the samples of @p profile that @p filter leaves out by the names in their stacks, and the
 * frames that it leaves out of the others. Frames have been named. Errors: NOMEM.
 */
struct pd_error *prof_filter_by_names(
	const struct prof_filter *filter, struct profile *profile) pd_must_check;

#endif
