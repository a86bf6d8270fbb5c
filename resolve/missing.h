/**
 * @file Debug files that binaries refer to and that were not found when frames were named.
 */
#ifndef PD_RESOLVE_MISSING_H
#define PD_RESOLVE_MISSING_H

#include "resolve/binaries.h"
#include "profile/profile.h"

/**
 * Set `why` of binaries that were found to the split and supplementary debug files that were not
 * found. Frames have been named. Errors: no memory.
 */
struct pd_error *resolve_note_missing(
	struct profile *profile, struct resolve_binaries *binaries) pd_must_check;

#endif
