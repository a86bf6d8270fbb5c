/* The run of a monitor: from rings to callbacks. */
#include "capture/run/monitor_run.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "parse/event_index.h"

/*
 * How often rings are read, in milliseconds. A sample is delivered after the second read, because
 * an older one may be in another ring until then.
 */
enum { DRAIN_MS = 100 };

/* Events. */

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

static struct pd_error *list_events(struct pd_monitor *monitor, struct cap_registration *owner)
{
	struct pd_error *err = cap_registration_list_events(owner, &monitor->events);

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
	parse_events_deinit(&monitor->events);
	monitor->events = (struct pd_events){ 0 };
	monitor->owners.n = 0;
	struct pd_error *err = monitor->tracker ? list_events(monitor, monitor->tracker) : NULL;
	for (size_t i = 0; !err && i < monitor->registrations.n; i++)
		err = list_events(monitor, monitor->registrations.data[i]);
	monitor->is_stale = err != NULL;
	return err;
}

/* Samples. */

/* Pass @p err to on_error, or return it if the program set none. */
static struct pd_error *report(struct pd_monitor *monitor, uint32_t id, struct pd_error *err)
{
	if (!monitor->opts.on_error)
		return err;
	monitor->opts.on_error(monitor->opts.ctx, id, err);
	pd_error_destroy(err);
	return NULL;
}

static struct pd_error *report_ring(void *ctx, struct pd_error *err)
{
	return report(ctx, 0, err);
}

void cap_monitor_init_stream(struct pd_monitor *monitor)
{
	enum {
		SAMPLES = 1 << PD_RECORD_SAMPLE,
		OTHERS = 1 << PD_RECORD_COMM | 1 << PD_RECORD_FORK | 1 << PD_RECORD_EXIT |
			 1 << PD_RECORD_LOST | 1 << PD_RECORD_LOST_SAMPLES,
	};

	cap_stream_init(&monitor->stream, &monitor->rings, &monitor->events);
	monitor->stream.on_invalid = report_ring;
	monitor->stream.ctx = monitor;
	monitor->stream.types = monitor->opts.on_record ? SAMPLES | OTHERS : SAMPLES;
}

static struct cap_registration *find_owner(
	const struct pd_monitor *monitor, const struct pd_event *event)
{
	return event ? monitor->owners.data[event->index] : NULL;
}

static struct pd_error *deliver_record(struct pd_monitor *monitor, const struct pd_record *rec)
{
	union pd_body body;
	const char *wrong;
	struct pd_monitor_record monitored = { .record = rec, .body = &body };

	if (!pd_events_decode(&monitor->events, rec, &body, &wrong))
		return NULL;
	if (rec->type == PD_RECORD_LOST) {
		const struct pd_event *event = pd_events_by_id(&monitor->events, body.lost.id);
		const struct cap_registration *owner = find_owner(monitor, event);

		monitored.id = owner ? owner->id : 0;
	}
	return monitor->opts.on_record(monitor->opts.ctx, &monitored);
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

void pd_monitor_sample_write(const struct pd_monitor_sample *sample, FILE *stream)
{
	uint64_t time = sample->sample->time;

	fprintf(stream, "%" PRIu64 ".%09" PRIu64 " %" PRIu32 "/%" PRIu32 " %s", time / 1000000000,
		time % 1000000000, sample->sample->pid, sample->sample->tid, sample->event->name);
	if (!sample->fields.tracepoint)
		return;
	fputc(' ', stream);
	pd_trace_write(&sample->fields, stream);
}

static struct pd_error *deliver_sample(struct pd_monitor *monitor, const struct pd_record *rec)
{
	const struct pd_event *event = find_event(monitor, rec);
	const struct cap_registration *owner = find_owner(monitor, event);
	struct pd_sample sample;

	/*
	 * Samples of events that were unregistered since may still be queued. The dummy event of
	 * the tracker has none.
	 */
	if (!owner || !owner->fn)
		return NULL;
	struct pd_error *err = cap_sample_decode(event, rec, &sample);
	if (err)
		return report(monitor, owner->id, err);
	const struct pd_monitor_sample monitored = {
		.id = owner->id,
		.event = event,
		.events = &monitor->events,
		.record = rec,
		.sample = &sample,
		.fields = cap_registration_fields(owner, event, &sample),
	};
	return owner->fn(owner->ctx, &monitored);
}

static struct pd_error *deliver(void *ctx, const struct pd_record *rec)
{
	struct pd_monitor *monitor = ctx;
	struct pd_error *err = refresh(monitor);

	if (err)
		return err;
	return rec->type == PD_RECORD_SAMPLE ? deliver_sample(monitor, rec)
					     : deliver_record(monitor, rec);
}

/* Read the rings and deliver what is complete; at the end of a run, everything is. */
static struct pd_error *pass_on(struct pd_monitor *monitor, bool is_end)
{
	struct pd_error *err = refresh(monitor);

	if (!err)
		err = cap_stream_drain(&monitor->stream);
	if (err)
		return err;
	err = cap_stream_round(&monitor->stream, is_end, deliver, monitor);
	for (size_t i = 0; i < monitor->registrations.n; i++)
		monitor->is_stale |= cap_registration_age(monitor->registrations.data[i]);
	return err;
}

static bool take_stop(struct pd_monitor *monitor)
{
	uint64_t n;

	return read(monitor->stop_fd, &n, sizeof(n)) == sizeof(n);
}

static struct pd_error *begin_run(struct pd_monitor *monitor)
{
	if (monitor->is_running)
		return pd_error_create(PD_ERROR_USAGE, NULL,
			"the monitor is running, on another thread or in a callback");
	monitor->is_running = true;
	return NULL;
}

/* Milliseconds to wait for rings when the run ends at @p end of base_clock_now(). */
static int wait_until(double end)
{
	double left = (end - base_clock_now()) * 1000;

	return left > DRAIN_MS ? DRAIN_MS : left > 0 ? (int)ceil(left) : 0;
}

static struct pd_error *wait_and_pass_on(struct pd_monitor *monitor, int milliseconds)
{
	struct cap_ready ready;

	pthread_mutex_unlock(&monitor->lock);
	struct pd_error *err = cap_stream_wait(&monitor->stream, milliseconds, &ready);
	pthread_mutex_lock(&monitor->lock);
	return err ? err : pass_on(monitor, false);
}

int pd_monitor_fd(const struct pd_monitor *monitor)
{
	return monitor->stream.epoll_fd;
}

struct pd_error *pd_monitor_poll(struct pd_monitor *monitor, int milliseconds)
{
	CAP_MONITOR_LOCK(monitor);
	struct pd_error *err = begin_run(monitor);

	if (err)
		return err;
	/* A stop before the poll has no effect, and one that ends it does not end the next run. */
	take_stop(monitor);
	err = wait_and_pass_on(monitor, milliseconds);
	take_stop(monitor);
	monitor->is_running = false;
	return err;
}

struct pd_error *pd_monitor_flush(struct pd_monitor *monitor)
{
	CAP_MONITOR_LOCK(monitor);
	struct pd_error *err = begin_run(monitor);

	if (err)
		return err;
	err = pass_on(monitor, true);
	monitor->is_running = false;
	return err;
}

/* Run until the monitor is stopped or base_clock_now() is @p end. */
static struct pd_error *run_until(struct pd_monitor *monitor, double end)
{
	CAP_MONITOR_LOCK(monitor);
	struct pd_error *err = begin_run(monitor);

	if (err)
		return err;
	do
		err = wait_and_pass_on(monitor, wait_until(end));
	while (!err && !take_stop(monitor) && base_clock_now() < end);
	if (!err)
		err = pass_on(monitor, true);
	monitor->is_running = false;
	return err;
}

struct pd_error *pd_monitor_run(struct pd_monitor *monitor)
{
	return run_until(monitor, HUGE_VAL);
}

struct pd_error *pd_monitor_run_for(struct pd_monitor *monitor, unsigned milliseconds)
{
	return run_until(monitor, base_clock_now() + milliseconds / 1000.0);
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
	CAP_MONITOR_LOCK(monitor);
	uint64_t n = monitor->n_lost_before, n_reported = 0;

	if (monitor->tracker)
		n += cap_session_n_lost(&monitor->tracker->session);
	for (size_t i = 0; i < monitor->registrations.n; i++)
		n += cap_session_n_lost(&monitor->registrations.data[i]->session);
	/* Before Linux 6.0 events do not count lost samples. */
	for (size_t i = 0; i < monitor->rings.rings.n; i++)
		n_reported += monitor->rings.rings.data[i].n_reported_lost;
	return n > n_reported ? n : n_reported;
}
