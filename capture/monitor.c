/*
 * A monitor: events that are registered and unregistered while it runs, and their samples in the
 * order of time.
 */
#include <pdconv/capture.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/chunk.h"
#include "base/cleanup.h"
#include "capture/capture_opts.h"
#include "capture/event_loop.h"
#include "capture/registration.h"
#include "parse/events_private.h"
#include "parse/order.h"

/*
 * How often rings are read, in milliseconds. A sample is delivered after the second read, because
 * an older one may be in another ring until then.
 */
enum { DRAIN_MS = 100 };

struct pd_monitor {
	/** A dummy event on each CPU, whose rings all other events write to. */
	struct cap_recording rings;
	PD_VEC(pid_t) pids;
	PD_VEC(char *) cgroups;
	PD_VEC(struct cap_registration *) registrations;
	/** Events of all registrations, and for each the index of its registration. */
	struct pd_events events;
	PD_VEC(size_t) owners;
	/** Registrations have changed since the events were listed. */
	bool is_stale;
	struct pd_order order;
	struct cap_event_loop loop;
	int stop_fd;
	uint32_t last_id;
	/**
	 * Lost samples: the sum of LOST records, and the counts of events that were unregistered.
	 */
	uint64_t n_reported_lost;
	uint64_t n_lost_before;
};

void pd_monitor_destroy(struct pd_monitor *monitor)
{
	if (!monitor)
		return;
	for (size_t i = 0; i < monitor->registrations.n; i++)
		cap_registration_destroy(monitor->registrations.data[i]);
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
	pd_close(&monitor->stop_fd);
	cap_event_loop_close(&monitor->loop);
	free(monitor);
}

/* Rings. */

/*
 * Events of any thread may write to the ring of a system-wide event on their CPU. Without the
 * permission for those, the rings of an event of this thread serve the events of this process.
 */
static struct pd_error *open_rings(struct pd_monitor *monitor, size_t pages, bool is_own)
{
	const struct pd_capture_opts opts = {
		.event = "dummy", .user_only = true, .ring_pages = pages
	};
	struct cap_recording *rings = &monitor->rings;

	cap_recording_init(rings);
	rings->target.is_system_wide = !is_own;
	struct pd_error *err = cap_target_use_online_cpus(&rings->target);
	if (err)
		return err;
	if (is_own && !pd_vec_push(&rings->target.tids, 0))
		return &pd_enomem;
	return cap_capture_opts_open(&opts, rings);
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

static struct pd_error *open_loop(struct pd_monitor *monitor)
{
	const struct cap_session *rings = &monitor->rings.session;
	struct pd_error *err = cap_event_loop_open(&monitor->loop);

	if (err)
		return err;
	monitor->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (monitor->stop_fd < 0)
		return pd_error_os(NULL, "cannot create an eventfd");
	err = cap_event_loop_add(&monitor->loop, monitor->stop_fd);
	if (err)
		return err;
	for (size_t i = 0; i < rings->rings.n; i++) {
		err = cap_event_loop_add(&monitor->loop, rings->rings.data[i].fd);
		if (err)
			return err;
	}
	return NULL;
}

/* The target. */

static struct pd_error *set_target(const struct pd_monitor *monitor, struct cap_target *target)
{
	const struct cap_session *rings = &monitor->rings.session;
	struct pd_error *err;

	/*
	 * Use the CPUs that have a ring, not those that are online now: an event can only write to
	 * a ring of its own CPU (perf_event_set_output() in the kernel).
	 */
	target->is_system_wide = !monitor->pids.n && !monitor->cgroups.n;
	for (size_t i = 0; i < rings->rings.n; i++) {
		if (!pd_vec_push(&target->cpus, rings->rings.data[i].cpu))
			return &pd_enomem;
	}
	for (size_t i = 0; i < monitor->pids.n; i++) {
		err = cap_target_add_process(target, monitor->pids.data[i]);
		if (err)
			return err;
	}
	for (size_t i = 0; i < monitor->cgroups.n; i++) {
		err = cap_target_add_cgroup(target, monitor->cgroups.data[i]);
		if (err)
			return err;
	}
	return NULL;
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

/*
 * Report a missing process or control group when the monitor is created, not at the first
 * registration.
 */
static struct pd_error *check_target(const struct pd_monitor *monitor)
{
	struct cap_target target;

	cap_target_init(&target);
	struct pd_error *err = set_target(monitor, &target);
	cap_target_deinit(&target);
	return err;
}

static struct pd_error *set_up(struct pd_monitor *monitor, const struct pd_monitor_opts *opts)
{
	struct pd_error *err = copy_opts(monitor, opts);

	if (err)
		return err;
	err = make_rings(monitor, opts->ring_pages);
	if (err)
		return err;
	err = check_target(monitor);
	return err ? err : open_loop(monitor);
}

struct pd_error *pd_monitor_create(const struct pd_monitor_opts *opts, struct pd_monitor **ret)
{
	struct pd_monitor *monitor = calloc(1, sizeof(*monitor));

	if (!monitor)
		return &pd_enomem;
	monitor->stop_fd = -1;
	cap_event_loop_init(&monitor->loop);
	struct pd_error *err = set_up(monitor, opts);
	if (err) {
		pd_monitor_destroy(monitor);
		return err;
	}
	*ret = monitor;
	return NULL;
}

/* Registrations. */

static struct pd_error *open_registration(struct pd_monitor *monitor,
	struct cap_registration *registration, const struct pd_capture_opts *opts)
{
	struct pd_error *err = set_target(monitor, &registration->recording.target);

	if (err)
		return err;
	err = cap_registration_open(registration, opts, &monitor->rings);
	if (err)
		return err;
	return pd_vec_push(&monitor->registrations, registration) ? NULL : &pd_enomem;
}

struct pd_error *pd_monitor_register(struct pd_monitor *monitor, const struct pd_capture_opts *opts,
	pd_on_sample *fn, void *ctx, uint32_t *id_ret)
{
	struct cap_registration *registration = cap_registration_create(fn, ctx);

	if (!registration)
		return &pd_enomem;
	struct pd_error *err = open_registration(monitor, registration, opts);
	if (err) {
		cap_registration_destroy(registration);
		return err;
	}
	monitor->is_stale = true;
	*id_ret = registration->id = ++monitor->last_id;
	return NULL;
}

static struct cap_registration *find(const struct pd_monitor *monitor, uint32_t id)
{
	for (size_t i = 0; i < monitor->registrations.n && id; i++) {
		if (monitor->registrations.data[i]->id == id)
			return monitor->registrations.data[i];
	}
	return NULL;
}

static struct pd_error *no_such(uint32_t id)
{
	return pd_error_create(PD_ERROR_USAGE, NULL, "no registration has the id %u", (unsigned)id);
}

struct pd_error *pd_monitor_unregister(struct pd_monitor *monitor, uint32_t id)
{
	struct cap_registration *registration = find(monitor, id);

	if (!registration)
		return no_such(id);
	/*
	 * A function may unregister its own event while it handles a sample of it, so the struct is
	 * destroyed later.
	 */
	registration->id = 0;
	monitor->is_stale = true;
	monitor->n_lost_before += cap_session_n_lost(&registration->recording.session);
	cap_session_close(&registration->recording.session);
	return registration->recording.probes ? cap_probes_remove(registration->recording.probes)
					      : NULL;
}

struct pd_error *pd_monitor_enable(struct pd_monitor *monitor, uint32_t id, bool is_enabled)
{
	struct cap_registration *registration = find(monitor, id);

	return registration ? cap_session_enable(&registration->recording.session, is_enabled)
			    : no_such(id);
}

static void forget_unregistered(struct pd_monitor *monitor)
{
	size_t n_left = 0;

	for (size_t i = 0; i < monitor->registrations.n; i++) {
		struct cap_registration *registration = monitor->registrations.data[i];

		if (registration->id)
			monitor->registrations.data[n_left++] = registration;
		else
			cap_registration_destroy(registration);
	}
	monitor->registrations.n = n_left;
}

static struct pd_error *list_events(struct pd_monitor *monitor, size_t owner)
{
	struct pd_error *err = cap_session_list_events(
		&monitor->registrations.data[owner]->recording.session, &monitor->events);

	if (err)
		return err;
	while (monitor->owners.n < monitor->events.list.n) {
		if (!pd_vec_push(&monitor->owners, owner))
			return &pd_enomem;
	}
	return NULL;
}

/*
 * List the events of all registrations again if these have changed. Functions register and
 * unregister while samples are delivered, and a registration must not be destroyed while one of its
 * samples is.
 */
static struct pd_error *refresh(struct pd_monitor *monitor)
{
	if (!monitor->is_stale)
		return NULL;
	forget_unregistered(monitor);
	pd_events_deinit(&monitor->events);
	monitor->events = (struct pd_events){ 0 };
	monitor->owners.n = 0;
	for (size_t i = 0; i < monitor->registrations.n; i++) {
		struct pd_error *err = list_events(monitor, i);

		if (err)
			return err;
	}
	monitor->is_stale = false;
	return NULL;
}

/* Samples. */

static void count_lost(struct pd_monitor *monitor, const struct pd_record *rec)
{
	union pd_body body;
	const char *wrong;

	if (!pd_events_decode(&monitor->events, rec, &body, &wrong))
		return;
	monitor->n_reported_lost +=
		rec->type == PD_RECORD_LOST ? body.lost.lost : body.lost_samples.lost;
}

static struct pd_error *queue(struct pd_monitor *monitor, struct pd_chunk *chunk)
{
	struct pd_record rec;

	for (size_t at = 0; at < chunk->size; at += rec.size) {
		if (!cap_ring_record(&monitor->events, chunk->bytes + at, chunk->size - at, &rec))
			return pd_error_create(
				PD_ERROR_FORMAT, "ring buffer", "invalid record size");
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

	if (err)
		return err;
	for (size_t i = 0; i < rings->rings.n; i++) {
		err = drain_ring(monitor, &rings->rings.data[i].ring);
		if (err)
			return err;
	}
	return NULL;
}

/* All events have PERF_SAMPLE_IDENTIFIER, so samples begin with the id of their event. */
static const struct pd_event *find_event(
	const struct pd_monitor *monitor, const struct pd_record *rec)
{
	uint64_t id;

	if (rec->size < PD_RECORD_HEADER_BYTES + sizeof(id))
		return NULL;
	memcpy(&id, rec->bytes + PD_RECORD_HEADER_BYTES, sizeof(id));
	return pd_events_by_id(&monitor->events, id);
}

static struct pd_error *deliver(struct pd_monitor *monitor, const struct pd_record *rec)
{
	struct pd_error *err = refresh(monitor);

	if (err)
		return err;
	/* Samples of events that were unregistered since may still be queued. */
	const struct pd_event *event = find_event(monitor, rec);
	if (!event)
		return NULL;
	return cap_registration_deliver(
		monitor->registrations.data[monitor->owners.data[event->index]], event, rec);
}

static struct pd_error *deliver_all(struct pd_monitor *monitor)
{
	struct pd_record rec;

	while (pd_order_pop(&monitor->order, &rec)) {
		struct pd_error *err = deliver(monitor, &rec);

		pd_record_release(&rec);
		if (err)
			return err;
	}
	return NULL;
}

/* Wait, drain the rings and deliver what is complete; on the last round everything is. */
static struct pd_error *run_once(struct pd_monitor *monitor, bool *has_ended_ret)
{
	struct cap_ready ready;
	uint64_t stops;
	struct pd_error *err = cap_event_loop_wait(&monitor->loop, DRAIN_MS, &ready);

	if (err)
		return err;
	*has_ended_ret = read(monitor->stop_fd, &stops, sizeof(stops)) == sizeof(stops);
	err = drain(monitor);
	if (err)
		return err;
	if (!(*has_ended_ret ? pd_order_end : pd_order_round)(&monitor->order))
		return &pd_enomem;
	return deliver_all(monitor);
}

struct pd_error *pd_monitor_run(struct pd_monitor *monitor)
{
	bool has_ended = false;

	while (!has_ended) {
		struct pd_error *err = run_once(monitor, &has_ended);

		if (err)
			return err;
	}
	return NULL;
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
	/* Before Linux 6.0 events do not count lost samples. */
	return n > monitor->n_reported_lost ? n : monitor->n_reported_lost;
}
