#include "capture/run/registration.h"

#include <stdlib.h>
#include <string.h>

#include "base/analyzer.h"
#include "base/cleanup.h"
#include "capture/capture_opts.h"
#include "capture/events/event_list.h"
#include "capture/events/tracepoint_formats.h"
#include "capture/session_open.h"
#include "parse/event_index.h"

struct cap_registration *cap_registration_create(pd_on_sample *fn, void *ctx)
{
	struct cap_registration *registration = calloc(1, sizeof(*registration));

	if (!registration)
		return NULL;
	cap_session_init(&registration->session);
	registration->fn = fn;
	registration->ctx = ctx;
	return registration;
}

void cap_registration_destroy(struct cap_registration *registration)
{
	pd_tracing_destroy(registration->tracing);
	pd_vec_deinit(&registration->retired);
	cap_session_deinit(&registration->session);
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
	struct pd_error *err = cap_tracing_data_at(
		registration->session.events.tracing_dir, names->list.data, names->list.n, bytes);

	if (err)
		return err;
	return pd_tracing_create(bytes->buf.data, bytes->buf.n, &registration->tracing, &wrong);
}

static struct pd_error *read_tracing(struct cap_registration *registration)
{
	_cleanup_(names_deinit) struct names names = { 0 };
	_cleanup_(pd_bytes_deinit) struct pd_bytes bytes = { 0 };
	struct pd_error *err = list_tracepoints(&registration->session.events, &names);

	if (err || !names.list.n)
		return err;
	return parse_formats(registration, &names, &bytes);
}

struct pd_error *cap_registration_open(struct cap_registration *registration,
	const struct pd_capture_opts *opts, struct cap_session *rings)
{
	struct cap_session *session = &registration->session;
	struct pd_capture_opts own = *opts;

	/* System-wide events see new threads anyway. */
	own.ring_pages = rings->sampling.pages;
	own.tracking = false;
	own.inherit = !session->target.is_system_wide;
	session->output = rings;
	struct pd_error *err = cap_capture_opts_open(&own, session);
	return err ? err : read_tracing(registration);
}

struct pd_trace_values cap_registration_fields(const struct cap_registration *registration,
	const struct pd_event *event, const struct pd_sample *sample)
{
	const struct pd_tracepoint *tracepoint =
		registration->tracing && event->attr.type == PD_TYPE_TRACEPOINT
			? pd_tracing_find(registration->tracing, event->attr.config)
			: NULL;

	return tracepoint ? pd_trace_values(registration->tracing, tracepoint, &sample->raw)
			  : (struct pd_trace_values){ 0 };
}

/* Changes of the filter. */

/* Exchange the filters of all events with those in @p filters. */
static void swap_filters(struct cap_events *events, char **filters)
{
	PD_IS_TRUE(filters || !events->list.n, "each event has one");
	for (size_t i = 0; i < events->list.n; i++) {
		char *previous = events->list.data[i].filter;

		events->list.data[i].filter = filters[i];
		filters[i] = previous;
	}
}

struct filters {
	PD_VEC(char *) list;
};

static void filters_deinit(struct filters *filters)
{
	for (size_t i = 0; i < filters->list.n; i++)
		free(filters->list.data[i]);
	pd_vec_deinit(&filters->list);
}

/* Make a copy of @p filter for each event. */
static struct pd_error *make_filters(
	const struct cap_events *events, const char *filter, struct filters *ret)
{
	for (size_t i = 0; i < events->list.n; i++) {
		const struct cap_event *event = &events->list.data[i];
		char *copy = filter ? strdup(filter) : NULL;

		if (!event->is_tracepoint) {
			free(copy);
			return pd_error_create(PD_ERROR_USAGE, NULL,
				"cannot filter event '%s': it is not a tracepoint", event->name);
		}
		if ((filter && !copy) || !pd_vec_push(&ret->list, copy)) {
			free(copy);
			return &pd_enomem;
		}
	}
	return NULL;
}

/* List the events again, to be opened for @p target, which is borrowed. */
static struct pd_error *list_again(
	const struct cap_session *session, const struct cap_target *target, struct cap_session *ret)
{
	*ret = (struct cap_session){
		.target = *target,
		.sampling = session->sampling,
		.output = session->output,
		.has_one_level = true,
	};
	for (size_t i = 0; i < session->opened.n; i++) {
		const struct cap_opened *event = &session->opened.data[i];
		const struct cap_opened again = { .event = event->event,
			.is_in_group = event->is_in_group };

		if (!pd_vec_push(&ret->opened, again))
			return &pd_enomem;
	}
	return NULL;
}

static struct pd_error *retire(struct cap_registration *registration)
{
	const struct cap_session *session = &registration->session;

	registration->n_rounds = 0;
	for (size_t i = 0; i < session->opened.n; i++) {
		const struct cap_opened *event = &session->opened.data[i];

		for (size_t k = 0; k < event->ids.n; k++) {
			const struct cap_retired one = { i, event->ids.data[k] };

			if (!pd_vec_push(&registration->retired, one))
				return &pd_enomem;
		}
	}
	return NULL;
}

/*
 * Disable the events of @p session and enable those of @p next, so that no occurrence has a sample
 * of both. Those in between have none.
 */
static struct pd_error *hand_over(struct cap_session *session, struct cap_session *next)
{
	if (!session->is_enabled)
		return NULL;
	struct pd_error *err = cap_session_enable(session, false);
	if (!err)
		err = cap_session_enable(next, true);
	if (err)
		pd_error_destroy(cap_session_enable(session, true));
	return err;
}

static struct pd_error *open_next(struct cap_registration *registration,
	const struct cap_target *target, struct cap_session *next)
{
	struct pd_error *err = list_again(&registration->session, target, next);

	if (err)
		return err;
	err = cap_session_open(next);
	if (err)
		return err;
	err = retire(registration);
	return err ? err : hand_over(&registration->session, next);
}

/* Close the instances of the events, and forget the list of them. */
static void close_events(struct cap_session *session)
{
	cap_session_close(session);
	pd_vec_deinit(&session->opened);
}

struct pd_error *cap_registration_set_filter(struct cap_registration *registration,
	const struct cap_target *target, const char *filter, uint64_t *n_lost_ret)
{
	struct cap_session *session = &registration->session;
	struct cap_events *events = &registration->session.events;
	_cleanup_(filters_deinit) struct filters filters = { 0 };
	size_t n_retired = registration->retired.n;
	struct cap_session next = { 0 };
	struct pd_error *err = make_filters(events, filter, &filters);

	if (err)
		return err;
	/*
	 * The kernel sets the filter of a tracepoint once (EEXIST in ftrace_profile_set_filter()),
	 * so other instances of the events take over.
	 */
	swap_filters(events, filters.list.data);
	err = open_next(registration, target, &next);
	if (err) {
		swap_filters(events, filters.list.data);
		registration->retired.n = n_retired;
		close_events(&next);
		return err;
	}
	*n_lost_ret = cap_session_n_lost(session);
	close_events(session);
	session->opened = next.opened;
	session->carriers = next.carriers;
	session->is_enabled = next.is_enabled;
	session->n_lost_closed = 0;
	return NULL;
}

struct pd_error *cap_registration_list_events(
	const struct cap_registration *registration, struct pd_events *events)
{
	uint32_t first = (uint32_t)events->list.n;
	struct pd_error *err = cap_session_list_events(&registration->session, events);

	for (size_t i = 0; !err && i < registration->retired.n; i++) {
		const struct cap_retired *one = &registration->retired.data[i];

		err = parse_events_add_id(events, one->id, first + (uint32_t)one->event);
	}
	return err;
}

bool cap_registration_age(struct cap_registration *registration)
{
	/* The next round reads the last samples, and at the end of the third they are delivered. */
	enum { MOST_ROUNDS = 3 };

	if (!registration->retired.n || ++registration->n_rounds <= MOST_ROUNDS)
		return false;
	registration->retired.n = 0;
	return true;
}
