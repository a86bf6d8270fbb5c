#include "capture/session.h"

#include <linux/perf_event.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <pdconv/sample.h>

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
	struct pd_error *err = parse_events_add(events, &event->event->attr);

	if (err)
		return err;
	err = parse_events_set_name(events, index, PD_NAME_EVENT_DESC, name, strlen(name));
	if (err)
		return err;
	for (size_t i = 0; i < event->ids.n; i++) {
		err = parse_events_add_id(events, event->ids.data[i], index);
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
	return parse_events_finish(events, 0);
}

bool cap_has_hung_up(int fd)
{
	struct pollfd ready = { .fd = fd };

	return fd < 0 || (poll(&ready, 1, 0) == 1 && ready.revents & POLLHUP);
}

void cap_session_close(struct cap_session *session)
{
	for (size_t i = 0; i < session->rings.n; i++)
		cap_ring_unmap(&session->rings.data[i].ring);
	pd_vec_deinit(&session->rings);
	for (size_t i = 0; i < session->opened.n; i++) {
		struct cap_opened *event = &session->opened.data[i];

		for (size_t k = 0; k < event->fds.n; k++) {
			if (event->fds.data[k] >= 0)
				close(event->fds.data[k]);
		}
		pd_vec_deinit(&event->fds);
		pd_vec_deinit(&event->ids);
	}
	for (size_t i = 0; i < session->carriers.n; i++)
		close(session->carriers.data[i].fd);
	pd_vec_deinit(&session->carriers);
}

/* Stack levels. */

size_t cap_session_n_levels(const struct cap_session *session, const struct cap_opened *event)
{
	return event->event->attr.sample_stack_user && !event->is_in_group &&
			       !session->has_one_level
		       ? CAP_N_LEVELS
		       : 1;
}

/* Enable or disable the events on @p level; with @p all also those that have one level only. */
static struct pd_error *switch_level(
	struct cap_session *session, size_t level, bool is_enabled, bool all)
{
	unsigned long request = is_enabled ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE;

	for (size_t i = 0; i < session->opened.n; i++) {
		const struct cap_opened *event = &session->opened.data[i];
		size_t n = cap_session_n_levels(session, event);

		/* Members of a group run while their leader does. */
		if (event->event->leader != i)
			continue;
		for (size_t k = n > 1 ? level : 0; (n > 1 || all) && k < event->fds.n; k += n) {
			if (event->fds.data[k] >= 0 && ioctl(event->fds.data[k], request, 0) < 0)
				return pd_error_os(
					event->event->name, "cannot be enabled or disabled");
		}
	}
	return NULL;
}

struct pd_error *cap_session_enable(struct cap_session *session, bool is_enabled)
{
	session->is_enabled = is_enabled;
	return switch_level(session, session->level, is_enabled, true);
}

/*
 * MMAP and COMM records come from enabled events, so the new level is enabled before the old one is
 * disabled. A child that is created meanwhile may be missed by either: the kernel copies the state
 * of an event before it lists the child. The second time finds children that the first one missed.
 */
struct pd_error *cap_session_confirm_level(struct cap_session *session, size_t old_level)
{
	struct pd_error *err = switch_level(session, session->level, true, false);

	if (!err)
		err = switch_level(session, session->level, true, false);
	return err ? err : switch_level(session, old_level, false, false);
}

struct pd_error *cap_session_set_level(struct cap_session *session, size_t level)
{
	size_t old = session->level;

	session->level = level;
	return session->is_enabled && level != old ? cap_session_confirm_level(session, old) : NULL;
}

bool cap_session_has_levels(const struct cap_session *session)
{
	for (size_t i = 0; i < session->opened.n; i++) {
		if (cap_session_n_levels(session, &session->opened.data[i]) > 1)
			return true;
	}
	return false;
}

/* Counters. */

bool cap_counters_read(int fd, uint64_t format, struct cap_counters *ret)
{
	ssize_t n = read(fd, ret->words, sizeof(ret->words));
	const struct pd_view bytes = {
		.data = (const uint8_t *)ret->words,
		.elem_size = 1,
		.n = n > 0 ? (uint64_t)n : 0,
	};

	return pd_read_decode(&bytes, format, &ret->read);
}

size_t cap_session_counter_of(const struct cap_session *session, size_t i)
{
	size_t leader = session->opened.data[i].event->leader;

	return session->opened.data[leader].event->attr.read_format & PD_READ_GROUP ? leader : i;
}

static uint64_t read_lost(int fd, uint64_t format)
{
	struct cap_counters counters;
	uint64_t sum = 0;

	if (!cap_counters_read(fd, format, &counters))
		return 0;
	for (uint64_t i = 0; i < counters.read.values.n; i++)
		sum += pd_read_value(&counters.read, i).lost;
	return sum;
}

uint64_t cap_session_count_lost(const struct cap_session *session, size_t i, int fd)
{
	uint64_t format = session->opened.data[i].event->attr.read_format;

	if (fd < 0 || !(format & PD_READ_LOST) || cap_session_counter_of(session, i) != i)
		return 0;
	return read_lost(fd, format);
}

uint64_t cap_session_n_lost(const struct cap_session *session)
{
	uint64_t n = session->n_lost_closed;

	for (size_t i = 0; i < session->opened.n; i++) {
		const struct cap_opened *event = &session->opened.data[i];
		for (size_t k = 0; k < event->fds.n; k++)
			n += cap_session_count_lost(session, i, event->fds.data[k]);
	}
	return n;
}
