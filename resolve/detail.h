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
 * The fields @p wanted (a bit for each enum prof_field) of the sample of @p item.
 * Addresses get frames in @p profile, so that they are named. Errors: no memory.
 */
struct pd_error *resolve_detail_make(uint32_t wanted, struct profile *profile,
	struct resolve_frames *frames, const struct resolve_item *item,
	struct prof_detail *ret) pd_must_check;

#endif
