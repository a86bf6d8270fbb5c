/**
 * @file Details: fields of a single sample in addition to its stack and its period.
 */
#ifndef PD_RESOLVE_DETAIL_H
#define PD_RESOLVE_DETAIL_H

#include <pdconv/error.h>

#include "resolve/batch/batch.h"
#include "resolve/stacks/frames.h"
#include "profile/profile.h"
#include "profile/request.h"

/** Whether samples of @p event get rows. */
static inline bool resolve_wants_row(
	const struct prof_request *request, const struct pd_event *event)
{
	return request->rows && (!request->only_traces || event->attr.type == PD_TYPE_TRACEPOINT);
}

/**
 * Whether rows of samples of @p event have neither texts nor details, or if @p request asks for no
 * rows.
 */
bool resolve_has_plain_rows(const struct prof_request *request, const struct pd_event *event);

/** The fields to keep of samples of @p event with rows: a bit for each enum prof_field. */
uint32_t resolve_detail_wanted(const struct prof_request *request, const struct pd_event *event);

/**
 * Fill @p ret with the fields @p wanted (a bit for each enum prof_field) of the sample of @p item.
 * Frames at its addresses are added to @p profile, so that they are named. Errors: NOMEM.
 */
struct pd_error *resolve_detail_fill(uint32_t wanted, struct profile *profile,
	struct resolve_frames *frames, const struct resolve_item *item,
	struct prof_detail *ret) pd_must_check;

#endif
