/* Events for direct reading: of one thread or CPU, or of a process on every CPU. */
#include <pdconv/capture.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/capture_opts.h"
#include "parse/events_private.h"

struct pd_perf_reader {
	struct pd_perf_set *set;
	struct cap_cpu_ring *ring;
	/** Buffer for a record that wraps around the end of the ring. */
	PD_VEC(uint8_t) joined;
};

struct pd_perf_set {
	struct cap_recording recording;
	struct pd_events events;
	PD_VEC(struct pd_perf_reader) readers;
};

void pd_perf_set_close(struct pd_perf_set *set)
{
	if (!set)
		return;
	for (size_t i = 0; i < set->readers.n; i++)
		pd_vec_deinit(&set->readers.data[i].joined);
	pd_vec_deinit(&set->readers);
	pd_events_deinit(&set->events);
	cap_session_close(&set->recording.session);
	cap_recording_deinit(&set->recording);
	free(set);
}

void pd_perf_reader_close(struct pd_perf_reader *reader)
{
	if (reader)
		pd_perf_set_close(reader->set);
}

static struct pd_error *add_readers(struct pd_perf_set *set)
{
	struct cap_session *session = &set->recording.session;

	for (size_t i = 0; i < session->rings.n; i++) {
		const struct pd_perf_reader reader = { .set = set,
			.ring = &session->rings.data[i] };

		if (!pd_vec_push(&set->readers, reader))
			return &pd_enomem;
	}
	return cap_session_list_events(session, &set->events);
}

/* Open the events for the target, which has been set. */
static struct pd_error *open_set(struct pd_perf_set *set, const struct pd_capture_opts *opts)
{
	struct cap_recording *recording = &set->recording;
	struct pd_error *err = cap_capture_opts_open(opts, recording);

	if (err)
		return err;
	if (recording->events.list.n != 1)
		return pd_error_create(PD_ERROR_USAGE, NULL, "'%s' is %zu events, expected one",
			opts->event, recording->events.list.n);
	return add_readers(set);
}

static struct pd_perf_set *create_set(void)
{
	struct pd_perf_set *set = calloc(1, sizeof(*set));

	if (set)
		cap_recording_init(&set->recording);
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
	struct pd_error *err = target_thread(&set->recording.target, tid, cpu);

	if (err)
		return err;
	if (opts->inherit && cpu < 0)
		return pd_error_create(PD_ERROR_USAGE, NULL,
			"an inherited event needs a cpu: the kernel has no ring for it on all CPUs");
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
	struct pd_error *err = target_process(&set->recording.target, pid);
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
	return cap_session_enable(&set->recording.session, is_enabled);
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

size_t pd_perf_set_n_offline(const struct pd_perf_set *set)
{
	return set->recording.session.n_offline;
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
	const struct pd_events *events = &reader->set->events;
	size_t n = bytes->n_first + bytes->n_second;

	if (cap_ring_record(events, bytes->first, bytes->n_first, ret))
		return NULL;
	/* A record is smaller than 64 KiB. */
	if (n > UINT16_MAX)
		n = UINT16_MAX;
	if (n > bytes->n_first) {
		if (!pd_vec_reserve(&reader->joined, n))
			return &pd_enomem;
		memcpy(reader->joined.data, bytes->first, bytes->n_first);
		memcpy(reader->joined.data + bytes->n_first, bytes->second, n - bytes->n_first);
		if (cap_ring_record(events, reader->joined.data, n, ret))
			return NULL;
	}
	return pd_error_create(PD_ERROR_FORMAT, "ring buffer", "invalid record size");
}

static struct pd_error *deliver(
	const struct pd_events *events, const struct pd_record *rec, pd_on_record *fn, void *ctx)
{
	struct pd_sample sample;
	const char *wrong;

	if (rec->type != PD_RECORD_SAMPLE)
		return fn(ctx, rec, NULL);
	if (pd_sample_decode(&events->list.data[0].plan, rec, &sample, &wrong) == PD_SAMPLE_SHORT)
		return pd_error_create(
			PD_ERROR_FORMAT, "ring buffer", "SAMPLE: truncated in %s", wrong);
	return fn(ctx, rec, &sample);
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
	if (err)
		return err;
	err = deliver(&reader->set->events, &rec, fn, ctx);
	cap_ring_release(&reader->ring->ring, rec.size);
	return err;
}
