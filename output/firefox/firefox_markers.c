/*
 * Markers of the firefox format: what happened in a thread besides samples.
 */
#include "output/firefox/firefox_markers.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/keys/sample_text.h"
#include "base/array.h"
#include "base/cleanup.h"
#include "base/format.h"
#include "base/containers/sort.h"
#include "output/firefox/firefox_shared.h"
#include "output/ledger_text.h"
#include "output/tracks.h"

static const struct {
	const char *name;
	enum firefox_category category;
} kinds[] = {
#define MARKER_ROW(name, text, category) { text, FIREFOX_##category },
	FIREFOX_MARKERS(MARKER_ROW)
};

static void add_marker(struct firefox *f, const struct firefox_marker *marker)
{
	f->no_memory |= !pd_vec_push(&f->markers, *marker);
	if (f->markers.n)
		f->markers.data[f->markers.n - 1].number = (uint32_t)f->markers.n;
}

/* Return the first track of a thread, or PROF_NONE if it has no samples. */
static uint32_t track_of(const struct firefox *f, uint32_t pid, uint32_t tid)
{
	const uint64_t *track = base_map_find(&f->first_tracks, firefox_thread_key(pid, tid));

	return track ? (uint32_t)*track : PROF_NONE;
}

/* Return the life of a thread, which is added if it is new; NULL if memory runs out. */
static struct firefox_life *life_of(struct firefox *f, uint32_t pid, uint32_t tid)
{
	const struct firefox_life unknown = { .begin = PD_NO_TIME, .end = PD_NO_TIME };
	bool is_new;
	uint64_t *id = base_map_add(&f->life_ids, firefox_thread_key(pid, tid), &is_new);

	if (!id || (is_new && !pd_vec_push(&f->lives, unknown))) {
		f->no_memory = true;
		return NULL;
	}
	if (is_new)
		*id = f->lives.n - 1;
	return &f->lives.data[*id];
}

static void begin_or_end(
	struct firefox *f, const struct prof_note *note, const struct out_note *read)
{
	struct firefox_life *life = life_of(f, read->pid, read->tid);

	if (life)
		*(read->kind == OUT_NOTE_FORK ? &life->begin : &life->end) = note->time;
}

/*
 * Losses are shown by the thread in which they were noticed, or else by the first one. Records
 * without a time are totals that perf adds at the end of a recording.
 */
static void add_moment(
	struct firefox *f, const struct prof_note *note, enum firefox_marker_kind kind, uint64_t n)
{
	uint32_t track = track_of(f, note->pid, note->tid);
	const struct firefox_marker marker = {
		.track = track == PROF_NONE ? 0 : track,
		.kind = kind,
		.start = note->time,
		.end = note->time,
		.n = n,
		.stack = prof_no_stack(),
	};

	if (f->tracks.list.n && note->time)
		add_marker(f, &marker);
}

static void read_note(struct firefox *f, const struct prof_note *note)
{
	const struct out_note read = out_note_read(prof_note_text(f->profile, note->text));

	switch (read.kind) {
	case OUT_NOTE_FORK:
	case OUT_NOTE_EXIT:
		begin_or_end(f, note, &read);
		break;
	case OUT_NOTE_THROTTLED:
		add_moment(f, note, FIREFOX_MARKER_THROTTLED, 0);
		break;
	case OUT_NOTE_LOST:
		add_moment(f, note, FIREFOX_MARKER_LOST, read.n);
		break;
	}
}

static void add_tracepoint(struct firefox *f, const struct prof_row *row)
{
	const struct prof_sample *sample = prof_sample(f->profile, row->sample);
	const struct prof_thread *thread = prof_thread(f->profile, sample->thread);
	const struct firefox_marker marker = {
		.track = track_of(f, thread->pid, thread->tid),
		.kind = FIREFOX_MARKER_TRACEPOINT,
		.start = row->time,
		.end = row->time,
		.fields = row->trace,
		.event = sample->event,
		.stack = sample->stack,
	};

	add_marker(f, &marker);
}

/* Why a thread did not run, in a phase that follows the state @p before. */
static const char *reason_of(const struct prof_ledger_phase *phase, uint32_t before)
{
	if (phase->state == PROF_LEDGER_BLOCKED)
		return "waiting";
	return before == PROF_LEDGER_RUNNING ? "preempted" : "runnable";
}

static uint32_t track_of_thread(const struct firefox *f, struct prof_thread_id id)
{
	const struct prof_thread *thread = prof_is_none(id) ? NULL : prof_thread(f->profile, id);

	return thread ? track_of(f, thread->pid, thread->tid) : PROF_NONE;
}

/* Add the wakeup that ended @p off, and connect both. */
static void add_wakeup(struct firefox *f, const struct prof_ledger_phase *phase,
	struct prof_thread_id sleeper, struct firefox_marker *off)
{
	const struct firefox_marker wakeup = {
		.track = track_of_thread(f, phase->waker),
		.kind = FIREFOX_MARKER_WAKEUP,
		.start = off->end,
		.end = off->end,
		.other = sleeper,
		.interrupt = prof_no_string(),
		.flow = f->n_flows + 1,
		.stack = prof_no_stack(),
	};

	if (wakeup.track == PROF_NONE)
		return;
	off->flow = ++f->n_flows;
	add_marker(f, &wakeup);
}

static void add_phase(struct firefox *f, const struct prof_ledger_phase *phase, uint32_t before)
{
	struct prof_thread_id sleeper = f->profile->ledger_threads.data[phase->life].thread;
	struct firefox_marker marker = {
		.track = track_of_thread(f, sleeper),
		.kind = FIREFOX_MARKER_OFF_CPU,
		.start = phase->begin_ns,
		.end = phase->begin_ns + phase->ns,
		.reason = reason_of(phase, before),
		.other = phase->waker,
		.interrupt = phase->is_woken && prof_is_none(phase->waker) ? phase->interrupt
									   : prof_no_string(),
		.stack = prof_no_stack(),
	};

	if (marker.track == PROF_NONE)
		return;
	if (phase->is_woken)
		add_wakeup(f, phase, sleeper, &marker);
	else
		marker.other = prof_no_thread();
	add_marker(f, &marker);
}

/* Add the times in which threads did not run. */
static void add_phases(struct firefox *f)
{
	uint32_t before = PROF_LEDGER_UNKNOWN, life = PROF_NONE;

	for (size_t i = 0; i < f->profile->ledger_phases.n; i++) {
		const struct prof_ledger_phase *phase = &f->profile->ledger_phases.data[i];

		base_spill_pass(&f->profile->ledger_phases, i);
		if (phase->life != life)
			before = PROF_LEDGER_UNKNOWN;
		if (phase->state == PROF_LEDGER_BLOCKED || phase->state == PROF_LEDGER_RUNNABLE)
			add_phase(f, phase, before);
		before = phase->state;
		life = phase->life;
	}
}

/* Off-CPU time that was sampled: each sample has the stack and the time until it ran again. */
static void add_waits(struct firefox *f, const struct out_track *track)
{
	const struct prof_sample_id *samples = &f->tracks.samples.data[track->first];

	for (uint32_t i = 0; i < track->n; i++) {
		uint64_t time = prof_sample_time(f->profile, samples[i]);
		uint64_t period = prof_value(f->profile, samples[i])->period;
		const struct firefox_marker marker = {
			.track = track_of(f, track->key.pid, track->key.tid),
			.kind = FIREFOX_MARKER_OFF_CPU,
			.start = time > f->base + period ? time - period : f->base,
			.end = time,
			.reason = "waiting",
			.other = prof_no_thread(),
			.interrupt = prof_no_string(),
			.stack = prof_sample(f->profile, samples[i])->stack,
		};

		if (time != PD_NO_TIME)
			add_marker(f, &marker);
	}
}

/* Intervals of no thread, such as interrupts, are shown by the first one. */
static void add_interval(struct firefox *f, const struct prof_interval *interval)
{
	const struct prof_thread *thread =
		prof_is_none(interval->thread) ? NULL : prof_thread(f->profile, interval->thread);
	uint32_t track = thread ? track_of(f, thread->pid, thread->tid) : 0;
	const struct firefox_marker marker = {
		.track = track,
		.kind = FIREFOX_MARKER_INTERVAL,
		.start = interval->begin_ns,
		.end = interval->begin_ns + interval->ns,
		.interval = interval,
		.stack = interval->stack,
	};

	if (f->tracks.list.n && track != PROF_NONE)
		add_marker(f, &marker);
}

static int compare_markers(const void *a, const void *b)
{
	const struct firefox_marker *x = a, *y = b;

	if (x->track != y->track)
		return base_compare_u32(x->track, y->track);
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return base_compare_u32(x->number, y->number);
}

static void find_first_tracks(struct firefox *f)
{
	for (size_t i = 0; i < f->tracks.list.n; i++) {
		const struct out_track_key *key = &f->tracks.list.data[i].key;
		bool is_new;
		uint64_t *track = base_map_add(
			&f->first_tracks, firefox_thread_key(key->pid, key->tid), &is_new);

		if (track && is_new)
			*track = i;
		f->no_memory |= !track;
	}
}

void firefox_find_markers(struct firefox *f)
{
	find_first_tracks(f);
	for (size_t i = 0; i < f->profile->notes.n; i++)
		read_note(f, &f->profile->notes.data[i]);
	for (size_t i = 0; i < f->profile->rows.n; i++) {
		base_spill_pass(&f->profile->rows, i);
		add_tracepoint(f, &f->profile->rows.data[i]);
	}
	for (size_t i = 0; i < f->profile->intervals.n; i++)
		add_interval(f, &f->profile->intervals.data[i]);
	bool has_waits = false;
	for (size_t i = 0; i < f->tracks.list.n; i++) {
		if (!firefox_is_off_cpu(f, f->tracks.list.data[i].key.event))
			continue;
		add_waits(f, &f->tracks.list.data[i]);
		has_waits = true;
	}
	/* Samples of waits have stacks. */
	if (!has_waits)
		add_phases(f);
	if (f->markers.n)
		qsort(f->markers.data, f->markers.n, sizeof(*f->markers.data), compare_markers);
}

/*
 * Copy the key of a field to @p buf. Every marker has the members "type" and "cause", which
 * is its stack.
 */
static const char *field_key(const struct ana_trace_field *field, char buf[static 80])
{
	snprintf(buf, 72, "%.*s", field->name_len < 64 ? (int)field->name_len : 64, field->name);
	if (strcmp(buf, "type") == 0 || strcmp(buf, "cause") == 0)
		memcpy(buf + strlen(buf), "_", sizeof("_"));
	return buf;
}

static void write_fields(struct firefox *f, const char *text)
{
	struct ana_trace_field field;
	char key[80];

	while (ana_trace_next(&text, &field))
		base_json_text(&f->json, field_key(&field, key), field.value, field.value_len);
}

/* @p label is what the chart shows on markers; NULL: nothing. */
static void begin_schema(struct firefox *f, const char *name, const char *label)
{
	struct base_json *json = &f->json;

	base_json_object(json, NULL);
	base_json_str(json, "name", name);
	if (label)
		base_json_str(json, "chartLabel", label);
	base_json_array(json, "display");
	base_json_str(json, NULL, "marker-chart");
	base_json_str(json, NULL, "marker-table");
	base_json_str(json, NULL, "timeline-overview");
	base_json_end(json, ']');
	base_json_array(json, "fields");
}

static void write_schema_field(
	struct firefox *f, const char *key, const char *label, const char *format)
{
	base_json_object(&f->json, NULL);
	base_json_str(&f->json, "key", key);
	base_json_str(&f->json, "label", label);
	base_json_str(&f->json, "format", format);
	base_json_end(&f->json, '}');
}

static void end_schema(struct firefox *f)
{
	base_json_end(&f->json, ']');
	base_json_end(&f->json, '}');
}

/* Write the schema of a tracepoint: the fields of its first marker, which all of them have. */
static void write_tracepoint_schema(struct firefox *f, const struct firefox_marker *marker)
{
	const char *text = prof_trace_text(f->profile, marker->fields);
	struct ana_trace_field field;
	char key[80];

	begin_schema(f, prof_string(f->profile, prof_event(f->profile, marker->event)->name), NULL);
	while (ana_trace_next(&text, &field)) {
		field_key(&field, key);
		write_schema_field(f, key, key, "string");
	}
	end_schema(f);
}

/* Write the schemas of all tracepoints with markers, in the order of their events. */
static void write_tracepoint_schemas(struct firefox *f)
{
	size_t n = f->profile->events.n;
	_cleanup_free_ const struct firefox_marker **first = base_calloc_n(n, sizeof(*first));

	f->no_memory |= !first;
	for (size_t i = f->markers.n; first && i > 0; i--) {
		const struct firefox_marker *marker = &f->markers.data[i - 1];

		if (marker->kind == FIREFOX_MARKER_TRACEPOINT)
			first[marker->event.i] = marker;
	}
	for (size_t i = 0; first && i < n; i++) {
		if (first[i])
			write_tracepoint_schema(f, first[i]);
	}
}

void firefox_write_schemas(struct firefox *f)
{
	base_json_array(&f->json, "markerSchema");
	begin_schema(f, kinds[FIREFOX_MARKER_OFF_CPU].name, NULL);
	write_schema_field(f, "reason", "Reason", "string");
	write_schema_field(f, "other", "Woken by", "string");
	write_schema_field(f, "flow", "Wakeup", "terminating-flow-id");
	end_schema(f);
	begin_schema(f, kinds[FIREFOX_MARKER_WAKEUP].name, NULL);
	write_schema_field(f, "other", "Thread", "string");
	write_schema_field(f, "flow", "Wakeup", "flow-id");
	end_schema(f);
	begin_schema(f, kinds[FIREFOX_MARKER_LOST].name, NULL);
	write_schema_field(f, "n", "Records or samples", "integer");
	end_schema(f);
	begin_schema(f, kinds[FIREFOX_MARKER_THROTTLED].name, NULL);
	end_schema(f);
	write_tracepoint_schemas(f);
	for (size_t i = 0; i < f->profile->interval_kinds.n; i++) {
		begin_schema(f, prof_string(f->profile, f->profile->interval_kinds.data[i].name),
			"{marker.data.name}");
		write_schema_field(f, "name", "Name", "string");
		write_schema_field(f, "failed", "Error", "string");
		end_schema(f);
	}
	base_json_end(&f->json, ']');
}

static const char *marker_name(const struct firefox *f, const struct firefox_marker *marker)
{
	if (marker->kind == FIREFOX_MARKER_INTERVAL)
		return prof_string(
			f->profile, f->profile->interval_kinds.data[marker->interval->kind].name);
	if (marker->kind != FIREFOX_MARKER_TRACEPOINT)
		return kinds[marker->kind].name;
	return prof_string(f->profile, prof_event(f->profile, marker->event)->name);
}

static void write_other(struct firefox *f, struct prof_thread_id id)
{
	const struct prof_thread *thread = prof_thread(f->profile, id);
	_cleanup_free_ char *text =
		base_format("%s %" PRIu32, prof_string(f->profile, thread->comm), thread->tid);

	f->no_memory |= !text;
	base_json_str(&f->json, "other", text ? text : "");
}

/* Write the thread at the other end of a wakeup, or the interrupt, and what connects both ends. */
static void write_wakeup(struct firefox *f, const struct firefox_marker *marker)
{
	char flow[16];

	if (!prof_is_none(marker->other)) {
		write_other(f, marker->other);
	} else if (!prof_is_none(marker->interrupt)) {
		const char *name = prof_string(f->profile, marker->interrupt);

		base_json_str(&f->json, "other", *name ? name : OUT_LEDGER_INTERRUPT);
	}
	if (!marker->flow)
		return;
	snprintf(flow, sizeof(flow), "%" PRIx32, marker->flow);
	base_json_uint(&f->json, "flow", firefox_string(f, flow));
}

static bool is_of_wakeups(const struct firefox_marker *marker)
{
	return marker->kind == FIREFOX_MARKER_OFF_CPU || marker->kind == FIREFOX_MARKER_WAKEUP;
}

static void write_data(struct firefox *f, const struct firefox_marker *marker)
{
	struct base_json *json = &f->json;

	base_json_object(json, NULL);
	base_json_str(json, "type", marker_name(f, marker));
	if (marker->reason)
		base_json_str(json, "reason", marker->reason);
	if (is_of_wakeups(marker))
		write_wakeup(f, marker);
	if (marker->kind == FIREFOX_MARKER_LOST)
		base_json_uint(json, "n", marker->n);
	if (marker->kind == FIREFOX_MARKER_TRACEPOINT)
		write_fields(f, prof_trace_text(f->profile, marker->fields));
	if (marker->interval && !prof_is_none(marker->interval->label))
		base_json_str(json, "name", prof_string(f->profile, marker->interval->label));
	if (marker->interval && marker->interval->has_failed)
		base_json_str(json, "failed", "yes");
	if (!prof_is_none(marker->stack)) {
		base_json_object(json, "cause");
		firefox_write_time(f, "time", marker->start);
		firefox_write_stack(f, "stack", marker->stack);
		base_json_end(json, '}');
	}
	base_json_end(json, '}');
}

void firefox_write_markers(struct firefox *f, const struct firefox_marker *markers, size_t n)
{
	struct base_json *json = &f->json;

	base_json_object(json, "markers");
	base_json_uint(json, "length", n);
	base_json_array(json, "data");
	for (size_t i = 0; i < n; i++)
		write_data(f, &markers[i]);
	base_json_end(json, ']');
	base_json_array(json, "name");
	for (size_t i = 0; i < n; i++)
		base_json_uint(json, NULL, firefox_string(f, marker_name(f, &markers[i])));
	base_json_end(json, ']');
	base_json_array(json, "startTime");
	for (size_t i = 0; i < n; i++)
		firefox_write_time(f, NULL, markers[i].start);
	base_json_end(json, ']');
	base_json_array(json, "endTime");
	for (size_t i = 0; i < n; i++)
		firefox_write_time(f, NULL, markers[i].end);
	base_json_end(json, ']');
	/* Phases: 0 is a moment, 1 an interval. */
	base_json_array(json, "phase");
	for (size_t i = 0; i < n; i++)
		base_json_uint(json, NULL, markers[i].end > markers[i].start);
	base_json_end(json, ']');
	base_json_array(json, "category");
	for (size_t i = 0; i < n; i++)
		base_json_uint(json, NULL, kinds[markers[i].kind].category);
	base_json_end(json, ']');
	base_json_end(json, '}');
}
