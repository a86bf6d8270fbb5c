#include "capture/run/recording_sink.h"

#include <linux/perf_event.h>
#include <string.h>

#include <pdconv/events.h>
#include <pdconv/record.h>
#include <pdconv/sample.h>

#include "capture/stack_level.h"

struct pd_error *cap_sink_init(
	struct cap_sink *sink, struct cap_unwinding *unwinding, struct pd_writer *writer, int level)
{
	*sink = (struct cap_sink){ .writer = writer, .unwinding = unwinding };
	return level ? parse_pack_create(writer, level, &sink->pack) : NULL;
}

void cap_sink_deinit(struct cap_sink *sink)
{
	parse_pack_destroy(sink->pack);
	pd_vec_deinit(&sink->joined.bytes);
	cap_overlap_deinit(&sink->overlap);
}

static void note_time(struct cap_sink *sink, const struct pd_record *rec)
{
	struct cap_counts *counts = &sink->counts;

	if (!sink->time_at || sink->time_at + 8 > rec->size)
		return;
	uint64_t time = pd_load_u64(rec->bytes + sink->time_at, false);
	if (!counts->first_ns || time < counts->first_ns)
		counts->first_ns = time;
	if (time > counts->last_ns)
		counts->last_ns = time;
}

/* Samples have their process and thread right before the time. */
static void note_process(struct cap_sink *sink, const struct pd_record *rec)
{
	enum { PARENT_AT = PD_RECORD_HEADER_BYTES + 4 };

	if (!sink->postponed)
		return;
	if (rec->type == PD_RECORD_SAMPLE && sink->time_at && sink->time_at <= rec->size)
		cap_postponed_note(
			sink->postponed, pd_load_u32(rec->bytes + sink->time_at - 8, false));
	else if (rec->type == PD_RECORD_FORK && rec->size >= PARENT_AT + 4)
		cap_postponed_note(sink->postponed, pd_load_u32(rec->bytes + PARENT_AT, false));
}

/* Whether the sample has the stack of a further level. */
static bool is_shortened(const struct cap_sink *sink, const struct pd_record *rec)
{
	struct pd_sample sample;
	const char *field;

	if (rec->size < sink->shortened_from || rec->size >= sink->shortened_to)
		return false;
	const struct pd_event *event = pd_events_find(sink->events, rec);
	if (!event || pd_sample_decode(&event->plan, rec, &sample, &field) != PD_SAMPLE_OK)
		return false;
	return cap_stack_level_of(event->attr.sample_stack_user, sample.stack_user.reserved) > 0;
}

bool cap_sink_note_thread(struct cap_sink *sink, uint32_t tid, bool exists)
{
	uint64_t *state =
		exists ? base_map_add(sink->threads, tid, NULL) : base_map_find(sink->threads, tid);

	if (state)
		*state = exists;
	return state || !exists;
}

/* Follow threads that recorded ones create, which are recorded as well (attr.inherit). */
static bool note_thread(struct cap_sink *sink, const struct pd_record *rec)
{
	enum { TID_AT = PD_RECORD_HEADER_BYTES + 8 };
	bool is_fork = rec->type == PD_RECORD_FORK;

	if (!sink->threads || (!is_fork && rec->type != PD_RECORD_EXIT) || rec->size < TID_AT + 4)
		return true;
	return cap_sink_note_thread(sink, pd_load_u32(rec->bytes + TID_AT, false), is_fork);
}

static void count(struct cap_sink *sink, const struct pd_record *rec)
{
	enum { LOST_AT = PD_RECORD_HEADER_BYTES + 8 };
	struct cap_counts *counts = &sink->counts;

	counts->n_records++;
	switch (rec->type) {
	case PD_RECORD_SAMPLE:
		counts->n_samples++;
		counts->n_shortened += is_shortened(sink, rec);
		note_time(sink, rec);
		break;
	case PD_RECORD_LOST:
		/* The count follows an event id, which LOST_SAMPLES does not have. */
		if (rec->size >= LOST_AT + 8)
			counts->n_lost += pd_load_u64(rec->bytes + LOST_AT, false);
		break;
	case PD_RECORD_LOST_SAMPLES:
		if (rec->size >= PD_RECORD_HEADER_BYTES + 8)
			counts->n_lost += pd_load_u64(rec->bytes + PD_RECORD_HEADER_BYTES, false);
		break;
	case PD_RECORD_THROTTLE:
		counts->n_throttled++;
		break;
	}
}

/* Something that is done with a record. */
typedef struct pd_error *visit_fn(struct cap_sink *sink, const struct pd_record *rec);

static struct pd_error *visit(
	struct cap_sink *sink, const uint8_t *records, size_t size, visit_fn *fn)
{
	struct pd_record rec;

	for (size_t at = 0; at < size; at += rec.size) {
		if (!cap_record_read(records + at, size - at, &rec))
			return cap_not_records();
		struct pd_error *err = fn(sink, &rec);
		if (err)
			return err;
	}
	return NULL;
}

static struct pd_error *take(struct cap_sink *sink, const struct pd_record *rec)
{
	note_process(sink, rec);
	count(sink, rec);
	if (!note_thread(sink, rec))
		return &pd_enomem;
	return sink->pack ? parse_pack_add(sink->pack, rec->bytes, rec->size) : NULL;
}

/* Write whole records. Uncompressed ones go to the writer in one piece. */
static struct pd_error *put(void *ctx, const uint8_t *records, size_t size)
{
	struct cap_sink *sink = ctx;
	struct pd_error *err = visit(sink, records, size, take);

	if (err)
		return err;
	sink->counts.bytes += size;
	sink->has_news |= size > 0;
	return sink->pack || !size ? NULL : pd_writer_add_records(sink->writer, records, size);
}

/* Decides whether a record is left out. */
typedef struct pd_error *leave_out_fn(
	struct cap_sink *sink, const struct pd_record *rec, bool *is_out_ret);

/* Give records to @p add except for some, in runs as long as possible. */
static struct pd_error *add_runs(struct cap_sink *sink, const uint8_t *records, size_t size,
	leave_out_fn *leave_out, cap_unwound_emit *add)
{
	struct pd_record rec;
	size_t done = 0;

	for (size_t at = 0; at < size; at += rec.size) {
		bool is_out;

		if (!cap_record_read(records + at, size - at, &rec))
			return cap_not_records();
		struct pd_error *err = leave_out(sink, &rec, &is_out);
		if (!err && is_out) {
			err = add(sink, records + done, at - done);
			done = at + rec.size;
		}
		if (err)
			return err;
	}
	return add(sink, records + done, size - done);
}

static struct pd_error *hold_for_offcpu(
	struct cap_sink *sink, const struct pd_record *rec, bool *is_out_ret)
{
	struct pd_error *err = cap_offcpu_take(sink->offcpu, rec, is_out_ret);

	/*
	 * Note the process now: cap_sink_round() writes the sample, but the postponed mappings of
	 * the round are written before that.
	 */
	if (!err && *is_out_ret)
		note_process(sink, rec);
	return err;
}

static struct pd_error *put_any(void *ctx, const uint8_t *records, size_t size)
{
	struct cap_sink *sink = ctx;

	return sink->offcpu ? add_runs(sink, records, size, hold_for_offcpu, put)
			    : put(sink, records, size);
}

/* Mappings of the processes of records that are unwound later are read in this round. */
static struct pd_error *take_process(struct cap_sink *sink, const struct pd_record *rec)
{
	note_process(sink, rec);
	return NULL;
}

static struct pd_error *add(void *ctx, const uint8_t *records, size_t size)
{
	struct cap_sink *sink = ctx;

	if (!size)
		return NULL;
	if (!sink->unwound)
		return put_any(sink, records, size);
	struct pd_error *err = visit(sink, records, size, take_process);
	return err ? err : cap_unwound_add(sink->unwound, records, size);
}

struct pd_error *cap_sink_add(struct cap_sink *sink, const void *records, size_t size)
{
	return add(sink, records, size);
}

static struct pd_error *is_twice(
	struct cap_sink *sink, const struct pd_record *rec, bool *is_out_ret)
{
	*is_out_ret = cap_overlap_has_other(&sink->overlap, sink->events, rec);
	return NULL;
}

struct pd_error *cap_sink_end(struct cap_sink *sink)
{
	struct pd_error *err =
		sink->unwound ? cap_unwound_round(sink->unwound, true, put_any, sink) : NULL;

	/* Later records are about the whole recording. */
	sink->unwound = NULL;
	if (err || !sink->offcpu)
		return err;
	return cap_offcpu_round(sink->offcpu, true, put, sink);
}

/* Add what is in a ring. @p used_ret: the part of it that was used, in bytes. */
static struct pd_error *add_ring(
	struct cap_sink *sink, const uint8_t *records, size_t size, size_t *used_ret)
{
	struct cap_merged merged;

	*used_ret = size;
	if (!sink->unwinding->bpf)
		return cap_overlap_is_on(&sink->overlap)
			       ? add_runs(sink, records, size, is_twice, add)
			       : add(sink, records, size);
	struct pd_error *err = cap_unwinding_merge(sink->unwinding, records, size, &merged);
	if (err)
		return err;
	*used_ret = merged.used;
	return add(sink, merged.bytes, merged.size);
}

static struct pd_error *look_ahead(struct cap_sink *sink, const struct pd_record *rec)
{
	cap_unwinding_look_ahead(sink->unwinding, rec);
	if (!cap_overlap_is_on(&sink->overlap) ||
		cap_overlap_note(&sink->overlap, sink->events, rec))
		return NULL;
	return &pd_enomem;
}

struct pd_error *cap_sink_look_ahead(struct cap_sink *sink, const struct cap_ring *ring)
{
	if (!sink->unwinding->bpf && !cap_overlap_is_on(&sink->overlap))
		return NULL;
	struct cap_ring_bytes bytes = cap_ring_peek(ring);
	size_t n = bytes.n_first + bytes.n_second;
	const uint8_t *records = cap_ring_join(&bytes, n, &sink->joined);

	return records ? visit(sink, records, n, look_ahead) : &pd_enomem;
}

struct pd_error *cap_sink_drain(struct cap_sink *sink, struct cap_ring *ring, double *fill_ret)
{
	struct cap_ring_bytes bytes = cap_ring_peek(ring);
	size_t n = bytes.n_first + bytes.n_second, used = n;
	const uint8_t *records = cap_ring_join(&bytes, n, &sink->joined);
	struct pd_error *err = records ? add_ring(sink, records, n, &used) : &pd_enomem;

	cap_ring_release(ring, used);
	*fill_ret = (double)n / (double)ring->size;
	return err;
}

struct pd_error *cap_sink_round(struct cap_sink *sink)
{
	const struct perf_event_header round = { .type = PD_RECORD_FINISHED_ROUND,
		.size = sizeof(round) };
	struct pd_error *err =
		sink->unwound ? cap_unwound_round(sink->unwound, false, put_any, sink) : NULL;

	if (err)
		return err;
	if (sink->offcpu) {
		err = cap_offcpu_round(sink->offcpu, false, put, sink);
		if (err)
			return err;
	}
	if (!sink->has_news)
		return NULL;
	sink->has_news = false;
	/*
	 * FINISHED_ROUND is never compressed: records before it must be out of the compressor
	 * first.
	 */
	if (sink->pack) {
		err = parse_pack_flush(sink->pack);
		if (err)
			return err;
	}
	err = pd_writer_add_records(sink->writer, &round, sizeof(round));
	return err ? err : pd_writer_sync(sink->writer);
}
