#include "capture/ask.h"

#include <string.h>

#include "parse/events_private.h"

static struct pd_error *ask_stacks(
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
			"samples hold %d bytes of the stack at most", CAP_MAX_STACK_BYTES);
	sampling->stacks = CAP_STACKS_DWARF;
	sampling->stack_bytes = (uint32_t)bytes;
	return cap_sampling_use_regs(sampling, NULL);
}

static struct pd_error *ask_sampling(
	const struct pd_capture_opts *opts, struct cap_recording *recording)
{
	struct cap_sampling *sampling = &recording->sampling;

	if (opts->frequency && opts->period)
		return pd_error_create(
			PD_ERROR_USAGE, NULL, "frequency and period say the same thing twice");
	if (opts->ring_pages & (opts->ring_pages - 1))
		return pd_error_create(PD_ERROR_USAGE, NULL, "pages of a ring are a power of two");
	recording->opts.pages = opts->ring_pages;
	sampling->frequency = opts->frequency;
	sampling->period = opts->period;
	sampling->inherit = opts->inherit;
	sampling->with_cpu = true;
	return ask_stacks(opts, sampling);
}

static struct pd_error *ask_events(
	const struct pd_capture_opts *opts, struct cap_recording *recording)
{
	struct pd_error *err = opts->event ? cap_recording_add_events(recording, opts->event)
					   : cap_recording_add_usual(recording);

	if (!err && opts->filter)
		err = cap_event_set_filter(&recording->events, opts->filter);
	for (size_t i = 0; i < recording->events.list.n && !err && opts->user_only; i++)
		cap_event_user_only(&recording->events.list.data[i]);
	return err;
}

struct pd_error *cap_ask(const struct pd_capture_opts *opts, struct cap_recording *recording)
{
	struct pd_error *err = ask_sampling(opts, recording);

	return err ? err : ask_events(opts, recording);
}

struct pd_error *cap_ask_open(const struct pd_capture_opts *opts, struct cap_recording *recording)
{
	struct pd_error *err = cap_ask(opts, recording);

	recording->sampling.no_tracking = !opts->tracking;
	recording->sampling.with_ids = true;
	recording->session.has_one_level = true;
	if (!err)
		err = cap_recording_prepare(recording);
	return err ? err
		   : cap_session_open(
			     &recording->session, &recording->target, recording->opts.pages);
}

struct pd_error *cap_list_open(const struct cap_session *session, struct pd_events *events)
{
	struct pd_error *err = NULL;

	for (size_t i = 0; i < session->events.n && !err; i++) {
		const struct cap_session_event *event = &session->events.data[i];
		const char *name = event->event->name;
		uint32_t index = (uint32_t)events->list.n;

		err = pd_events_add(events, &event->event->attr);
		if (!err)
			err = pd_events_set_name(
				events, index, PD_NAME_EVENT_DESC, name, strlen(name));
		for (size_t k = 0; k < event->ids.n && !err; k++)
			err = pd_events_add_id(events, event->ids.data[k], index);
	}
	return err ? err : pd_events_finish(events);
}

bool cap_record_at(
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
