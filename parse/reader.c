#include <pdconv/reader.h>

#include <stdlib.h>

#include "base/cleanup.h"
#include "base/chunk.h"
#include "parse/order.h"
#include "parse/stream.h"

/* Limits of records that wait in all lanes together. */
enum { MAX_WAITING = 1 << 22, MIN_WAITING = 1 << 12, MAX_HELD_BYTES = 1 << 30 };

/** Records of one part of the recording. */
struct lane {
	struct pd_stream *stream;
	struct pd_order order;
	bool has_ended;
	/** Next record in order of time. */
	struct pd_record head;
};

struct pd_reader {
	struct pd_file *file;
	enum pd_order_kind kind;
	struct lane *lanes;
	uint32_t n_lanes;
	/** Heap of the indexes of lanes that have a head. The oldest head is first. */
	uint32_t *heap;
	uint32_t n_heap;
	/**
	 * Lane whose head must be read next. Until all lanes were started, later lanes follow it.
	 */
	uint32_t current;
	/** Number of lanes that were started. */
	uint32_t n_started;
	uint64_t last_time;
	uint64_t n_late;
	/** Buffer of the record that was returned last. */
	struct pd_chunk *last_chunk;
};

static struct pd_error *create_lanes(struct pd_reader *reader)
{
	uint32_t n = (uint32_t)reader->file->parts.n;

	reader->lanes = calloc(n, sizeof(*reader->lanes));
	reader->heap = calloc(n, sizeof(*reader->heap));
	if (!reader->lanes || !reader->heap)
		return &pd_enomem;
	/* n_lanes counts created lanes, so that pd_reader_destroy() can clean up after an error. */
	for (; reader->n_lanes < n; reader->n_lanes++) {
		struct lane *lane = &reader->lanes[reader->n_lanes];
		struct pd_error *err =
			pd_stream_create(reader->file, reader->n_lanes, &lane->stream);

		if (err)
			return err;
		lane->order.max_records =
			MAX_WAITING / n > MIN_WAITING ? MAX_WAITING / n : MIN_WAITING;
		lane->order.max_held_bytes = MAX_HELD_BYTES / n;
	}
	reader->n_started = 1;
	return NULL;
}

struct pd_error *pd_reader_create(
	struct pd_file *file, enum pd_order_kind kind, struct pd_reader **ret)
{
	struct pd_reader *reader = calloc(1, sizeof(*reader));

	if (!reader)
		return &pd_enomem;
	reader->file = file;
	reader->kind = kind;
	struct pd_error *err = create_lanes(reader);
	if (err) {
		pd_reader_destroy(reader);
		return err;
	}
	*ret = reader;
	return NULL;
}

void pd_reader_destroy(struct pd_reader *reader)
{
	if (!reader)
		return;
	pd_chunk_unref(reader->last_chunk);
	for (uint32_t i = 0; i < reader->n_heap; i++)
		pd_chunk_unref(reader->lanes[reader->heap[i]].head.chunk);
	for (uint32_t i = 0; i < reader->n_lanes; i++) {
		pd_order_deinit(&reader->lanes[i].order);
		pd_stream_destroy(reader->lanes[i].stream);
	}
	free(reader->heap);
	free(reader->lanes);
	free(reader);
}

static bool is_before(const struct pd_reader *reader, uint32_t a, uint32_t b)
{
	uint64_t time_a = reader->lanes[a].head.time;
	uint64_t time_b = reader->lanes[b].head.time;

	return time_a != time_b ? time_a < time_b : a < b;
}

static void heap_push(struct pd_reader *reader, uint32_t lane)
{
	uint32_t *heap = reader->heap;
	uint32_t i = reader->n_heap++;

	for (; i && is_before(reader, lane, heap[(i - 1) / 2]); i = (i - 1) / 2)
		heap[i] = heap[(i - 1) / 2];
	heap[i] = lane;
}

static uint32_t heap_pop(struct pd_reader *reader)
{
	uint32_t *heap = reader->heap;
	uint32_t first = heap[0];
	uint32_t last = heap[--reader->n_heap];
	uint32_t i = 0;

	for (;;) {
		uint32_t child = 2 * i + 1;

		if (child + 1 < reader->n_heap && is_before(reader, heap[child + 1], heap[child]))
			child++;
		if (child >= reader->n_heap || !is_before(reader, heap[child], last))
			break;
		heap[i] = heap[child];
		i = child;
	}
	heap[i] = last;
	return first;
}

/*
 * Read one record. If it has no time, it is due: then it is in ret, with a reference to its chunk.
 * Otherwise it is added to the queue.
 */
static struct pd_error *advance(
	struct pd_reader *reader, struct lane *lane, struct pd_record *ret, bool *due_ret)
{
	struct pd_error *err = pd_stream_next(lane->stream, ret);
	bool ok = true;

	*due_ret = false;
	if (err)
		return err;
	if (!ret->bytes) {
		lane->has_ended = true;
		ok = pd_order_end(&lane->order);
		return ok ? NULL : &pd_enomem;
	}
	/* Mappings from before the recording keep PD_NO_TIME, so they are applied at once. */
	if (!pd_stream_is_before_data(lane->stream))
		ret->time = pd_events_time(&reader->file->events, ret);
	if (ret->type == PD_RECORD_FINISHED_ROUND)
		ok = pd_order_round(&lane->order);
	else if (ret->time != PD_NO_TIME)
		ok = pd_order_push(&lane->order, ret);
	*due_ret = ret->time == PD_NO_TIME;
	/* The queue takes a reference to the chunk. A record that bypasses it needs its own. */
	if (*due_ret)
		pd_chunk_ref(ret->chunk);
	return ok ? NULL : &pd_enomem;
}

/*
 * Find the head of the current lane. A record without a time is due immediately and is stored in
 * ret.
 */
static struct pd_error *find_head(struct pd_reader *reader, struct pd_record *ret, bool *due_ret)
{
	struct lane *lane = &reader->lanes[reader->current];

	*due_ret = false;
	while (!pd_order_pop(&lane->order, &lane->head)) {
		if (lane->has_ended)
			return NULL;
		struct pd_error *err = advance(reader, lane, ret, due_ret);
		if (err || *due_ret)
			return err;
	}
	heap_push(reader, reader->current);
	return NULL;
}

/* Merge the lanes. Invariant: every lane except for the current one has a head or has ended. */
static struct pd_error *next_by_time(struct pd_reader *reader, struct pd_record *ret)
{
	bool due;

	/*
	 * Records can only be merged once every lane is started. A record without a time is
	 * returned at once, and the next call resumes with the same lane.
	 */
	for (;;) {
		struct pd_error *err = find_head(reader, ret, &due);
		if (err || due)
			return err;
		if (reader->n_started == reader->n_lanes)
			break;
		reader->current = reader->n_started++;
	}
	*ret = (struct pd_record){ .bytes = NULL };
	if (!reader->n_heap)
		return NULL;
	reader->current = heap_pop(reader);
	*ret = reader->lanes[reader->current].head;
	if (ret->time < reader->last_time)
		reader->n_late++;
	else
		reader->last_time = ret->time;
	return NULL;
}

static struct pd_error *next_in_file(struct pd_reader *reader, struct pd_record *ret)
{
	for (;;) {
		struct pd_error *err = pd_stream_next(reader->lanes[reader->current].stream, ret);

		if (err)
			return err;
		if (ret->bytes)
			break;
		if (reader->current + 1 == reader->n_lanes)
			return NULL;
		reader->current++;
	}
	ret->time = pd_events_time(&reader->file->events, ret);
	pd_chunk_ref(ret->chunk);
	return NULL;
}

struct pd_error *pd_reader_next(struct pd_reader *reader, struct pd_record *ret)
{
	pd_chunk_unref(take_ptr(reader->last_chunk));
	struct pd_error *err = reader->kind == PD_ORDER_FILE ? next_in_file(reader, ret)
							     : next_by_time(reader, ret);
	if (err)
		return err;
	reader->last_chunk = ret->chunk;
	return NULL;
}

uint64_t pd_reader_n_late(const struct pd_reader *reader)
{
	return reader->n_late;
}
