/*
 * Tracks of the firefox format. A thread with samples of several events is written once for each of
 * them, because the samples of a thread have one kind of weight. A counter is a graph in a process
 * for an event that takes no samples itself, but whose counter was read in the samples of another
 * event, the leader of its group.
 */
#include "output/firefox/firefox_threads.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/analyzer.h"
#include "base/array.h"
#include "base/containers/sort.h"
#include "output/firefox/firefox_markers.h"
#include "output/firefox/firefox_shared.h"

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
		return time_on_cpu(thread, prof_sample_time(f->profile, thread->samples[i - 1]),
			prof_sample_time(f->profile, thread->samples[i]), next);
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
	base_json_array(&f->json, "threadCPUDelta");
	for (uint32_t i = 0; i < track->n; i++) {
		uint64_t time = prof_sample_time(f->profile, thread->samples[i]);
		uint64_t elapsed = before < time ? time - before : 0;
		uint64_t on = elapsed ? cpu_time(f, thread, i, &next) : 0;

		base_json_uint(&f->json, NULL, on < elapsed ? on : elapsed);
		before = time;
	}
	base_json_end(&f->json, ']');
}

static void write_weight(struct firefox *f, enum weight weight, uint64_t period)
{
	if (weight == WEIGHT_NS)
		firefox_write_ms(f, NULL, period);
	else
		base_json_uint(&f->json, NULL, period);
}

static void write_samples(struct firefox *f, const struct thread *thread)
{
	const struct out_track *track = thread->track;
	enum weight weight = weight_of(f, track);
	struct base_json *json = &f->json;

	base_json_object(json, "samples");
	base_json_uint(json, "length", track->n);
	base_json_str(json, "weightType", weight_types[weight]);
	base_json_array(json, "stack");
	for (uint32_t i = 0; i < track->n; i++)
		firefox_write_stack(f, NULL, prof_sample(f->profile, thread->samples[i])->stack);
	base_json_end(json, ']');
	base_json_array(json, "time");
	for (uint32_t i = 0; i < track->n; i++)
		firefox_write_time(f, NULL, prof_sample_time(f->profile, thread->samples[i]));
	base_json_end(json, ']');
	base_json_array(json, "weight");
	for (uint32_t i = 0; i < track->n; i++)
		write_weight(f, weight, prof_value(f->profile, thread->samples[i])->period);
	base_json_end(json, ']');
	write_cpu_times(f, thread);
	base_json_end(json, '}');
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
	base_json_str(&f->json, "name", name);
}

/* Thread ids are unique in the file. */
static void write_ids(struct firefox *f, const struct thread *thread)
{
	const struct out_track_key *key = &thread->track->key;
	char text[32];

	snprintf(text, sizeof(text), "%" PRId32, (int32_t)key->pid);
	base_json_str(&f->json, "pid", text);
	if (is_main_event(f, thread)) {
		base_json_int(&f->json, "tid", (int32_t)key->tid);
		return;
	}
	snprintf(text, sizeof(text), "%" PRId32 ".%" PRIu32, (int32_t)key->tid, key->event.i);
	base_json_str(&f->json, "tid", text);
}

static struct firefox_life find_life(const struct firefox *f, uint32_t pid, uint32_t tid)
{
	const uint64_t *id = base_map_find(&f->life_ids, firefox_thread_key(pid, tid));

	return id ? f->lives.data[*id]
		  : (struct firefox_life){ .begin = PD_NO_TIME, .end = PD_NO_TIME };
}

static void write_life(struct firefox *f, const char *begin_key, const char *end_key,
	const struct firefox_life *life)
{
	if (life->begin == PD_NO_TIME)
		base_json_uint(&f->json, begin_key, 0);
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
	const uint64_t *first = base_map_find(&f->first_tracks, firefox_thread_key(pid, pid));
	const struct out_track *track = first ? &f->tracks.list.data[*first] : thread->track;

	return prof_string(f->profile, prof_thread(f->profile, track->thread)->comm);
}

static void write_thread(struct firefox *f, const struct thread *thread)
{
	const struct out_track_key *key = &thread->track->key;
	const struct firefox_life process = find_life(f, key->pid, key->pid);
	const struct firefox_life life = find_life(f, key->pid, key->tid);
	struct base_json *json = &f->json;

	base_json_object(json, NULL);
	write_name(f, thread);
	write_ids(f, thread);
	base_json_bool(json, "isMainThread", key->pid == key->tid && is_main_event(f, thread));
	base_json_str(json, "processType", "default");
	base_json_str(json, "processName", process_name(f, thread));
	write_life(f, "processStartupTime", "processShutdownTime", &process);
	write_life(f, "registerTime", "unregisterTime", &life);
	base_json_bool(json, "showMarkersInTimeline", true);
	base_json_array(json, "pausedRanges");
	base_json_end(json, ']');
	write_samples(f, thread);
	firefox_write_markers(f, thread->markers, thread->n_markers);
	base_json_end(json, '}');
}

void firefox_write_threads(struct firefox *f)
{
	size_t begin = 0;

	base_json_array(&f->json, "threads");
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
	base_json_end(&f->json, ']');
}

/* Reads of the counter of an event in a process. */
struct counter {
	const struct prof_event *event;
	/** First track of the process. */
	uint32_t track;
	/** Time of each read, and its index in counts. Ordered by time. */
	PD_VEC(struct base_keyed) times;
	/** Increase of the counter at each sample, in the order of the tracks. */
	PD_VEC(uint64_t) counts;
};

static void counter_deinit(struct counter *counter)
{
	pd_vec_deinit(&counter->times);
	pd_vec_deinit(&counter->counts);
}

/* Position of a counter among the tracks of its process, and rows of its tooltip. */
enum { SORT_WEIGHT = 50 };

static const struct {
	const char *source;
	const char *label;
	bool needs_selection;
} tooltip_rows[] = {
	{ "count", "since the read before", false },
	{ "rate", "per millisecond", false },
	{ "committed-range-total", "in the visible range", false },
	{ "selection-total", "in the current selection", true },
};

/*
 * Add a read at the time of each sample of @p track. Samples of the leader move the counter by 0:
 * samples of the event itself exist only where it moved.
 */
static bool add_reads(
	const struct firefox *f, struct counter *counter, const struct out_track *track)
{
	const struct prof_sample_id *samples = &f->tracks.samples.data[track->first];
	bool is_leader = prof_event(f->profile, track->key.event) != counter->event;

	for (uint32_t i = 0; i < track->n; i++) {
		const struct base_keyed time = {
			.key = prof_sample_time(f->profile, samples[i]),
			.index = (uint32_t)counter->counts.n,
		};
		uint64_t count = is_leader ? 0 : prof_value(f->profile, samples[i])->period;

		if (!pd_vec_push(&counter->times, time) || !pd_vec_push(&counter->counts, count))
			return false;
	}
	return true;
}

/* Join reads at the same time, which are parts of one sample. */
static void join_reads(struct counter *counter)
{
	size_t n = 0;

	for (size_t i = 0; i < counter->times.n; i++) {
		struct base_keyed read = counter->times.data[i];

		if (n && counter->times.data[n - 1].key == read.key)
			counter->counts.data[counter->times.data[n - 1].index] +=
				counter->counts.data[read.index];
		else
			counter->times.data[n++] = read;
	}
	counter->times.n = n;
}

static void write_tooltip(struct firefox *f)
{
	struct base_json *json = &f->json;

	base_json_array(json, "tooltipRows");
	for (size_t i = 0; i < PD_ARRAY_LEN(tooltip_rows); i++) {
		base_json_object(json, NULL);
		base_json_str(json, "type", "value");
		base_json_str(json, "source", tooltip_rows[i].source);
		base_json_object(json, "format");
		base_json_str(json, "unit", "number");
		base_json_end(json, '}');
		base_json_str(json, "label", tooltip_rows[i].label);
		if (tooltip_rows[i].needs_selection)
			base_json_bool(json, "requiresPreviewSelection", true);
		base_json_end(json, '}');
	}
	base_json_end(json, ']');
}

static void write_display(struct firefox *f, const char *name)
{
	struct base_json *json = &f->json;

	base_json_object(json, "display");
	base_json_str(json, "graphType", "line-rate");
	base_json_str(json, "unit", "");
	base_json_str(json, "color", "teal");
	firefox_write_null(f, "markerSchemaLocation");
	base_json_uint(json, "sortWeight", SORT_WEIGHT);
	base_json_str(json, "label", name);
	write_tooltip(f);
	base_json_end(json, '}');
}

/*
 * Write the reads, after one of 0 that begins the interval of the first: the viewer ignores the
 * first value of a counter, because it does not know since when it counted.
 */
static void write_reads(struct firefox *f, const struct counter *counter)
{
	struct base_json *json = &f->json;

	PD_IS_TRUE(counter->times.n && counter->times.data, "a counter was read once at least");
	uint64_t first = counter->times.data[0].key;

	base_json_object(json, "samples");
	base_json_uint(json, "length", counter->times.n + 1);
	base_json_array(json, "time");
	firefox_write_time(f, NULL, first - firefox_interval(f));
	for (size_t i = 0; i < counter->times.n; i++)
		firefox_write_time(f, NULL, counter->times.data[i].key);
	base_json_end(json, ']');
	base_json_array(json, "count");
	base_json_uint(json, NULL, 0);
	for (size_t i = 0; i < counter->times.n; i++)
		base_json_uint(json, NULL, counter->counts.data[counter->times.data[i].index]);
	base_json_end(json, ']');
	base_json_end(json, '}');
}

static void write_counter(struct firefox *f, const struct counter *counter)
{
	const struct out_track *track = &f->tracks.list.data[counter->track];
	const char *name = prof_string(f->profile, counter->event->name);
	const char *unit = prof_string(f->profile, counter->event->unit);
	struct base_json *json = &f->json;
	char pid[16], text[256];

	snprintf(pid, sizeof(pid), "%" PRId32, (int32_t)track->key.pid);
	snprintf(text, sizeof(text), "Read in samples of its group, in %s",
		strcmp(unit, "count") == 0 ? "events" : unit);
	base_json_object(json, NULL);
	base_json_str(json, "name", name);
	base_json_str(json, "category", "perf");
	base_json_str(json, "description", text);
	base_json_str(json, "pid", pid);
	base_json_uint(json, "mainThreadIndex", counter->track);
	write_reads(f, counter);
	write_display(f, name);
	base_json_end(json, '}');
}

/* Tracks of an event in a process, which follow each other. */
struct range {
	uint32_t first;
	uint32_t end;
};

/* Return whether @p track has samples of the event @p id in a process before @p pid. */
static bool is_before(const struct out_track *track, uint32_t id, uint32_t pid)
{
	return track->key.event.i < id || (track->key.event.i == id && track->key.pid < pid);
}

/* Return the tracks of the event @p id in the process @p pid, from the track @p from on. */
static struct range find_process(const struct firefox *f, uint32_t from, uint32_t id, uint32_t pid)
{
	const struct out_track *tracks = f->tracks.list.data;
	struct range ret = { .first = from };

	while (ret.first < f->tracks.list.n && is_before(&tracks[ret.first], id, pid))
		ret.first++;
	ret.end = ret.first;
	while (ret.end < f->tracks.list.n && tracks[ret.end].key.event.i == id &&
		tracks[ret.end].key.pid == pid)
		ret.end++;
	return ret;
}

static bool add_range(const struct firefox *f, struct counter *counter, struct range range)
{
	bool ok = true;

	for (uint32_t i = range.first; i < range.end && ok; i++)
		ok = add_reads(f, counter, &f->tracks.list.data[i]);
	return ok;
}

static void write_process(
	struct firefox *f, const struct prof_event *event, struct range own, struct range leader)
{
	const struct out_track_key *key = &f->tracks.list.data[own.first].key;
	const uint64_t *first =
		base_map_find(&f->first_tracks, firefox_thread_key(key->pid, key->tid));
	struct counter counter = { .event = event, .track = first ? (uint32_t)*first : own.first };

	if (add_range(f, &counter, own) && add_range(f, &counter, leader) &&
		base_sort_keyed(counter.times.data, counter.times.n)) {
		join_reads(&counter);
		write_counter(f, &counter);
	} else {
		f->no_memory = true;
	}
	counter_deinit(&counter);
}

/* Write the counters of the event @p id in the processes in which it moved. */
static void write_event(struct firefox *f, struct prof_event_id id)
{
	const struct prof_event *event = prof_event(f->profile, id);
	struct range own = find_process(f, 0, id.i, 0);
	struct range leader = { 0 };

	while (own.first < f->tracks.list.n) {
		const struct out_track_key *key = &f->tracks.list.data[own.first].key;

		if (key->event.i != id.i)
			break;
		own = find_process(f, own.first, id.i, key->pid);
		leader = find_process(f, leader.first, event->leader - 1, key->pid);
		write_process(f, event, own, leader);
		own.first = own.end;
	}
}

bool firefox_has_counters(const struct firefox *f)
{
	/* A counter without times cannot be drawn. */
	if (f->profile->stats.first_ns <= firefox_interval(f))
		return false;
	for (size_t i = 0; i < f->profile->events.n; i++) {
		if (f->profile->events.data[i].leader)
			return true;
	}
	return false;
}

void firefox_write_counters(struct firefox *f)
{
	bool has_counters = firefox_has_counters(f);

	base_json_array(&f->json, "counters");
	for (struct prof_event_id id = { 0 }; has_counters && id.i < f->profile->events.n; id.i++) {
		if (prof_event(f->profile, id)->leader)
			write_event(f, id);
	}
	base_json_end(&f->json, ']');
}
