/**
 * @file Events that were registered with a monitor as one, and the function that gets their
 * samples.
 */
#ifndef PD_CAPTURE_REGISTRATION_H
#define PD_CAPTURE_REGISTRATION_H

#include <pdconv/capture.h>

#include "capture/recording.h"

struct cap_registration {
	/** 0: unregistered, and to be destroyed before the next sample. */
	uint32_t id;
	/** Its session writes to the rings of the monitor. */
	struct cap_recording recording;
	/** Fields of its tracepoints; NULL: it has none. */
	struct pd_tracing *tracing;
	pd_on_sample *fn;
	void *ctx;
};

/** Create a registration without a target, whose samples go to @p fn. NULL: no memory. */
struct cap_registration *cap_registration_create(pd_on_sample *fn, void *ctx) pd_must_check;
/** Close its events and free it. */
void cap_registration_destroy(struct cap_registration *registration);

/**
 * Open the events of @p opts for the target of the recording, which has been set, so that they
 * write to @p rings. Errors: USAGE, OS.
 */
struct pd_error *cap_registration_open(struct cap_registration *registration,
	const struct pd_capture_opts *opts, struct cap_recording *rings) pd_must_check;

/**
 * Hand a sample of @p event to the function. Errors: FORMAT, @p rec is truncated; those of the
 * function.
 */
struct pd_error *cap_registration_deliver(const struct cap_registration *registration,
	const struct pd_event *event, const struct pd_record *rec) pd_must_check;

#endif
