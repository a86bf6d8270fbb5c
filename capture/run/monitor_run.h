/**
 * @file A monitor: its state, and the stream from its rings to its callbacks.
 */
#ifndef PD_CAPTURE_RUN_MONITOR_RUN_H
#define PD_CAPTURE_RUN_MONITOR_RUN_H

#include <pthread.h>

#include <pdconv/capture.h>

#include "base/cleanup.h"
#include "capture/run/registration.h"
#include "capture/stream.h"

struct pd_monitor {
	/** Options, of which the arrays and texts are copied to the members below. */
	struct pd_monitor_opts opts;
	/** All events have the clock of the first registration: CLOCK_*, if has_clockid. */
	bool has_clockid;
	int32_t clockid;
	/** A dummy event on each CPU, whose rings all other events write to. */
	struct cap_session rings;
	PD_VEC(pid_t) pids;
	/** Descendants of the processes that were forked before the monitor was created. */
	PD_VEC(pid_t) earlier;
	PD_VEC(char *) cgroups;
	/** Mount points; NULL: those of the machine. */
	char *tracing_dir;
	char *cgroup_dir;
	/** Dummy event that writes COMM, FORK and EXIT records; NULL: there is no on_record. */
	struct cap_registration *tracker;
	PD_VEC(struct cap_registration *) registrations;
	/** Events of all registrations and of the tracker. */
	struct pd_events events;
	/** For each event its registration. */
	PD_VEC(struct cap_registration *) owners;
	/** Registrations have changed since the events were listed. */
	bool is_stale;
	/** Records of the rings. */
	struct cap_stream stream;
	int stop_fd;
	/**
	 * Held by all functions of the monitor, except while a run waits for its rings: other
	 * threads register and enable meanwhile. Recursive, because callbacks do so, too.
	 */
	pthread_mutex_t lock;
	/** Callbacks are called now, from pd_monitor_run(), _poll() or _flush(). */
	bool is_running;
	uint32_t last_id;
	/** Lost samples as events counted them that were closed. */
	uint64_t n_lost_before;
};

/** Lock @p monitor until the end of the scope. */
#define CAP_MONITOR_LOCK(monitor) \
	_cleanup_(cap_monitor_unlock) __attribute__((unused)) pthread_mutex_t *lock = \
		cap_monitor_lock(monitor)

static inline pthread_mutex_t *cap_monitor_lock(const struct pd_monitor *monitor)
{
	pthread_mutex_t *lock = (pthread_mutex_t *)&monitor->lock;

	pthread_mutex_lock(lock);
	return lock;
}

static inline void cap_monitor_unlock(pthread_mutex_t **lock)
{
	pthread_mutex_unlock(*lock);
}

/** Initialise the stream of the monitor, whose options are set. */
void cap_monitor_init_stream(struct pd_monitor *monitor);

#endif
