/**
 * @file The options of pdconv/capture.h, struct pd_capture_opts: what they say about a session.
 */
#ifndef PD_CAPTURE_CAPTURE_OPTS_H
#define PD_CAPTURE_CAPTURE_OPTS_H

#include <pdconv/capture.h>

#include "capture/session.h"

/**
 * Set the events and the sampling of @p session, of which only the target is set, from @p opts.
 * Errors: USAGE, there is no such event.
 */
struct pd_error *cap_capture_opts_apply(
	const struct pd_capture_opts *opts, struct cap_session *session) pd_must_check;

/**
 * Return @p opts with CAP_DEFAULT_STACK_BYTES of stack, unless they say something about stacks:
 * stack_bytes, callchain or attrs.
 */
struct pd_capture_opts cap_capture_opts_with_stack(const struct pd_capture_opts *opts);

/**
 * Apply @p opts and open the events on one stack level, so that the caller can read the rings
 * itself. Close the session even if this fails.
 */
struct pd_error *cap_capture_opts_open(
	const struct pd_capture_opts *opts, struct cap_session *session) pd_must_check;

#endif
