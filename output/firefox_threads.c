/*
 * Threads of the firefox format: a track each. A thread with samples of several events is written
 * once for each of them, because the samples of a thread have one kind of weight.
 */
#include "output/firefox_threads.h"

#include <inttypes.h>
#include <string.h>

#include "output/firefox_markers.h"
#include "output/firefox_shared.h"

/* Units of weights. */
enum weight { WEIGHT_NS, WEIGHT_BYTES, WEIGHT_COUNT };

static const char *const weight_types[] = {
	[WEIGHT_NS] = "tracing-ms",
	[WEIGHT_BYTES] = "bytes",
	[WEIGHT_COUNT] = "samples",
};

static const struct prof_event *event_of(const struct firefox *f, const struct out_track *track)
{
	return prof_event(f->profile, track->key.event);
}

static enum weight weight_of(const struct firefox *f, const struct out_track *track)
{
	const char *unit = prof_string(f->profile, event_of(f, track)->unit);

	if (strcmp(unit, "nanoseconds") == 0)
		return WEIGHT_NS;
	return strcmp(unit, "bytes") == 0 ? WEIGHT_BYTES : WEIGHT_COUNT;
}

/* The samples of a thread, and the intervals in which it was switched off its CPU. */
struct thread {
	const struct out_track *track;
	const struct prof_sample_id *samples;
	const struct firefox_marker *markers;
	size_t n_markers;
	/** The recording has its context switches or its waits. */
	bool is_switched;
};

static bool is_main_event(const struct firefox *f, const struct thread *thread)
{
	return prof_same_event(thread->track->key.event, f->event);
}

/*
 * CPU time of a thread between two samples of it, in ns: the time in which it was not switched off.
 * Markers before *@p next ended before @p from.
 */
static uint64_t time_on_cpu(const struct thread *thread, uint64_t from, uint64_t to, size_t *next)
{
	uint64_t off = 0;

	for (; *next < thread->n_markers && thread->markers[*next].start < to; ++*next) {
		const struct firefox_marker *marker = &thread->markers[*next];
		uint64_t start = marker->start > from ? marker->start : from;
		uint64_t end = marker->end < to ? marker->end : to;

		if (marker->kind == FIREFOX_MARKER_OFF_CPU && end > start)
			off += end - start;
	}
	return off < to - from ? to - from - off : 0;
}

static bool has_switches(const struct firefox_marker *markers, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (markers[i].kind == FIREFOX_MARKER_OFF_CPU)
			return true;
	}
	return false;
}

/*
 * CPU time between the sample number @p i, after the first one, and the one before: the time that a
 * clock counted, or the time in which the thread was not switched off, or the sampling period.
 */
static uint64_t cpu_time(
	const struct firefox *f, const struct thread *thread, uint32_t i, size_t *next)
{
	const struct out_track *track = thread->track;

	if (firefox_is_off_cpu(f, track->key.event))
		return 0;
	if (weight_of(f, track) == WEIGHT_NS)
		return prof_value(f->profile, thread->samples[i])->period;
	if (thread->is_switched)
		return time_on_cpu(thread, out_sample_time(f->profile, thread->samples[i - 1]),
			out_sample_time(f->profile, thread->samples[i]), next);
	return event_of(f, track)->period_ns;
}

/* Write the CPU time before each sample, from which the viewer draws how busy a thread was. */
static void write_cpu_times(struct firefox *f, const struct thread *thread)
{
	const struct out_track *track = thread->track;
	uint64_t before = PD_NO_TIME;
	size_t next = 0;

	if (!thread->is_switched && weight_of(f, track) != WEIGHT_NS &&
		!event_of(f, track)->period_ns)
		return;
	pd_json_array(&f->json, "threadCPUDelta");
	for (uint32_t i = 0; i < track->n; i++) {
		uint64_t time = out_sample_time(f->profile, thread->samples[i]);
		uint64_t elapsed = before < time ? time - before : 0;
		uint64_t on = elapsed ? cpu_time(f, thread, i, &next) : 0;

		pd_json_uint(&f->json, NULL, on < elapsed ? on : elapsed);
		before = time;
	}
	pd_json_end(&f->json, ']');
}

static void write_weight(struct firefox *f, enum weight weight, uint64_t period)
{
	if (weight == WEIGHT_NS)
		firefox_write_ms(f, NULL, period);
	else
		pd_json_uint(&f->json, NULL, period);
}

static void write_samples(struct firefox *f, const struct thread *thread)
{
	const struct out_track *track = thread->track;
	enum weight weight = weight_of(f, track);
	struct pd_json *json = &f->json;

	pd_json_object(json, "samples");
	pd_json_uint(json, "length", track->n);
	pd_json_str(json, "weightType", weight_types[weight]);
	pd_json_array(json, "stack");
	for (uint32_t i = 0; i < track->n; i++)
		firefox_write_stack(f, NULL, prof_sample(f->profile, thread->samples[i])->stack);
	pd_json_end(json, ']');
	pd_json_array(json, "time");
	for (uint32_t i = 0; i < track->n; i++)
		firefox_write_time(f, NULL, out_sample_time(f->profile, thread->samples[i]));
	pd_json_end(json, ']');
	pd_json_array(json, "weight");
	for (uint32_t i = 0; i < track->n; i++)
		write_weight(f, weight, prof_value(f->profile, thread->samples[i])->period);
	pd_json_end(json, ']');
	write_cpu_times(f, thread);
	pd_json_end(json, '}');
}

/* Name of a thread: "server", or "server (page-faults)" for other events than the first. */
static void write_name(struct firefox *f, const struct thread *thread)
{
	const char *comm =
		prof_string(f->profile, prof_thread(f->profile, thread->track->thread)->comm);
	char name[256];

	if (is_main_event(f, thread))
		snprintf(name, sizeof(name), "%s", comm);
	else
		snprintf(name, sizeof(name), "%s (%s)", comm,
			prof_string(f->profile, event_of(f, thread->track)->name));
	pd_json_str(&f->json, "name", name);
}

/* Thread ids are unique in the file. */
static void write_ids(struct firefox *f, const struct thread *thread)
{
	const struct out_track_key *key = &thread->track->key;
	char text[32];

	snprintf(text, sizeof(text), "%" PRId32, (int32_t)key->pid);
	pd_json_str(&f->json, "pid", text);
	if (is_main_event(f, thread)) {
		pd_json_int(&f->json, "tid", (int32_t)key->tid);
		return;
	}
	snprintf(text, sizeof(text), "%" PRId32 ".%" PRIu32, (int32_t)key->tid, key->event.i);
	pd_json_str(&f->json, "tid", text);
}

static struct firefox_life find_life(const struct firefox *f, uint32_t pid, uint32_t tid)
{
	const uint64_t *id = pd_map_find(&f->life_ids, firefox_thread_key(pid, tid));

	return id ? f->lives.data[*id]
		  : (struct firefox_life){ .begin = PD_NO_TIME, .end = PD_NO_TIME };
}

static void write_life(struct firefox *f, const char *begin_key, const char *end_key,
	const struct firefox_life *life)
{
	if (life->begin == PD_NO_TIME)
		pd_json_uint(&f->json, begin_key, 0);
	else
		firefox_write_time(f, begin_key, life->begin);
	if (life->end == PD_NO_TIME)
		firefox_write_null(f, end_key);
	else
		firefox_write_time(f, end_key, life->end);
}

/* Name of a process: that of its first thread, if it has samples, or of this one. */
static const char *process_name(const struct firefox *f, const struct thread *thread)
{
	uint32_t pid = thread->track->key.pid;
	const uint64_t *first = pd_map_find(&f->first_tracks, firefox_thread_key(pid, pid));
	const struct out_track *track = first ? &f->tracks.list.data[*first] : thread->track;

	return prof_string(f->profile, prof_thread(f->profile, track->thread)->comm);
}

static void write_thread(struct firefox *f, const struct thread *thread)
{
	const struct out_track_key *key = &thread->track->key;
	const struct firefox_life process = find_life(f, key->pid, key->pid);
	const struct firefox_life life = find_life(f, key->pid, key->tid);
	struct pd_json *json = &f->json;

	pd_json_object(json, NULL);
	write_name(f, thread);
	write_ids(f, thread);
	pd_json_bool(json, "isMainThread", key->pid == key->tid && is_main_event(f, thread));
	pd_json_str(json, "processType", "default");
	pd_json_str(json, "processName", process_name(f, thread));
	write_life(f, "processStartupTime", "processShutdownTime", &process);
	write_life(f, "registerTime", "unregisterTime", &life);
	pd_json_bool(json, "showMarkersInTimeline", true);
	pd_json_array(json, "pausedRanges");
	pd_json_end(json, ']');
	write_samples(f, thread);
	firefox_write_markers(f, thread->markers, thread->n_markers);
	pd_json_end(json, '}');
}

void firefox_write_threads(struct firefox *f)
{
	size_t begin = 0;

	pd_json_array(&f->json, "threads");
	for (size_t i = 0; i < f->tracks.list.n; i++) {
		const struct out_track *track = &f->tracks.list.data[i];
		size_t end = begin;

		while (end < f->markers.n && f->markers.data[end].track == i)
			end++;
		const struct firefox_marker *markers =
			f->markers.data ? &f->markers.data[begin] : NULL;
		const struct thread thread = {
			.track = track,
			.samples = &f->tracks.samples.data[track->first],
			.markers = markers,
			.n_markers = end - begin,
			.is_switched = has_switches(markers, end - begin),
		};
		write_thread(f, &thread);
		begin = end;
	}
	pd_json_end(&f->json, ']');
}
