/**
 * @file Edges of the control flow in the branch stacks of samples.
 */
#ifndef PD_RESOLVE_EDGES_H
#define PD_RESOLVE_EDGES_H

#include <pdconv/error.h>

#include "profile/profile.h"
#include "resolve/batch/batch.h"
#include "resolve/stacks/frames.h"

/**
 * Count the branches of @p item, a sample of @p event, as edges of @p profile. Frames at their ends
 * are added, so that they are named. Errors: NOMEM.
 */
struct pd_error *resolve_edges_add(struct profile *profile, struct resolve_frames *frames,
	const struct pd_event *event, const struct resolve_item *item) pd_must_check;

#endif
