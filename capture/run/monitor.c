/* A monitor: events that are registered, changed and unregistered while it runs. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>

#include "base/cleanup.h"
#include "base/reserved.h"
#include "capture/capture_opts.h"
#include "capture/run/monitor_run.h"
#include "parse/event_index.h"

/* Close the rings and what writes to them, except for registrations. The stream forgets them. */
static void close_rings(struct pd_monitor *monitor)
{
	if (monitor->tracker)
		cap_registration_destroy(monitor->tracker);
	monitor->tracker = NULL;
	cap_session_deinit(&monitor->rings);
}

void pd_monitor_destroy(struct pd_monitor *monitor)
{
	if (!monitor)
		return;
	for (size_t i = 0; i < monitor->registrations.n; i++)
		cap_registration_destroy(monitor->registrations.data[i]);
	pd_vec_deinit(&monitor->registrations);
	close_rings(monitor);
	cap_stream_deinit(&monitor->stream);
	parse_events_deinit(&monitor->events);
	pd_vec_deinit(&monitor->owners);
	for (size_t i = 0; i < monitor->cgroups.n; i++)
		free(monitor->cgroups.data[i]);
	pd_vec_deinit(&monitor->cgroups);
	pd_vec_deinit(&monitor->pids);
	pd_vec_deinit(&monitor->earlier);
	free(monitor->tracing_dir);
	free(monitor->cgroup_dir);
	base_close(&monitor->stop_fd);
	pthread_mutex_destroy(&monitor->lock);
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
		.event = "dummy",
		.user_only = true,
		.ring_pages = pages,
		.use_clockid = monitor->has_clockid,
		.clockid = monitor->clockid,
	};
	struct cap_session *rings = &monitor->rings;

	cap_session_init(rings);
	rings->target.is_system_wide = !is_own;
	struct pd_error *err = cap_target_use_online_cpus(&rings->target);
	if (err)
		return err;
	if (is_own && !pd_vec_push(&rings->target.tids, 0))
		return &pd_enomem;
	return cap_capture_opts_open(&opts, rings);
}

static struct pd_error *make_rings(struct pd_monitor *monitor)
{
	size_t pages = monitor->opts.ring_pages;
	struct pd_error *err = open_rings(monitor, pages, false);

	if (err && err->code == PD_ERROR_OS) {
		pd_error_destroy(err);
		cap_session_deinit(&monitor->rings);
		err = open_rings(monitor, pages, true);
	}
	return err ? err : cap_stream_watch_rings(&monitor->stream, 0);
}

/* Open the stream, still without rings. */
static struct pd_error *open_stream(struct pd_monitor *monitor)
{
	struct pd_error *err = cap_stream_open(&monitor->stream);

	if (!err)
		monitor->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (!err && monitor->stop_fd < 0)
		err = pd_error_os(NULL, "cannot create an eventfd");
	return err ? err : cap_stream_watch(&monitor->stream, monitor->stop_fd);
}

/* The target. */

/*
 * Add the processes with all threads, and their descendants that were forked since the monitor was
 * created: events that are opened now inherit nothing from those that were opened before.
 */
static struct pd_error *add_processes(
	const struct pd_monitor *monitor, bool skips_exited, struct cap_target *target)
{
	for (size_t i = 0; i < monitor->pids.n; i++) {
		struct pd_error *err = cap_target_add_process(target, monitor->pids.data[i]);

		if (err && !skips_exited)
			return err;
		pd_error_destroy(err);
	}
	/* Processes that are added here are visited later. */
	for (size_t i = 0; i < target->processes.n; i++) {
		_cleanup_(cap_pids_deinit) struct cap_pids children = { 0 };
		struct pd_error *err = cap_process_children(target->processes.data[i], &children);

		for (size_t k = 0; !err && k < children.list.n; k++) {
			/* A child that has exited meanwhile is not an error. */
			pid_t pid = children.list.data[k];

			if (!cap_pids_have(monitor->earlier.data, monitor->earlier.n, pid))
				pd_error_destroy(cap_target_add_process(target, pid));
		}
		if (err)
			return err;
	}
	return NULL;
}

/*
 * Set the target. Processes that have exited are an error, or are skipped with @p skips_exited
 * unless all have.
 */
static struct pd_error *set_target(
	const struct pd_monitor *monitor, bool skips_exited, struct cap_target *target)
{
	const struct cap_session *rings = &monitor->rings;
	struct pd_error *err;

	/*
	 * Use the CPUs that have a ring, not those that are online now: an event can only write to
	 * a ring of its own CPU (perf_event_set_output() in the kernel).
	 */
	target->is_system_wide = !monitor->pids.n && !monitor->cgroups.n;
	target->cgroup_dir = monitor->cgroup_dir;
	for (size_t i = 0; i < rings->rings.n; i++) {
		if (!pd_vec_push(&target->cpus, rings->rings.data[i].cpu))
			return &pd_enomem;
	}
	err = add_processes(monitor, skips_exited, target);
	if (!err && skips_exited && !target->is_system_wide && !target->tids.n &&
		!monitor->cgroups.n)
		err = add_processes(monitor, false, target);
	for (size_t i = 0; !err && i < monitor->cgroups.n; i++)
		err = cap_target_add_cgroup(target, monitor->cgroups.data[i]);
	return err;
}

static struct pd_error *copy_dir(const char *dir, char **ret)
{
	*ret = dir ? strdup(dir) : NULL;
	return dir && !*ret ? &pd_enomem : NULL;
}

static struct pd_error *copy_opts(struct pd_monitor *monitor, const struct pd_monitor_opts *opts)
{
	struct pd_error *err = copy_dir(opts->tracing_dir, &monitor->tracing_dir);

	if (!err)
		err = copy_dir(opts->cgroup_dir, &monitor->cgroup_dir);
	if (err)
		return err;
	if (opts->pid && !pd_vec_push(&monitor->pids, opts->pid))
		return &pd_enomem;
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
 * List the descendants that exist already, and report a missing process or control group when the
 * monitor is created, not at the first registration.
 */
static struct pd_error *check_target(struct pd_monitor *monitor)
{
	struct cap_target target;

	cap_target_init(&target);
	struct pd_error *err = set_target(monitor, false, &target);
	for (size_t i = 0; !err && i < target.processes.n; i++) {
		pid_t pid = target.processes.data[i];

		if (!cap_pids_have(monitor->pids.data, monitor->pids.n, pid) &&
			!pd_vec_push(&monitor->earlier, pid))
			err = &pd_enomem;
	}
	cap_target_deinit(&target);
	return err;
}

/* Make the dummy event whose COMM, FORK and EXIT records the callback gets. */
static struct pd_error *track(struct pd_monitor *monitor)
{
	enum { COUNT_DUMMY = 9 };
	const struct pd_attr attr = {
		.type = PD_TYPE_SOFTWARE,
		.config = COUNT_DUMMY,
		.sample_type = (uint64_t)1 << PD_SAMPLE_TID | (uint64_t)1 << PD_SAMPLE_CPU,
		.flags = (uint64_t)1 << PD_ATTR_comm | (uint64_t)1 << PD_ATTR_comm_exec |
			 (uint64_t)1 << PD_ATTR_task | (uint64_t)1 << PD_ATTR_exclude_kernel,
	};
	const struct pd_capture_opts opts = { .attrs = &attr,
		.n_attrs = 1,
		.use_clockid = monitor->has_clockid,
		.clockid = monitor->clockid };

	if (!monitor->opts.on_record)
		return NULL;
	monitor->tracker = cap_registration_create(NULL, NULL);
	if (!monitor->tracker)
		return &pd_enomem;
	struct pd_error *err = set_target(monitor, false, &monitor->tracker->session.target);
	if (err)
		return err;
	err = cap_registration_open(monitor->tracker, &opts, &monitor->rings);
	if (err)
		return err;
	monitor->is_stale = true;
	return cap_session_enable(&monitor->tracker->session, true);
}

/*
 * Open the rings again, for events with the clock @p clockid: the kernel takes no others in a ring.
 * If that fails, the monitor is as before.
 */
static struct pd_error *use_clock(struct pd_monitor *monitor, int32_t clockid)
{
	close_rings(monitor);
	monitor->has_clockid = true;
	monitor->clockid = clockid;
	struct pd_error *err = make_rings(monitor);
	if (!err)
		err = track(monitor);
	if (!err)
		return NULL;
	close_rings(monitor);
	monitor->has_clockid = false;
	monitor->clockid = 0;
	struct pd_error *again = make_rings(monitor);
	pd_error_destroy(again ? again : track(monitor));
	return err;
}

/* Let a registration with @p opts have the clock of the others, or choose it as the first one. */
static struct pd_error *agree_on_clock(
	struct pd_monitor *monitor, const struct pd_capture_opts *opts)
{
	if (!opts->use_clockid || (monitor->has_clockid && monitor->clockid == opts->clockid))
		return NULL;
	if (monitor->last_id || monitor->is_running)
		return pd_error_create(PD_ERROR_USAGE, NULL,
			"use_clockid: the first event of a monitor decides on the clock of all");
	return use_clock(monitor, opts->clockid);
}

static struct pd_error *set_up(struct pd_monitor *monitor, const struct pd_monitor_opts *opts)
{
	struct pd_error *err = PD_CHECK_RESERVED("struct pd_monitor_opts", opts);

	if (err)
		return err;
	err = copy_opts(monitor, opts);
	if (err)
		return err;
	err = open_stream(monitor);
	if (err)
		return err;
	err = make_rings(monitor);
	if (err)
		return err;
	err = check_target(monitor);
	return err ? err : track(monitor);
}

static void init_lock(struct pd_monitor *monitor)
{
	pthread_mutexattr_t attr;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&monitor->lock, &attr);
	pthread_mutexattr_destroy(&attr);
}

struct pd_error *pd_monitor_create(const struct pd_monitor_opts *opts, struct pd_monitor **ret)
{
	struct pd_monitor *monitor = calloc(1, sizeof(*monitor));

	if (!monitor)
		return &pd_enomem;
	monitor->opts = *opts;
	monitor->stop_fd = -1;
	init_lock(monitor);
	cap_session_init(&monitor->rings);
	cap_monitor_init_stream(monitor);
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
	struct pd_capture_opts own = *opts;
	struct pd_error *err = agree_on_clock(monitor, opts);

	if (!err)
		err = set_target(monitor, true, &registration->session.target);
	if (err)
		return err;
	own.use_clockid = monitor->has_clockid;
	own.clockid = monitor->clockid;
	registration->session.events.tracing_dir = monitor->tracing_dir;
	err = cap_registration_open(registration, &own, &monitor->rings);
	if (!err && monitor->opts.is_enabled)
		err = cap_session_enable(&registration->session, true);
	if (err)
		return err;
	return pd_vec_push(&monitor->registrations, registration) ? NULL : &pd_enomem;
}

struct pd_error *pd_monitor_register(struct pd_monitor *monitor, const struct pd_capture_opts *opts,
	pd_on_sample *fn, void *ctx, uint32_t *id_ret)
{
	CAP_MONITOR_LOCK(monitor);
	struct cap_registration *registration = cap_registration_create(fn, ctx);

	if (!registration)
		return &pd_enomem;
	struct pd_error *err = open_registration(monitor, registration, opts);
	if (err) {
		cap_registration_destroy(registration);
		return err;
	}
	monitor->is_stale = true;
	registration->id = ++monitor->last_id;
	if (id_ret)
		*id_ret = registration->id;
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
	CAP_MONITOR_LOCK(monitor);
	struct cap_registration *registration = find(monitor, id);

	if (!registration)
		return no_such(id);
	/*
	 * A function may unregister its own event while it handles a sample of it, so the struct is
	 * destroyed later.
	 */
	registration->id = 0;
	monitor->is_stale = true;
	monitor->n_lost_before += cap_session_n_lost(&registration->session);
	cap_session_close(&registration->session);
	return registration->session.probes ? cap_probes_remove(registration->session.probes)
					    : NULL;
}

struct pd_error *pd_monitor_enable(struct pd_monitor *monitor, uint32_t id, bool is_enabled)
{
	CAP_MONITOR_LOCK(monitor);
	struct cap_registration *registration = find(monitor, id);

	return registration ? cap_session_enable(&registration->session, is_enabled) : no_such(id);
}

struct pd_error *pd_monitor_enable_all(struct pd_monitor *monitor, bool is_enabled)
{
	CAP_MONITOR_LOCK(monitor);

	for (size_t i = 0; i < monitor->registrations.n; i++) {
		struct cap_registration *registration = monitor->registrations.data[i];
		struct pd_error *err =
			registration->id ? cap_session_enable(&registration->session, is_enabled)
					 : NULL;

		if (err)
			return err;
	}
	return NULL;
}

struct pd_error *pd_monitor_set_filter(struct pd_monitor *monitor, uint32_t id, const char *filter)
{
	CAP_MONITOR_LOCK(monitor);
	struct cap_registration *registration = find(monitor, id);
	struct cap_target target;
	uint64_t n_lost = 0;

	if (!registration)
		return no_such(id);
	cap_target_init(&target);
	struct pd_error *err = set_target(monitor, true, &target);
	if (!err && monitor->pids.n && !target.tids.n)
		err = pd_error_explained(ESRCH, NULL, "all processes to monitor have exited");
	if (!err)
		err = cap_registration_set_filter(registration, &target, filter, &n_lost);
	cap_target_deinit(&target);
	monitor->n_lost_before += n_lost;
	monitor->is_stale = true;
	return err;
}
