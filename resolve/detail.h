/**
 * @file What a sample says beside where it was and what it counts for.
 */
#ifndef PD_RESOLVE_DETAIL_H
#define PD_RESOLVE_DETAIL_H

#include <pdconv/error.h>

#include "resolve/batch.h"
#include "resolve/frames.h"
#include "profile/profile.h"

/**
 * The parts @p wanted (bits of attr.sample_type) of the sample of @p item, which is of a file of the
 * order @p swap. Addresses get frames in @p profile, so that they are named. Errors: no memory.
 */
struct pd_error *resolve_detail_make(uint64_t wanted, struct profile *profile,
	struct resolve_frames *frames, const struct resolve_item *item, bool swap,
	struct prof_detail *ret) pd_must_check;

#endif
