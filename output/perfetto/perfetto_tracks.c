/* Intervals and losses in the perfetto format. */
#include "output/perfetto/perfetto_tracks.h"

#include "output/tracks.h"

/* Intervals that do not overlap, of one kind and thread. */
struct lane {
	uint64_t track;
	/** End of its last interval. */
	uint64_t end;
	/** Index + 1 of the next lane of the same kind and thread; 0: there is none. */
	uint64_t next;
};

struct lanes {
	PD_VEC(struct lane) list;
	/** Index + 1 of the first lane, by thread track and kind. */
	struct base_map first;
};

static void put_descriptor(struct perfetto *p, Perfetto__TrackDescriptor *descriptor)
{
	Perfetto__TracePacket packet = PERFETTO__TRACE_PACKET__INIT;

	packet.track_descriptor = descriptor;
	perfetto_put(p, &packet);
}

/* Uuid of the track of a thread, which is written before it is used. */
static uint64_t thread_track(struct perfetto *p, const struct prof_thread *thread)
{
	Perfetto__ThreadDescriptor owner = PERFETTO__THREAD_DESCRIPTOR__INIT;
	Perfetto__TrackDescriptor descriptor = PERFETTO__TRACK_DESCRIPTOR__INIT;
	bool is_new;
	uint64_t *uuid = base_map_add(&p->thread_tracks, perfetto_thread_key(thread), &is_new);

	if (!uuid) {
		p->no_memory = true;
		return 0;
	}
	if (!is_new)
		return *uuid;
	*uuid = ++p->n_tracks;
	owner.pid = (int32_t)thread->pid;
	owner.tid = (int32_t)thread->tid;
	descriptor.uuid = *uuid;
	descriptor.thread = &owner;
	put_descriptor(p, &descriptor);
	return *uuid;
}

uint64_t perfetto_add_track(struct perfetto *p, const struct prof_thread *thread, const char *name)
{
	Perfetto__TrackDescriptor descriptor = PERFETTO__TRACK_DESCRIPTOR__INIT;

	descriptor.has_parent_uuid = thread != NULL;
	descriptor.parent_uuid = thread ? thread_track(p, thread) : 0;
	descriptor.uuid = ++p->n_tracks;
	descriptor.name = perfetto_text(p, name);
	/* Slices of several tracks need not nest. */
	descriptor.has_sibling_merge_behavior = true;
	descriptor.sibling_merge_behavior =
		PERFETTO__TRACK_DESCRIPTOR__SIBLING_MERGE_BEHAVIOR__SIBLING_MERGE_BEHAVIOR_NONE;
	put_descriptor(p, &descriptor);
	return descriptor.uuid;
}

static void put_track_event(struct perfetto *p, uint64_t time, Perfetto__TrackEvent *event)
{
	Perfetto__TracePacket packet = PERFETTO__TRACE_PACKET__INIT;

	packet.has_timestamp = true;
	packet.timestamp = time;
	packet.track_event = event;
	perfetto_put(p, &packet);
}

/* @p note: what is known about the event in addition to its name; NULL: nothing. */
static void put_named(struct perfetto *p, uint64_t track, Perfetto__TrackEvent__Type type,
	uint64_t time, const char *name, Perfetto__DebugAnnotation *note)
{
	Perfetto__TrackEvent event = PERFETTO__TRACK_EVENT__INIT;

	event.type = type;
	event.track_uuid = track;
	event.name = perfetto_text(p, name);
	event.n_debug_annotations = note != NULL;
	event.debug_annotations = &note;
	put_track_event(p, time, &event);
}

void perfetto_put_slice(struct perfetto *p, uint64_t track, uint64_t time, const char *name)
{
	put_named(p, track, PERFETTO__TRACK_EVENT__TYPE__TYPE_SLICE_BEGIN, time, name, NULL);
}

void perfetto_put_slice_end(struct perfetto *p, uint64_t track, uint64_t time)
{
	Perfetto__TrackEvent event = PERFETTO__TRACK_EVENT__INIT;

	event.type = PERFETTO__TRACK_EVENT__TYPE__TYPE_SLICE_END;
	event.track_uuid = track;
	put_track_event(p, time, &event);
}

/* Find a lane that is free from @p begin on, or add one; NULL: no memory. */
static struct lane *find_lane(struct perfetto *p, struct lanes *lanes,
	const struct prof_interval *interval, const char *kind)
{
	const struct prof_thread *thread =
		prof_is_none(interval->thread) ? NULL : prof_thread(p->profile, interval->thread);
	uint64_t owner = thread ? thread_track(p, thread) : 0;
	uint64_t *first = base_map_add(&lanes->first, owner << 32 | interval->kind, NULL);

	if (!first)
		return NULL;
	for (uint64_t i = *first; i; i = lanes->list.data[i - 1].next) {
		if (lanes->list.data[i - 1].end <= interval->begin_ns)
			return &lanes->list.data[i - 1];
	}
	const struct lane lane = {
		.track = perfetto_add_track(p, thread, kind),
		.next = *first,
	};
	if (!pd_vec_push(&lanes->list, lane))
		return NULL;
	*first = lanes->list.n;
	return &lanes->list.data[lanes->list.n - 1];
}

static void put_interval(
	struct perfetto *p, struct lanes *lanes, const struct prof_interval *interval)
{
	const char *kind =
		prof_string(p->profile, p->profile->interval_kinds.data[interval->kind].name);
	Perfetto__DebugAnnotation failed = PERFETTO__DEBUG_ANNOTATION__INIT;
	struct lane *lane = find_lane(p, lanes, interval, kind);

	if (!lane) {
		p->no_memory = true;
		return;
	}
	failed.name = "failed";
	failed.has_bool_value = failed.bool_value = true;
	put_named(p, lane->track, PERFETTO__TRACK_EVENT__TYPE__TYPE_SLICE_BEGIN, interval->begin_ns,
		prof_is_none(interval->label) ? kind : prof_string(p->profile, interval->label),
		interval->has_failed ? &failed : NULL);
	lane->end = interval->begin_ns + interval->ns;
	perfetto_put_slice_end(p, lane->track, lane->end);
}

static void put_intervals(struct perfetto *p)
{
	struct lanes lanes = { 0 };

	for (size_t i = 0; i < p->profile->intervals.n; i++) {
		base_spill_pass(&p->profile->intervals, i);
		put_interval(p, &lanes, &p->profile->intervals.data[i]);
	}
	pd_vec_deinit(&lanes.list);
	base_map_deinit(&lanes.first);
}

static void put_moment(
	struct perfetto *p, uint64_t track, uint64_t time, const char *name, uint64_t n)
{
	Perfetto__DebugAnnotation count = PERFETTO__DEBUG_ANNOTATION__INIT;

	count.name = "n";
	count.has_uint_value = true;
	count.uint_value = n;
	put_named(
		p, track, PERFETTO__TRACK_EVENT__TYPE__TYPE_INSTANT, time, name, n ? &count : NULL);
}

/*
 * Write the first and the last moment, so that the trace is as long as the recording, and the
 * losses. Those without a time are totals, which are in the attributes.
 */
static void put_recording(struct perfetto *p)
{
	uint64_t track = perfetto_add_track(p, NULL, "recording");

	put_moment(p, track, p->begin, "begin", 0);
	for (size_t i = 0; i < p->profile->notes.n; i++) {
		const struct prof_note *note = &p->profile->notes.data[i];
		const struct out_note read = out_note_read(prof_note_text(p->profile, note->text));

		if (note->time && read.kind == OUT_NOTE_LOST)
			put_moment(p, track, note->time, "lost", read.n);
		else if (note->time && read.kind == OUT_NOTE_THROTTLED)
			put_moment(p, track, note->time, "throttled", 0);
	}
	put_moment(p, track, p->end, "end", 0);
}

void perfetto_put_tracks(struct perfetto *p)
{
	put_recording(p);
	put_intervals(p);
}
