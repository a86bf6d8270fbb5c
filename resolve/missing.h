/**
 * @file Files that binaries lead to and that were not found when frames were named.
 */
#ifndef PD_RESOLVE_MISSING_H
#define PD_RESOLVE_MISSING_H

#include "resolve/binaries.h"
#include "profile/profile.h"

/**
 * Let `why` of the profile's binaries tell which split and supplementary debug files were missed,
 * where the binary itself was found. Frames have been named. Errors: no memory.
 */
struct pd_error *resolve_note_missing(
	struct profile *profile, struct resolve_binaries *binaries) pd_must_check;

#endif
