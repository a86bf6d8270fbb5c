#include "capture/registration.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "capture/capture_opts.h"
#include "capture/tracing.h"
#include "parse/events_private.h"

struct cap_registration *cap_registration_create(pd_on_sample *fn, void *ctx)
{
	struct cap_registration *registration = calloc(1, sizeof(*registration));

	if (!registration)
		return NULL;
	cap_recording_init(&registration->recording);
	registration->fn = fn;
	registration->ctx = ctx;
	return registration;
}

void cap_registration_destroy(struct cap_registration *registration)
{
	pd_tracing_destroy(registration->tracing);
	cap_session_close(&registration->recording.session);
	cap_recording_deinit(&registration->recording);
	free(registration);
}

struct names {
	PD_VEC(const char *) list;
};

static void names_deinit(struct names *names)
{
	pd_vec_deinit(&names->list);
}

static struct pd_error *list_tracepoints(const struct cap_events *events, struct names *ret)
{
	for (size_t i = 0; i < events->list.n; i++) {
		const struct cap_event *event = &events->list.data[i];

		if (event->is_tracepoint && !pd_vec_push(&ret->list, event->name))
			return &pd_enomem;
	}
	return NULL;
}

static struct pd_error *parse_formats(
	struct cap_registration *registration, const struct names *names, struct pd_bytes *bytes)
{
	const char *wrong;
	struct pd_error *err = cap_tracing_data(NULL, names->list.data, names->list.n, bytes);

	if (err)
		return err;
	return pd_tracing_create(bytes->buf.data, bytes->buf.n, &registration->tracing, &wrong);
}

static struct pd_error *read_tracing(struct cap_registration *registration)
{
	_cleanup_(names_deinit) struct names names = { 0 };
	_cleanup_(pd_bytes_deinit) struct pd_bytes bytes = { 0 };
	struct pd_error *err = list_tracepoints(&registration->recording.events, &names);

	if (err || !names.list.n)
		return err;
	return parse_formats(registration, &names, &bytes);
}

struct pd_error *cap_registration_open(struct cap_registration *registration,
	const struct pd_capture_opts *opts, struct cap_recording *rings)
{
	struct cap_recording *recording = &registration->recording;
	struct pd_capture_opts own = *opts;

	/* System-wide events see new threads anyway. */
	own.ring_pages = rings->opts.pages;
	own.tracking = false;
	own.inherit = !recording->target.is_system_wide;
	recording->session.output = &rings->session;
	struct pd_error *err = cap_capture_opts_open(&own, recording);
	return err ? err : read_tracing(registration);
}

static struct pd_trace_values find_fields(const struct cap_registration *registration,
	const struct pd_event *event, const struct pd_sample *sample)
{
	const struct pd_tracepoint *tracepoint =
		registration->tracing && event->attr.type == PD_TYPE_TRACEPOINT
			? pd_tracing_find(registration->tracing, event->attr.config)
			: NULL;

	return tracepoint ? pd_trace_values(registration->tracing, tracepoint, &sample->raw)
			  : (struct pd_trace_values){ 0 };
}

struct pd_error *cap_registration_deliver(const struct cap_registration *registration,
	const struct pd_event *event, const struct pd_record *rec)
{
	struct pd_sample sample;
	const char *wrong;

	if (pd_sample_decode(&event->plan, rec, &sample, &wrong) == PD_SAMPLE_SHORT)
		return pd_error_create(
			PD_ERROR_FORMAT, "ring buffer", "SAMPLE: truncated in %s", wrong);
	const struct pd_monitor_sample monitored = {
		.id = registration->id,
		.event = event,
		.record = rec,
		.sample = &sample,
		.fields = find_fields(registration, event, &sample),
	};
	return registration->fn(registration->ctx, &monitored);
}
