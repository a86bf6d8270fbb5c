/**
 * @file Filters that look at the names of frames. They are applied when the profile is complete.
 */
#ifndef PD_PROFILE_FILTER_NAMES_H
#define PD_PROFILE_FILTER_NAMES_H

#include "profile/filter.h"

/** Whether any part of @p filter looks at names. */
bool prof_filter_needs_names(const struct prof_filter *filter);

/**
 * Remove the samples of @p profile that @p filter leaves out by the names in their stacks, and the
 * frames that it leaves out of the others. Frames have been named. Errors: no memory.
 */
struct pd_error *prof_filter_by_names(
	const struct prof_filter *filter, struct profile *profile) pd_must_check;

#endif
