/**
 * @file Several profiles as one.
 */
#ifndef PD_PROFILE_MERGE_H
#define PD_PROFILE_MERGE_H

#include <pdconv/error.h>

#include "profile/profile.h"

/**
 * Add all that @p from says to @p into. What is equal is there once: events of one name and unit,
 * threads of one id and name, and binaries of one name and build, if neither names the same address
 * differently; kernels only if they were at the same addresses, generated code never. Times add up,
 * facts about the recordings that differ stand one behind the other. Samples are told apart by
 * prof_tags.input, if they have it; single ones (rows and what goes with them) are not taken over. After an error (no memory) @p into is of no use.
 */
struct pd_error *profile_merge(struct profile *into, const struct profile *from) pd_must_check;

#endif
