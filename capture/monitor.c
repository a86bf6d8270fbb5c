/* Events that come and go, and their samples in the order of time. */
#include <pdconv/capture.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/chunk.h"
#include "base/cleanup.h"
#include "capture/ask.h"
#include "capture/tracing.h"
#include "parse/events_private.h"
#include "parse/order.h"

/* So often rings are looked at, milliseconds; a sample waits for two looks, lest an older one comes. */
enum { PATIENCE = 100, MAX_READY = 64 };

struct registration {
	/** 0: unregistered, and to be forgotten. */
	uint32_t id;
	/** Its session writes to the rings of the monitor. */
	struct cap_recording recording;
	/** Of its tracepoints; NULL: not known. */
	struct pd_tracing *tracing;
	pd_on_sample *fn;
	void *ctx;
};

struct pd_monitor {
	/** An event that counts nothing, for its rings. */
	struct cap_recording rings;
	PD_VEC(pid_t) pids;
	PD_VEC(char *) cgroups;
	PD_VEC(struct registration *) registrations;
	/** Those of all registrations, and of each the place of its registration. */
	struct pd_events events;
	PD_VEC(size_t) owners;
	/** Registrations have changed since these were made. */
	bool is_stale;
	struct pd_order order;
	int epoll_fd;
	int stop_fd;
	uint32_t last_id;
	/** As LOST records say; and as events do that are gone. */
	uint64_t n_told_lost;
	uint64_t n_lost_before;
};

static void destroy_registration(struct registration *registration)
{
	pd_tracing_destroy(registration->tracing);
	cap_session_close(&registration->recording.session);
	cap_recording_deinit(&registration->recording);
	free(registration);
}

void pd_monitor_destroy(struct pd_monitor *monitor)
{
	if (!monitor)
		return;
	for (size_t i = 0; i < monitor->registrations.n; i++)
		destroy_registration(monitor->registrations.data[i]);
	pd_vec_deinit(&monitor->registrations);
	pd_order_deinit(&monitor->order);
	pd_events_deinit(&monitor->events);
	pd_vec_deinit(&monitor->owners);
	for (size_t i = 0; i < monitor->cgroups.n; i++)
		free(monitor->cgroups.data[i]);
	pd_vec_deinit(&monitor->cgroups);
	pd_vec_deinit(&monitor->pids);
	cap_session_close(&monitor->rings.session);
	cap_recording_deinit(&monitor->rings);
	if (monitor->stop_fd >= 0)
		close(monitor->stop_fd);
	if (monitor->epoll_fd >= 0)
		close(monitor->epoll_fd);
	free(monitor);
}

/* Rings. */

/* Everybody may write to rings of everybody; where these are not allowed, there are ours. */
static struct pd_error *open_rings(struct pd_monitor *monitor, size_t pages, bool is_ours)
{
	const struct pd_capture_opts opts = {
		.event = "dummy", .user_only = true, .ring_pages = pages
	};
	struct cap_recording *rings = &monitor->rings;

	cap_recording_init(rings);
	rings->target.is_system_wide = !is_ours;
	struct pd_error *err = cap_target_use_online_cpus(&rings->target);
	if (!err && is_ours && !pd_vec_push(&rings->target.tids, 0))
		err = &pd_enomem;
	return err ? err : cap_ask_open(&opts, rings);
}

static struct pd_error *make_rings(struct pd_monitor *monitor, size_t pages)
{
	struct pd_error *err = open_rings(monitor, pages, false);

	if (!err || err->code != PD_ERROR_OS)
		return err;
	pd_error_destroy(err);
	cap_recording_deinit(&monitor->rings);
	return open_rings(monitor, pages, true);
}

static struct pd_error *watch(struct pd_monitor *monitor, int fd)
{
	struct epoll_event event = { .events = EPOLLIN, .data = { .fd = fd } };

	if (fd < 0 || epoll_ctl(monitor->epoll_fd, EPOLL_CTL_ADD, fd, &event) < 0)
		return pd_error_os("monitor", "cannot wait for events");
	return NULL;
}

static struct pd_error *watch_all(struct pd_monitor *monitor)
{
	const struct cap_session *rings = &monitor->rings.session;

	monitor->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	monitor->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	struct pd_error *err = watch(monitor, monitor->stop_fd);
	for (size_t i = 0; i < rings->rings.n && !err; i++)
		err = watch(monitor, rings->rings.data[i].fd);
	return err;
}

/* What is monitored. */

static struct pd_error *set_target(const struct pd_monitor *monitor, struct cap_target *target)
{
	const struct cap_session *rings = &monitor->rings.session;
	struct pd_error *err = NULL;

	target->is_system_wide = !monitor->pids.n && !monitor->cgroups.n;
	for (size_t i = 0; i < rings->rings.n; i++) {
		if (!pd_vec_push(&target->cpus, rings->rings.data[i].cpu))
			return &pd_enomem;
	}
	for (size_t i = 0; i < monitor->pids.n && !err; i++)
		err = cap_target_add_process(target, monitor->pids.data[i]);
	for (size_t i = 0; i < monitor->cgroups.n && !err; i++)
		err = cap_target_add_cgroup(target, monitor->cgroups.data[i]);
	return err;
}

static struct pd_error *copy_opts(struct pd_monitor *monitor, const struct pd_monitor_opts *opts)
{
	for (size_t i = 0; i < opts->n_pids; i++) {
		if (!pd_vec_push(&monitor->pids, opts->pids[i]))
			return &pd_enomem;
	}
	for (size_t i = 0; i < opts->n_cgroups; i++) {
		char *name = strdup(opts->cgroups[i]);

		if (!name || !pd_vec_push(&monitor->cgroups, name)) {
			free(name);
			return &pd_enomem;
		}
	}
	return NULL;
}

/* That there is such a process or group is said at once. */
static struct pd_error *try_target(const struct pd_monitor *monitor)
{
	struct cap_target target;

	cap_target_init(&target);
	struct pd_error *err = set_target(monitor, &target);
	cap_target_deinit(&target);
	return err;
}

struct pd_error *pd_monitor_create(const struct pd_monitor_opts *opts, struct pd_monitor **ret)
{
	struct pd_monitor *monitor = calloc(1, sizeof(*monitor));

	if (!monitor)
		return &pd_enomem;
	monitor->epoll_fd = monitor->stop_fd = -1;
	struct pd_error *err = copy_opts(monitor, opts);
	if (!err)
		err = make_rings(monitor, opts->ring_pages);
	if (!err)
		err = try_target(monitor);
	if (!err)
		err = watch_all(monitor);
	if (err) {
		pd_monitor_destroy(monitor);
		return err;
	}
	*ret = monitor;
	return NULL;
}

/* Registrations. */

static struct pd_error *read_tracing(struct registration *registration)
{
	const struct cap_events *events = &registration->recording.events;
	PD_VEC(const char *) names = { 0 };
	struct pd_bytes bytes = { 0 };
	struct pd_error *err = NULL;
	const char *wrong;

	for (size_t i = 0; i < events->list.n && !err; i++) {
		if (events->list.data[i].is_tracepoint &&
			!pd_vec_push(&names, events->list.data[i].name))
			err = &pd_enomem;
	}
	if (!err && names.n)
		err = cap_tracing_data(NULL, names.data, names.n, &bytes);
	if (!err && names.n)
		err = pd_tracing_create(
			bytes.buf.data, bytes.buf.n, &registration->tracing, &wrong);
	pd_bytes_deinit(&bytes);
	pd_vec_deinit(&names);
	return err;
}

static struct pd_error *open_registration(struct pd_monitor *monitor,
	struct registration *registration, const struct pd_capture_opts *opts)
{
	struct cap_recording *recording = &registration->recording;
	struct pd_capture_opts asked = *opts;

	asked.ring_pages = monitor->rings.opts.pages;
	asked.tracking = false;
	struct pd_error *err = set_target(monitor, &recording->target);
	asked.inherit = !recording->target.is_system_wide;
	recording->session.output = &monitor->rings.session;
	if (!err)
		err = cap_ask_open(&asked, recording);
	return err ? err : read_tracing(registration);
}

struct pd_error *pd_monitor_register(struct pd_monitor *monitor, const struct pd_capture_opts *opts,
	pd_on_sample *fn, void *ctx, uint32_t *id_ret)
{
	struct registration *registration = calloc(1, sizeof(*registration));

	if (!registration)
		return &pd_enomem;
	cap_recording_init(&registration->recording);
	registration->fn = fn;
	registration->ctx = ctx;
	struct pd_error *err = open_registration(monitor, registration, opts);
	if (!err && !pd_vec_push(&monitor->registrations, registration))
		err = &pd_enomem;
	if (err) {
		destroy_registration(registration);
		return err;
	}
	monitor->is_stale = true;
	*id_ret = registration->id = ++monitor->last_id;
	return NULL;
}

static struct registration *find(const struct pd_monitor *monitor, uint32_t id)
{
	for (size_t i = 0; i < monitor->registrations.n && id; i++) {
		if (monitor->registrations.data[i]->id == id)
			return monitor->registrations.data[i];
	}
	return NULL;
}

static struct pd_error *no_such(uint32_t id)
{
	return pd_error_create(PD_ERROR_USAGE, NULL, "nothing is registered as %u", (unsigned)id);
}

struct pd_error *pd_monitor_unregister(struct pd_monitor *monitor, uint32_t id)
{
	struct registration *registration = find(monitor, id);

	if (!registration)
		return no_such(id);
	/* A sample of it may be in somebody's hands. */
	registration->id = 0;
	monitor->is_stale = true;
	monitor->n_lost_before += cap_session_n_lost(&registration->recording.session);
	cap_session_close(&registration->recording.session);
	return registration->recording.probes ? cap_probes_remove(registration->recording.probes)
					      : NULL;
}

struct pd_error *pd_monitor_enable(struct pd_monitor *monitor, uint32_t id, bool is_enabled)
{
	struct registration *registration = find(monitor, id);

	return registration ? cap_session_enable(&registration->recording.session, is_enabled)
			    : no_such(id);
}

static void forget_unregistered(struct pd_monitor *monitor)
{
	size_t n_left = 0;

	for (size_t i = 0; i < monitor->registrations.n; i++) {
		struct registration *registration = monitor->registrations.data[i];

		if (registration->id)
			monitor->registrations.data[n_left++] = registration;
		else
			destroy_registration(registration);
	}
	monitor->registrations.n = n_left;
}

/* Have the events be those of what is registered. */
static struct pd_error *refresh(struct pd_monitor *monitor)
{
	struct pd_error *err = NULL;

	if (!monitor->is_stale)
		return NULL;
	forget_unregistered(monitor);
	pd_events_deinit(&monitor->events);
	monitor->events = (struct pd_events){ 0 };
	monitor->owners.n = 0;
	for (size_t i = 0; i < monitor->registrations.n && !err; i++) {
		err = cap_list_open(
			&monitor->registrations.data[i]->recording.session, &monitor->events);
		while (!err && monitor->owners.n < monitor->events.list.n) {
			if (!pd_vec_push(&monitor->owners, i))
				err = &pd_enomem;
		}
	}
	monitor->is_stale = err != NULL;
	return err;
}

/* Samples. */

static void count_lost(struct pd_monitor *monitor, const struct pd_record *rec)
{
	union pd_body body;
	const char *wrong;

	if (!pd_events_decode(&monitor->events, rec, &body, &wrong))
		return;
	monitor->n_told_lost +=
		rec->type == PD_RECORD_LOST ? body.lost.lost : body.lost_samples.lost;
}

static struct pd_error *queue(struct pd_monitor *monitor, struct pd_chunk *chunk)
{
	struct pd_record rec;

	for (size_t at = 0; at < chunk->size; at += rec.size) {
		if (!cap_record_at(&monitor->events, chunk->bytes + at, chunk->size - at, &rec))
			return pd_error_create(
				PD_ERROR_FORMAT, "ring buffer", "these are no records");
		rec.chunk = chunk;
		if (rec.type == PD_RECORD_LOST || rec.type == PD_RECORD_LOST_SAMPLES)
			count_lost(monitor, &rec);
		if (rec.type == PD_RECORD_SAMPLE && rec.time != PD_NO_TIME &&
			!pd_order_push(&monitor->order, &rec))
			return &pd_enomem;
	}
	return NULL;
}

static struct pd_error *drain_ring(struct pd_monitor *monitor, struct cap_ring *ring)
{
	struct cap_ring_bytes bytes = cap_ring_peek(ring);
	size_t n = bytes.n_first + bytes.n_second;

	if (!n)
		return NULL;
	struct pd_chunk *chunk = pd_chunk_create(n);
	if (!chunk)
		return &pd_enomem;
	memcpy(chunk->bytes, bytes.first, bytes.n_first);
	memcpy(chunk->bytes + bytes.n_first, bytes.second, bytes.n_second);
	cap_ring_release(ring, n);
	struct pd_error *err = queue(monitor, chunk);
	pd_chunk_unref(chunk);
	return err;
}

static struct pd_error *drain(struct pd_monitor *monitor)
{
	struct cap_session *rings = &monitor->rings.session;
	struct pd_error *err = refresh(monitor);

	for (size_t i = 0; i < rings->rings.n && !err; i++)
		err = drain_ring(monitor, &rings->rings.data[i].ring);
	return err;
}

static struct pd_trace_values find_fields(const struct registration *registration,
	const struct pd_event *event, const struct pd_sample *sample)
{
	const struct pd_tracepoint *tracepoint =
		registration->tracing && event->attr.type == PD_TYPE_TRACEPOINT
			? pd_tracing_find(registration->tracing, event->attr.config)
			: NULL;

	return tracepoint ? pd_trace_values(registration->tracing, tracepoint, &sample->raw)
			  : (struct pd_trace_values){ 0 };
}

/* Samples begin with their id: all are made with IDENTIFIER. */
static const struct pd_event *find_event(
	const struct pd_monitor *monitor, const struct pd_record *rec)
{
	uint64_t id;

	if (rec->size < PD_RECORD_HEADER_BYTES + sizeof(id))
		return NULL;
	memcpy(&id, rec->bytes + PD_RECORD_HEADER_BYTES, sizeof(id));
	return pd_events_by_id(&monitor->events, id);
}

static struct pd_error *hand_over(struct pd_monitor *monitor, const struct pd_record *rec)
{
	struct pd_error *err = refresh(monitor);
	const struct pd_event *event = err ? NULL : find_event(monitor, rec);
	struct pd_sample sample;
	const char *wrong;

	/* It was unregistered. */
	if (!event)
		return err;
	if (pd_sample_decode(&event->plan, rec, false, &sample, &wrong) == PD_SAMPLE_SHORT)
		return pd_error_create(
			PD_ERROR_FORMAT, "ring buffer", "SAMPLE: it ends inside %s", wrong);
	const struct registration *registration =
		monitor->registrations.data[monitor->owners.data[event->index]];
	const struct pd_monitor_sample monitored = {
		.id = registration->id,
		.event = event,
		.record = rec,
		.sample = &sample,
		.fields = find_fields(registration, event, &sample),
	};
	return registration->fn(registration->ctx, &monitored);
}

static struct pd_error *hand_over_all(struct pd_monitor *monitor)
{
	struct pd_error *err = NULL;
	struct pd_record rec;

	while (!err && pd_order_pop(&monitor->order, &rec)) {
		err = hand_over(monitor, &rec);
		pd_record_release(&rec);
	}
	return err;
}

/* Wait until there is something to do; whether that is to stop. */
static struct pd_error *wait_once(struct pd_monitor *monitor, bool *has_ended_ret)
{
	struct epoll_event ready[MAX_READY];
	int n = epoll_wait(monitor->epoll_fd, ready, MAX_READY, PATIENCE);
	uint64_t stops;

	if (n < 0 && errno != EINTR)
		return pd_error_os("monitor", "cannot wait for events");
	*has_ended_ret = read(monitor->stop_fd, &stops, sizeof(stops)) == sizeof(stops);
	return NULL;
}

struct pd_error *pd_monitor_run(struct pd_monitor *monitor)
{
	struct pd_error *err = NULL;
	bool has_ended = false;

	while (!err && !has_ended) {
		err = wait_once(monitor, &has_ended);
		if (!err)
			err = drain(monitor);
		if (!err && !(has_ended ? pd_order_end : pd_order_round)(&monitor->order))
			err = &pd_enomem;
		if (!err)
			err = hand_over_all(monitor);
	}
	return err;
}

void pd_monitor_stop(struct pd_monitor *monitor)
{
	const uint64_t one = 1;
	int errnum = errno;

	(void)!write(monitor->stop_fd, &one, sizeof(one));
	errno = errnum;
}

uint64_t pd_monitor_n_lost(const struct pd_monitor *monitor)
{
	uint64_t n = monitor->n_lost_before;

	for (size_t i = 0; i < monitor->registrations.n; i++)
		n += cap_session_n_lost(&monitor->registrations.data[i]->recording.session);
	/* Before Linux 6.0 events do not count them. */
	return n > monitor->n_told_lost ? n : monitor->n_told_lost;
}
