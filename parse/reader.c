#include <pdconv/reader.h>

#include <stdlib.h>

#include "base/cleanup.h"
#include "base/chunk.h"
#include "base/system/file_map.h"
#include "base/limit.h"
#include "parse/open_file.h"
#include "parse/order.h"
#include "parse/part_stream.h"

/* Least number of records that may wait in a lane. */
enum { MIN_WAITING = 1 << 12 };

/*
 * Parts of the budget that waiting records may take: their chunks, and the queue, which may have
 * twice the capacity that it needs, and as much again for sorting.
 */
enum { HELD_SHARE = 8, QUEUE_SHARE = 8, QUEUE_FACTOR = 4 };

/** Records of one part of the recording. */
struct lane {
	struct parse_stream *stream;
	struct parse_order order;
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

/* Divide the limits for all records that wait among @p n lanes. */
static void limit(struct parse_order *order, struct pd_budget *budget, uint32_t n)
{
	const uint64_t bytes_of_record = QUEUE_FACTOR * sizeof(struct pd_record);
	uint64_t most =
		base_budget_share(budget, QUEUE_SHARE, PD_LIMIT_WAITING_RECORDS * bytes_of_record) /
		bytes_of_record / n;

	order->max_records = most > MIN_WAITING ? most : MIN_WAITING;
	order->max_held_bytes = base_budget_share(budget, HELD_SHARE, PD_LIMIT_WAITING_BYTES) / n;
	order->account = base_budget_account(budget, PD_MEMORY_RECORDS);
}

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
			parse_stream_create(reader->file, reader->n_lanes, &lane->stream);

		if (err)
			return err;
		limit(&lane->order, reader->file->budget, n);
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
	base_chunk_unref(reader->last_chunk);
	for (uint32_t i = 0; i < reader->n_heap; i++)
		base_chunk_unref(reader->lanes[reader->heap[i]].head.chunk);
	for (uint32_t i = 0; i < reader->n_lanes; i++) {
		parse_order_deinit(&reader->lanes[i].order);
		parse_stream_destroy(reader->lanes[i].stream);
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

/* Whether rec is returned at once, because it has no time. */
static bool is_due(const struct pd_record *rec)
{
	return rec->bytes && rec->time == PD_NO_TIME;
}

/* Read one record. It is added to the queue if it has a time; otherwise it is due at once. */
static struct pd_error *advance(struct lane *lane, struct pd_record *ret)
{
	struct pd_error *err = parse_stream_next(lane->stream, ret);
	bool ok = true;

	if (err)
		return err;
	lane->has_ended = !ret->bytes;
	if (lane->has_ended)
		ok = parse_order_end(&lane->order);
	else if (ret->type == PD_RECORD_FINISHED_ROUND)
		ok = parse_order_round(&lane->order);
	else if (ret->time != PD_NO_TIME)
		ok = parse_order_push(&lane->order, ret);
	return ok ? NULL : &pd_enomem;
}

/*
 * Get the next record of lane: in order of time, or one without a time, which is due at once. The
 * record has a reference to its chunk. ret->bytes is NULL at the end.
 */
static struct pd_error *next_of_lane(struct lane *lane, struct pd_record *ret)
{
	while (!parse_order_pop(&lane->order, ret)) {
		if (lane->has_ended) {
			*ret = (struct pd_record){ .bytes = NULL };
			return NULL;
		}
		struct pd_error *err = advance(lane, ret);
		if (err)
			return err;
		if (is_due(ret)) {
			base_chunk_ref(ret->chunk);
			return NULL;
		}
	}
	return NULL;
}

static void count_late(struct pd_reader *reader, const struct pd_record *rec)
{
	const struct pd_file *file = reader->file;

	reader->n_late++;
	for (uint32_t i = 0; i < reader->n_lanes; i++) {
		if (!reader->lanes[i].order.n_forced)
			continue;
		pd_diag_note(file->diag, pd_file_part_path(file, rec->part), rec->offset, NULL,
			"more records wait for their order than are held: some are out of order");
		break;
	}
}

/* Merge the lanes. Invariant: every lane except for the current one has a head or has ended. */
static struct pd_error *next_of_lanes(struct pd_reader *reader, struct pd_record *ret)
{
	/*
	 * Records can only be merged once every lane is started. A record without a time is
	 * returned at once, and the next call resumes with the same lane.
	 */
	for (;;) {
		struct lane *lane = &reader->lanes[reader->current];
		struct pd_error *err = next_of_lane(lane, ret);
		if (err || is_due(ret))
			return err;
		if (ret->bytes) {
			lane->head = *ret;
			heap_push(reader, reader->current);
		}
		if (reader->n_started == reader->n_lanes)
			break;
		reader->current = reader->n_started++;
	}
	*ret = (struct pd_record){ .bytes = NULL };
	if (!reader->n_heap)
		return NULL;
	reader->current = heap_pop(reader);
	*ret = reader->lanes[reader->current].head;
	return NULL;
}

static struct pd_error *next_by_time(struct pd_reader *reader, struct pd_record *ret)
{
	struct pd_error *err = reader->n_lanes == 1 ? next_of_lane(reader->lanes, ret)
						    : next_of_lanes(reader, ret);

	if (err || !ret->bytes || is_due(ret))
		return err;
	if (ret->time < reader->last_time)
		count_late(reader, ret);
	else
		reader->last_time = ret->time;
	return NULL;
}

static struct pd_error *next_in_file(struct pd_reader *reader, struct pd_record *ret)
{
	for (;;) {
		struct pd_error *err =
			parse_stream_next(reader->lanes[reader->current].stream, ret);

		if (err)
			return err;
		if (ret->bytes)
			break;
		if (reader->current + 1 == reader->n_lanes)
			return NULL;
		reader->current++;
	}
	base_chunk_ref(ret->chunk);
	return NULL;
}

struct pd_error *pd_reader_next(struct pd_reader *reader, struct pd_record *ret)
{
	base_chunk_unref(take_ptr(reader->last_chunk));
	struct pd_error *err = reader->kind == PD_ORDER_FILE ? next_in_file(reader, ret)
							     : next_by_time(reader, ret);
	if (base_file_maps_have_shrunk())
		err = parse_file_or_shrunk(reader->file, err);
	if (err)
		return err;
	reader->last_chunk = ret->chunk;
	return NULL;
}

uint64_t pd_reader_n_late(const struct pd_reader *reader)
{
	return reader->n_late;
}
