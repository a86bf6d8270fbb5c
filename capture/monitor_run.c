/* The run of a monitor: from rings to callbacks. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/chunk.h"
#include "base/clock.h"
#include "capture/capture_opts.h"
#include "capture/monitor_private.h"
#include "parse/events_private.h"

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
	pd_events_deinit(&monitor->events);
	monitor->events = (struct pd_events){ 0 };
	monitor->owners.n = 0;
	struct pd_error *err = monitor->tracker ? list_events(monitor, monitor->tracker) : NULL;
	for (size_t i = 0; !err && i < monitor->registrations.n; i++)
		err = list_events(monitor, monitor->registrations.data[i]);
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
	monitor->n_reported_lost +=
		rec->type == PD_RECORD_LOST ? body.lost.lost : body.lost_samples.lost;
}

/* Whether a callback gets the record. */
static bool is_wanted(const struct pd_monitor *monitor, const struct pd_record *rec)
{
	switch (rec->type) {
	case PD_RECORD_SAMPLE:
		return true;
	case PD_RECORD_COMM:
	case PD_RECORD_FORK:
	case PD_RECORD_EXIT:
	case PD_RECORD_LOST:
	case PD_RECORD_LOST_SAMPLES:
		return monitor->opts.on_record;
	default:
		return false;
	}
}

/* Pass @p err to on_error, or return it if the program set none. */
static struct pd_error *report(struct pd_monitor *monitor, uint32_t id, struct pd_error *err)
{
	if (!monitor->opts.on_error)
		return err;
	monitor->opts.on_error(monitor->opts.ctx, id, err);
	pd_error_destroy(err);
	return NULL;
}

static struct pd_error *queue(struct pd_monitor *monitor, struct pd_chunk *chunk)
{
	struct pd_record rec;

	for (size_t at = 0; at < chunk->size; at += rec.size) {
		/* Nothing shows where the next record begins, so the rest of the chunk is lost. */
		if (!cap_ring_record(&monitor->events, chunk->bytes + at, chunk->size - at, &rec))
			return report(monitor, 0,
				pd_error_create(
					PD_ERROR_FORMAT, "ring buffer", "invalid record size"));
		rec.chunk = chunk;
		if (rec.type == PD_RECORD_LOST || rec.type == PD_RECORD_LOST_SAMPLES)
			count_lost(monitor, &rec);
		if (is_wanted(monitor, &rec) && rec.time != PD_NO_TIME &&
			!pd_order_push(&monitor->order, &rec))
			return &pd_enomem;
	}
	return NULL;
}

static struct pd_error *drain_ring(struct pd_monitor *monitor, struct cap_ring *ring)
{
	struct pd_chunk *chunk;
	struct pd_error *err = cap_ring_take(ring, &chunk);

	if (err || !chunk)
		return err;
	err = queue(monitor, chunk);
	pd_chunk_unref(chunk);
	return err;
}

static struct pd_error *drain(struct pd_monitor *monitor)
{
	struct cap_session *rings = &monitor->rings;
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

static struct pd_error *deliver(struct pd_monitor *monitor, const struct pd_record *rec)
{
	struct pd_error *err = refresh(monitor);

	if (err)
		return err;
	return rec->type == PD_RECORD_SAMPLE ? deliver_sample(monitor, rec)
					     : deliver_record(monitor, rec);
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

/* Read the rings and deliver what is complete; at the end of a run, everything is. */
static struct pd_error *pass_on(struct pd_monitor *monitor, bool is_end)
{
	struct pd_error *err = drain(monitor);

	if (err)
		return err;
	if (!(is_end ? pd_order_end : pd_order_round)(&monitor->order))
		return &pd_enomem;
	err = deliver_all(monitor);
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
		return pd_error_create(PD_ERROR_USAGE, NULL, "a callback cannot run its monitor");
	monitor->is_running = true;
	return NULL;
}

/* Milliseconds to wait for rings when the run ends at @p end of pd_clock_now(). */
static int wait_until(double end)
{
	double left = (end - pd_clock_now()) * 1000;

	return left > DRAIN_MS ? DRAIN_MS : left > 0 ? (int)ceil(left) : 0;
}

static struct pd_error *wait_and_pass_on(struct pd_monitor *monitor, int milliseconds)
{
	struct cap_ready ready;
	struct pd_error *err = cap_event_loop_wait(&monitor->loop, milliseconds, &ready);

	return err ? err : pass_on(monitor, false);
}

struct pd_error *pd_monitor_poll(struct pd_monitor *monitor, int milliseconds)
{
	struct pd_error *err = begin_run(monitor);

	if (err)
		return err;
	/* A stop before the poll is none, and one that ends it ends nothing else. */
	take_stop(monitor);
	err = wait_and_pass_on(monitor, milliseconds);
	take_stop(monitor);
	monitor->is_running = false;
	return err;
}

struct pd_error *pd_monitor_flush(struct pd_monitor *monitor)
{
	struct pd_error *err = begin_run(monitor);

	if (err)
		return err;
	err = pass_on(monitor, true);
	monitor->is_running = false;
	return err;
}

/* Run until the monitor is stopped or pd_clock_now() is @p end. */
static struct pd_error *run_until(struct pd_monitor *monitor, double end)
{
	struct pd_error *err = begin_run(monitor);

	if (err)
		return err;
	do
		err = wait_and_pass_on(monitor, wait_until(end));
	while (!err && !take_stop(monitor) && pd_clock_now() < end);
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
	return run_until(monitor, pd_clock_now() + milliseconds / 1000.0);
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

	if (monitor->tracker)
		n += cap_session_n_lost(&monitor->tracker->session);
	for (size_t i = 0; i < monitor->registrations.n; i++)
		n += cap_session_n_lost(&monitor->registrations.data[i]->session);
	/* Before Linux 6.0 events do not count lost samples. */
	return n > monitor->n_reported_lost ? n : monitor->n_reported_lost;
}
