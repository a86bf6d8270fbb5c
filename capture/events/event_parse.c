/* pd_event_parse: event lists for programs that record without capture/. */
#include <pdconv/event_parse.h>

#include <stdlib.h>

#include "base/reserved.h"
#include "capture/events/event_list.h"

struct pd_parsed_events_state {
	/** Owns the strings of the list. */
	struct cap_events events;
	PD_VEC(struct pd_parsed_event) list;
};

void pd_parsed_events_deinit(struct pd_parsed_events *events)
{
	if (events->state) {
		cap_events_deinit(&events->state->events);
		pd_vec_deinit(&events->state->list);
		free(events->state);
	}
	*events = (struct pd_parsed_events){ 0 };
}

/* Add the position to an error about a word. */
static struct pd_error *add_position(struct pd_error *err, size_t at)
{
	if (err->code != PD_ERROR_USAGE)
		return err;
	struct pd_error *ret = pd_error_create(
		PD_ERROR_USAGE, NULL, "%s (at character %zu)", err->message, at + 1);
	pd_error_destroy(err);
	return ret;
}

static struct pd_parsed_event show(const struct cap_event *event)
{
	return (struct pd_parsed_event){
		.attr = event->attr,
		.name = event->name,
		.group_name = event->group_name,
		.cpus = event->cpus,
		.leader = event->leader,
		.has_period = event->has_period,
		.is_precise_max = event->is_precise_max,
		.reads_group = event->reads_group,
		.is_weak = event->is_weak,
	};
}

static struct pd_error *parse(const char *words, struct pd_parsed_events_state *state)
{
	size_t at;
	struct pd_error *err = cap_events_parse_at(&state->events, words, &at);

	if (err)
		return add_position(err, at);
	for (size_t i = 0; i < state->events.list.n; i++) {
		if (!pd_vec_push(&state->list, show(&state->events.list.data[i])))
			return &pd_enomem;
	}
	return NULL;
}

struct pd_error *pd_event_parse(
	const char *words, const struct pd_event_parse_opts *opts, struct pd_parsed_events *ret)
{
	pd_parsed_events_deinit(ret);
	struct pd_error *refusal =
		opts ? PD_CHECK_RESERVED("struct pd_event_parse_opts", opts) : NULL;
	if (refusal)
		return refusal;
	struct pd_parsed_events parsed = { .state = calloc(1, sizeof(*parsed.state)) };
	if (!parsed.state)
		return &pd_enomem;
	if (opts) {
		parsed.state->events.devices_dir = opts->devices_dir;
		parsed.state->events.tracing_dir = opts->tracing_dir;
	}
	struct pd_error *err = parse(words, parsed.state);
	if (err) {
		pd_parsed_events_deinit(&parsed);
		return err;
	}
	parsed.list = parsed.state->list.data;
	parsed.n = parsed.state->list.n;
	*ret = parsed;
	return NULL;
}
