#include "capture/capture_opts.h"

#include <string.h>

#include "parse/events_private.h"

static struct pd_error *apply_stacks(
	const struct pd_capture_opts *opts, struct cap_sampling *sampling)
{
	uint64_t bytes = ((uint64_t)opts->stack_bytes + 7) / 8 * 8;

	sampling->no_kernel_chain = opts->no_kernel_chain;
	if (opts->callchain)
		sampling->stacks = CAP_STACKS_FP;
	if (!bytes)
		return NULL;
	if (bytes > CAP_MAX_STACK_BYTES)
		return pd_error_create(PD_ERROR_USAGE, NULL,
			"invalid stack_bytes %llu: a sample holds at most %d bytes of the stack",
			(unsigned long long)bytes, CAP_MAX_STACK_BYTES);
	sampling->stacks = CAP_STACKS_DWARF;
	sampling->stack_bytes = (uint32_t)bytes;
	return cap_sampling_use_regs(sampling, NULL);
}

static struct pd_error *apply_sampling(
	const struct pd_capture_opts *opts, struct cap_recording *recording)
{
	struct cap_sampling *sampling = &recording->sampling;

	if (opts->frequency && opts->period)
		return pd_error_create(
			PD_ERROR_USAGE, NULL, "frequency and period exclude each other");
	if (opts->ring_pages & (opts->ring_pages - 1))
		return pd_error_create(PD_ERROR_USAGE, NULL,
			"invalid ring_pages %zu: expected a power of two",
			(size_t)opts->ring_pages);
	recording->opts.pages = opts->ring_pages;
	sampling->frequency = opts->frequency;
	sampling->period = opts->period;
	sampling->inherit = opts->inherit;
	sampling->with_cpu = true;
	return apply_stacks(opts, sampling);
}

static struct pd_error *apply_events(
	const struct pd_capture_opts *opts, struct cap_recording *recording)
{
	struct pd_error *err = opts->event ? cap_recording_add_events(recording, opts->event)
					   : cap_recording_add_default(recording);

	if (err)
		return err;
	if (opts->filter) {
		err = cap_event_set_filter(&recording->events, opts->filter);
		if (err)
			return err;
	}
	for (size_t i = 0; i < recording->events.list.n && opts->user_only; i++)
		cap_event_user_only(&recording->events.list.data[i]);
	return NULL;
}

struct pd_error *cap_capture_opts_apply(
	const struct pd_capture_opts *opts, struct cap_recording *recording)
{
	struct pd_error *err = apply_sampling(opts, recording);

	return err ? err : apply_events(opts, recording);
}

struct pd_error *cap_capture_opts_open(
	const struct pd_capture_opts *opts, struct cap_recording *recording)
{
	struct pd_error *err = cap_capture_opts_apply(opts, recording);

	if (err)
		return err;
	recording->sampling.no_tracking = !opts->tracking;
	recording->sampling.with_ids = true;
	recording->session.has_one_level = true;
	err = cap_recording_prepare(recording);
	if (err)
		return err;
	return cap_session_open(&recording->session, &recording->target, recording->opts.pages);
}

static struct pd_error *list_event(const struct cap_session_event *event, struct pd_events *events)
{
	const char *name = event->event->name;
	uint32_t index = (uint32_t)events->list.n;
	struct pd_error *err = pd_events_add(events, &event->event->attr);

	if (err)
		return err;
	err = pd_events_set_name(events, index, PD_NAME_EVENT_DESC, name, strlen(name));
	if (err)
		return err;
	for (size_t i = 0; i < event->ids.n; i++) {
		err = pd_events_add_id(events, event->ids.data[i], index);
		if (err)
			return err;
	}
	return NULL;
}

struct pd_error *cap_session_list_events(
	const struct cap_session *session, struct pd_events *events)
{
	for (size_t i = 0; i < session->events.n; i++) {
		struct pd_error *err = list_event(&session->events.data[i], events);

		if (err)
			return err;
	}
	return pd_events_finish(events, 0);
}

bool cap_ring_record(
	const struct pd_events *events, const uint8_t *bytes, size_t size, struct pd_record *ret)
{
	struct cap_record_header header;

	if (!cap_record_header_read(bytes, size, &header))
		return false;
	*ret = (struct pd_record){
		.type = header.type,
		.misc = header.misc,
		.size = header.size,
		.bytes = bytes,
	};
	ret->time = pd_events_time(events, ret);
	return true;
}
