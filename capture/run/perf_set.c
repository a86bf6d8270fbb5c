/* Events for direct reading: of one thread or CPU, or of a process on every CPU. */
#include <pdconv/capture.h>

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include "capture/capture_opts.h"
#include "capture/stream.h"
#include "parse/event_index.h"

struct pd_perf_reader {
	struct pd_perf_set *set;
	struct cap_cpu_ring *ring;
	struct cap_joined joined;
};

struct pd_perf_set {
	struct cap_session session;
	struct pd_events events;
	PD_VEC(struct pd_perf_reader) readers;
	/** Result of read_counters(), by event. */
	PD_VEC(struct pd_count) counts;
	/** Records of all rings, for pd_perf_set_read(), which opens it. */
	struct cap_stream stream;
};

void pd_perf_set_close(struct pd_perf_set *set)
{
	if (!set)
		return;
	for (size_t i = 0; i < set->readers.n; i++)
		pd_vec_deinit(&set->readers.data[i].joined.bytes);
	pd_vec_deinit(&set->readers);
	pd_vec_deinit(&set->counts);
	cap_stream_deinit(&set->stream);
	parse_events_deinit(&set->events);
	cap_session_deinit(&set->session);
	free(set);
}

void pd_perf_reader_close(struct pd_perf_reader *reader)
{
	if (reader)
		pd_perf_set_close(reader->set);
}

static struct pd_error *add_readers(struct pd_perf_set *set)
{
	struct cap_session *session = &set->session;

	for (size_t i = 0; i < session->rings.n; i++) {
		const struct pd_perf_reader reader = { .set = set,
			.ring = &session->rings.data[i] };

		if (!pd_vec_push(&set->readers, reader))
			return &pd_enomem;
	}
	for (size_t i = 0; i < session->opened.n; i++) {
		if (!pd_vec_push(&set->counts, (struct pd_count){ 0 }))
			return &pd_enomem;
	}
	return cap_session_list_events(session, &set->events);
}

/* Check that the events are one, or one group. */
static struct pd_error *check_group(
	const struct cap_events *events, const struct pd_capture_opts *opts)
{
	for (size_t i = 1; i < events->list.n; i++) {
		if (events->list.data[i].leader != 0)
			return pd_error_create(PD_ERROR_USAGE, NULL,
				"'%s' is %zu events, expected one or a group", opts->event,
				events->list.n);
	}
	if (opts->inherit && events->list.data[0].reads_group)
		return pd_error_create(PD_ERROR_USAGE, NULL,
			"inherit and the modifier 'S' of '%s' cannot be combined", opts->event);
	return NULL;
}

/* Open the events for the target, which has been set. */
static struct pd_error *open_set(struct pd_perf_set *set, const struct pd_capture_opts *opts)
{
	const struct pd_capture_opts with_stack = cap_capture_opts_with_stack(opts);
	struct cap_session *session = &set->session;
	struct pd_error *err = cap_capture_opts_open(&with_stack, session);

	if (err)
		return err;
	err = check_group(&session->events, opts);
	return err ? err : add_readers(set);
}

static struct pd_perf_set *create_set(void)
{
	struct pd_perf_set *set = calloc(1, sizeof(*set));

	if (!set)
		return NULL;
	cap_session_init(&set->session);
	cap_stream_init(&set->stream, &set->session, &set->events);
	return set;
}

static struct pd_error *target_thread(struct cap_target *target, pid_t tid, int cpu)
{
	if (tid < 0 && cpu < 0)
		return pd_error_create(PD_ERROR_USAGE, NULL, "tid and cpu cannot both be -1");
	target->is_system_wide = tid < 0;
	if (!pd_vec_push(&target->cpus, cpu) || (tid >= 0 && !pd_vec_push(&target->tids, tid)))
		return &pd_enomem;
	return NULL;
}

static struct pd_error *open_thread(
	struct pd_perf_set *set, const struct pd_capture_opts *opts, pid_t tid, int cpu)
{
	struct pd_error *err = target_thread(&set->session.target, tid, cpu);

	if (err)
		return err;
	if (opts->inherit && cpu < 0)
		return pd_error_create(PD_ERROR_USAGE, NULL,
			"an inherited event needs a cpu: the kernel has no ring for it on all CPUs");
	set->session.is_strict = true;
	return open_set(set, opts);
}

struct pd_error *pd_perf_reader_open(
	const struct pd_capture_opts *opts, pid_t tid, int cpu, struct pd_perf_reader **ret)
{
	struct pd_perf_set *set = create_set();

	if (!set)
		return &pd_enomem;
	struct pd_error *err = open_thread(set, opts, tid, cpu);
	if (err) {
		pd_perf_set_close(set);
		return err;
	}
	*ret = &set->readers.data[0];
	return NULL;
}

static struct pd_error *target_process(struct cap_target *target, pid_t pid)
{
	struct pd_error *err = cap_target_use_online_cpus(target);

	target->is_system_wide = pid < 0;
	if (err || pid < 0)
		return err;
	return cap_target_add_process(target, pid ? pid : getpid());
}

struct pd_error *pd_perf_set_open(
	const struct pd_capture_opts *opts, pid_t pid, struct pd_perf_set **ret)
{
	struct pd_perf_set *set = create_set();

	if (!set)
		return &pd_enomem;
	struct pd_error *err = target_process(&set->session.target, pid);
	if (err) {
		pd_perf_set_close(set);
		return err;
	}
	err = open_set(set, opts);
	if (err) {
		pd_perf_set_close(set);
		return err;
	}
	*ret = set;
	return NULL;
}

struct pd_error *pd_perf_set_enable(struct pd_perf_set *set, bool is_enabled)
{
	return cap_session_enable(&set->session, is_enabled);
}

struct pd_error *pd_perf_reader_enable(struct pd_perf_reader *reader, bool is_enabled)
{
	return pd_perf_set_enable(reader->set, is_enabled);
}

size_t pd_perf_set_n(const struct pd_perf_set *set)
{
	return set->readers.n;
}

struct pd_perf_reader *pd_perf_set_reader(struct pd_perf_set *set, size_t i)
{
	return &set->readers.data[i];
}

const struct pd_events *pd_perf_set_events(const struct pd_perf_set *set)
{
	return &set->events;
}

size_t pd_perf_set_n_offline(const struct pd_perf_set *set)
{
	return set->session.n_offline;
}

int pd_perf_reader_fd(const struct pd_perf_reader *reader)
{
	return reader->ring->fd;
}

int pd_perf_reader_cpu(const struct pd_perf_reader *reader)
{
	return reader->ring->cpu;
}

const struct pd_events *pd_perf_reader_events(const struct pd_perf_reader *reader)
{
	return &reader->set->events;
}

/* Get the first record in the ring in one piece. */
static struct pd_error *take_first(
	struct pd_perf_reader *reader, const struct cap_ring_bytes *bytes, struct pd_record *ret)
{
	size_t n = bytes->n_first + bytes->n_second;

	if (!cap_record_read(bytes->first, bytes->n_first, ret)) {
		/* A record is smaller than 64 KiB. */
		n = n < UINT16_MAX ? n : UINT16_MAX;
		const uint8_t *joined = cap_ring_join(bytes, n, &reader->joined);
		if (!joined)
			return &pd_enomem;
		if (!cap_record_read(joined, n, ret))
			return cap_not_records();
	}
	ret->time = pd_events_time(&reader->set->events, ret);
	return NULL;
}

static struct pd_error *deliver(
	struct pd_perf_reader *reader, const struct pd_record *rec, pd_on_record *fn, void *ctx)
{
	const struct pd_events *events = &reader->set->events;
	const struct pd_event *event = &events->list.data[0];
	struct pd_sample sample;

	if (rec->type != PD_RECORD_SAMPLE)
		return fn(ctx, rec, NULL);
	if (events->list.n > 1)
		event = pd_events_find(events, rec);
	if (!event)
		return pd_error_create(
			PD_ERROR_FORMAT, "ring buffer", "SAMPLE: its event is unknown");
	struct pd_error *err = cap_sample_decode(event, rec, &sample);
	return err ? err : fn(ctx, rec, &sample);
}

struct pd_error *pd_perf_reader_next(
	struct pd_perf_reader *reader, pd_on_record *fn, void *ctx, bool *has_ret)
{
	struct cap_ring_bytes bytes = cap_ring_peek(&reader->ring->ring);
	struct pd_record rec;

	*has_ret = bytes.n_first > 0;
	if (!*has_ret)
		return NULL;
	struct pd_error *err = take_first(reader, &bytes, &rec);
	if (err) {
		/* Nothing shows where the next record begins. */
		if (err->code == PD_ERROR_FORMAT)
			cap_ring_release(&reader->ring->ring, bytes.n_first + bytes.n_second);
		return err;
	}
	cap_ring_note_lost(reader->ring, &reader->set->events, &rec);
	err = deliver(reader, &rec, fn, ctx);
	cap_ring_release(&reader->ring->ring, rec.size);
	return err;
}

struct pd_error *pd_perf_reader_read(struct pd_perf_reader *reader, int timeout_ms,
	pd_on_record *fn, void *ctx, bool *has_exited_ret)
{
	struct pollfd ready = { .fd = reader->ring->fd, .events = POLLIN };
	struct pd_error *err = NULL;
	bool has = true;

	if (poll(&ready, 1, timeout_ms) < 0 && errno != EINTR)
		return pd_error_os(NULL, "cannot wait for the ring buffer");
	while (!err && has)
		err = pd_perf_reader_next(reader, fn, ctx, &has);
	if (!err && has_exited_ret)
		*has_exited_ret = ready.revents & (POLLHUP | POLLERR);
	return err;
}

/* Counters. */

/* Whether instance @p k of an event writes to the ring of @p reader. */
static bool is_instance(const struct pd_perf_reader *reader, size_t k)
{
	const struct cap_target *target = &reader->set->session.target;

	return target->cpus.data[k % target->cpus.n] == reader->ring->cpu;
}

/* Add the counters that descriptor @p fd of event @p from reads. False if they cannot be read. */
static bool add_counters(
	const struct pd_perf_set *set, size_t from, int fd, struct pd_count *counts)
{
	const struct cap_session *session = &set->session;
	struct cap_counters counters;

	if (!cap_counters_read(fd, session->opened.data[from].event->attr.read_format, &counters))
		return false;
	for (uint64_t i = 0; i < counters.read.values.n; i++) {
		struct pd_read_value value = pd_read_value(&counters.read, i);
		const struct pd_event *event = pd_events_by_id(&set->events, value.id);

		/* A member with the format GROUP has the values of the others too. */
		if (!event || cap_session_counter_of(session, event->index) != from)
			continue;
		struct pd_count *count = &counts[event->index];
		count->value += value.value;
		count->lost += value.lost;
		count->time_enabled += counters.read.time_enabled;
		count->time_running += counters.read.time_running;
	}
	return true;
}

/*
 * Sum the counters of the instances that write to the ring of @p reader, in set->counts. False if
 * one cannot be read.
 */
static bool read_counters(const struct pd_perf_reader *reader)
{
	struct pd_perf_set *set = reader->set;
	const struct cap_session *session = &set->session;

	for (size_t i = 0; i < set->counts.n; i++)
		set->counts.data[i] = (struct pd_count){ .event = &set->events.list.data[i] };
	for (size_t i = 0; i < session->opened.n; i++) {
		const struct cap_opened *event = &session->opened.data[i];

		for (size_t k = 0; k < event->fds.n; k++) {
			int fd = event->fds.data[k];

			if (fd >= 0 && is_instance(reader, k) &&
				cap_session_counter_of(session, i) == i &&
				!add_counters(set, i, fd, set->counts.data))
				return false;
		}
	}
	return true;
}

struct pd_error *pd_perf_reader_count(
	const struct pd_perf_reader *reader, struct pd_count *counts, size_t max, size_t *n_ret)
{
	const struct pd_perf_set *set = reader->set;

	if (!read_counters(reader))
		return pd_error_os(set->events.list.data[0].name, "cannot read the counter");
	for (size_t i = 0; i < set->counts.n && i < max; i++)
		counts[i] = set->counts.data[i];
	*n_ret = set->counts.n;
	return NULL;
}

uint64_t pd_perf_reader_n_lost(const struct pd_perf_reader *reader)
{
	const struct pd_perf_set *set = reader->set;
	bool can_read = read_counters(reader);
	uint64_t n = 0;

	for (size_t i = 0; can_read && i < set->counts.n; i++)
		n += set->counts.data[i].lost;
	/* Before Linux 6.0 events do not count lost samples. */
	return n > reader->ring->n_reported_lost ? n : reader->ring->n_reported_lost;
}

uint64_t pd_perf_set_n_lost(const struct pd_perf_set *set)
{
	uint64_t n = 0;

	for (size_t i = 0; i < set->readers.n; i++)
		n += pd_perf_reader_n_lost(&set->readers.data[i]);
	return n;
}

/* Records of all rings, in order of time. */

/* Wait for data in the rings, for up to @p timeout_ms. The first call opens the stream. */
static struct pd_error *wait_for_rings(struct pd_perf_set *set, int timeout_ms)
{
	struct pd_error *err = set->stream.epoll_fd < 0 ? cap_stream_open(&set->stream) : NULL;
	struct cap_ready ready;

	return err ? err : cap_stream_wait(&set->stream, timeout_ms, &ready);
}

/* A caller of pd_perf_set_read(). */
struct caller {
	struct pd_perf_set *set;
	pd_on_record *fn;
	void *ctx;
};

static struct pd_error *pass_on(void *ctx, const struct pd_record *rec)
{
	const struct caller *to = ctx;

	return deliver(&to->set->readers.data[rec->part], rec, to->fn, to->ctx);
}

struct pd_error *pd_perf_set_read(
	struct pd_perf_set *set, int timeout_ms, pd_on_record *fn, void *ctx)
{
	struct caller to = { set, fn, ctx };
	bool is_enabled = set->session.is_enabled;
	struct pd_error *err = is_enabled ? wait_for_rings(set, timeout_ms) : NULL;

	if (!err)
		err = cap_stream_drain(&set->stream);
	return err ? err : cap_stream_round(&set->stream, !is_enabled, pass_on, &to);
}
