/* Setting up a session: its events, and how they are sampled. */
#include "capture/session.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "parse/event_index.h"

/*
 * Copies of stacks need room. Users other than root may lock no more than the default
 * (perf_event_mlock_kb).
 */
enum { DEFAULT_PAGES = 128, PAGES_FOR_STACKS = 1024 };

void cap_session_init(struct cap_session *session)
{
	*session = (struct cap_session){ .sampling = { .clock = -1 } };
	cap_target_init(&session->target);
}

void cap_session_remove_probes(struct cap_session *session)
{
	cap_probes_destroy(session->probes);
	session->probes = NULL;
}

void cap_session_deinit(struct cap_session *session)
{
	cap_session_close(session);
	cap_session_remove_probes(session);
	pd_vec_deinit(&session->opened);
	cap_events_deinit(&session->events);
	cap_target_deinit(&session->target);
}

struct pd_error *cap_session_add_events(struct cap_session *session, const char *words)
{
	static const char prefix[] = "probe:";
	size_t len = strlen(prefix);

	if (strncmp(words, prefix, len) != 0)
		return cap_events_parse(&session->events, words);
	if (!session->probes) {
		struct pd_error *err =
			cap_probes_create(session->events.tracing_dir, &session->probes);

		if (err)
			return err;
	}
	return cap_probe_add(session->probes, words + len, &session->events);
}

struct pd_error *cap_session_add_default(struct cap_session *session)
{
	const struct cap_target *target = &session->target;
	pid_t tid = target->is_system_wide ? -1 : 0;
	int cpu = target->is_system_wide ? target->cpus.data[0] : -1;
	struct pd_error *err = cap_default_event(tid, cpu, &session->default_event);

	if (err)
		return err;
	session->is_default = true;
	if (pd_vec_push(&session->events.list, session->default_event.event))
		return NULL;
	cap_event_deinit(&session->default_event.event);
	return &pd_enomem;
}

static void set_rings(struct cap_sampling *sampling)
{
	bool has_stacks = sampling->stacks == CAP_STACKS_DWARF;

	if (!sampling->pages)
		sampling->pages = has_stacks && geteuid() == 0 ? PAGES_FOR_STACKS : DEFAULT_PAGES;
	sampling->ring_bytes = sampling->pages * (size_t)sysconf(_SC_PAGESIZE);
}

struct pd_error *cap_session_prepare(struct cap_session *session)
{
	size_t n = session->events.list.n;

	set_rings(&session->sampling);
	for (size_t i = 0; i < n; i++) {
		struct cap_event *event = &session->events.list.data[i];
		/* The entry points into the list, so no event may be added from here on. */
		const struct cap_opened entry = { .event = event };

		cap_sampling_apply(&session->sampling, &session->events, i);
		if (!pd_vec_push(&session->opened, entry))
			return &pd_enomem;
	}
	for (size_t i = 0; i < n; i++) {
		size_t leader = session->events.list.data[i].leader;

		session->opened.data[i].is_in_group |= leader != i;
		session->opened.data[leader].is_in_group |= leader != i;
	}
	return NULL;
}

static struct pd_error *list_event(const struct cap_opened *event, struct pd_events *events)
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
	for (size_t i = 0; i < session->opened.n; i++) {
		struct pd_error *err = list_event(&session->opened.data[i], events);

		if (err)
			return err;
	}
	return pd_events_finish(events, 0);
}
