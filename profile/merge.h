/**
 * @file Merging profiles.
 */
#ifndef PD_PROFILE_MERGE_H
#define PD_PROFILE_MERGE_H

#include <pdconv/error.h>

#include "profile/profile.h"

/**
 * Add the samples of @p from to @p into. Events with the same name and unit become one event,
 * threads with the same ids and name one thread. Binaries with the same name and build id become
 * one binary, unless they name the same address differently; kernels only if they were loaded at
 * the same address, and generated code never. Durations are summed, and facts that differ are
 * joined with "; ".
 *
 * Samples stay distinguishable by prof_tags.input if they have it. Rows, details and notes are not
 * merged. Errors: NOMEM; @p into is then incomplete and can only be destroyed.
 */
struct pd_error *prof_merge(struct profile *into, const struct profile *from) pd_must_check;

#endif
