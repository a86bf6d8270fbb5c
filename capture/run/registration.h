/**
 * @file Events that were registered with a monitor as one, and the function that gets their
 * samples.
 */
#ifndef PD_CAPTURE_RUN_REGISTRATION_H
#define PD_CAPTURE_RUN_REGISTRATION_H

#include <pdconv/capture.h>

#include "capture/session.h"

/** Id of an instance that was closed. */
struct cap_retired {
	/** Index of the event in its registration. */
	size_t event;
	uint64_t id;
};

struct cap_registration {
	/** 0: unregistered, and to be destroyed before the next sample. */
	uint32_t id;
	/** Its session writes to the rings of the monitor. */
	struct cap_session session;
	/** Fields of its tracepoints; NULL: it has none. */
	struct pd_tracing *tracing;
	/** NULL: it has no samples. */
	pd_on_sample *fn;
	void *ctx;
	/**
	 * Ids of events that were closed when the filter changed. Their samples may be in rings and
	 * in the queue for some rounds.
	 */
	PD_VEC(struct cap_retired) retired;
	unsigned n_rounds;
};

/** Create a registration without a target, whose samples go to @p fn. NULL: no memory. */
struct cap_registration *cap_registration_create(pd_on_sample *fn, void *ctx) pd_must_check;
/** Close its events and free it. */
void cap_registration_destroy(struct cap_registration *registration);

/**
 * Open the events of @p opts for the target of the session, which has been set, so that they
 * write to @p rings. Errors: USAGE, OS.
 */
struct pd_error *cap_registration_open(struct cap_registration *registration,
	const struct pd_capture_opts *opts, struct cap_session *rings) pd_must_check;

/**
 * Replace the filter of the tracepoints, and open them for @p target, which has the CPUs of the
 * rings. @p filter NULL: no filter. @p n_lost_ret is the number of records that were lost by the
 * events that are closed. After an error everything is as before. Errors: USAGE, an event is not a
 * tracepoint; OS; NOMEM.
 */
struct pd_error *cap_registration_set_filter(struct cap_registration *registration,
	const struct cap_target *target, const char *filter, uint64_t *n_lost_ret) pd_must_check;

/** Append the events and their ids, retired ones too, to @p events. Errors: NOMEM. */
struct pd_error *cap_registration_list_events(
	const struct cap_registration *registration, struct pd_events *events) pd_must_check;

/**
 * Note the end of a round of reading rings and delivering. Returns whether retired ids were
 * dropped, so that events have to be listed again.
 */
bool cap_registration_age(struct cap_registration *registration);

/** Fields of a sample of a tracepoint; empty for other events. */
struct pd_trace_values cap_registration_fields(const struct cap_registration *registration,
	const struct pd_event *event, const struct pd_sample *sample);

#endif
