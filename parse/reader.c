#include "parse/reader.h"

#include <stdlib.h>

#include "parse/chunk.h"
#include "parse/order.h"
#include "parse/stream.h"

struct pd_reader {
	const struct pd_file *file;
	struct pd_stream *stream;
	struct pd_order order;
	/** Of the record that was returned last. */
	struct pd_chunk *last_chunk;
	bool has_ended;
};

struct pd_error *pd_reader_create(const struct pd_file *file, struct pd_reader **ret)
{
	struct pd_reader *reader = calloc(1, sizeof(*reader));

	if (!reader)
		return &pd_enomem;
	reader->file = file;
	struct pd_error *err = pd_stream_create(file, &reader->stream);
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
	pd_order_deinit(&reader->order);
	pd_stream_destroy(reader->stream);
	free(reader);
}

/* Read on until a record is due: true if it is in ret, false if it waits in the order. */
static struct pd_error *advance(struct pd_reader *reader, struct pd_record *ret, bool *due_ret)
{
	struct pd_error *err = pd_stream_next(reader->stream, ret);
	bool ok = true;

	*due_ret = false;
	if (err)
		return err;
	if (!ret->bytes) {
		reader->has_ended = true;
		ok = pd_order_end(&reader->order);
		return ok ? NULL : &pd_enomem;
	}
	ret->time = pd_events_time(&reader->file->events, ret);
	if (ret->type == PD_RECORD_FINISHED_ROUND)
		ok = pd_order_round(&reader->order);
	else if (ret->time != PD_NO_TIME)
		ok = pd_order_push(&reader->order, ret);
	*due_ret = ret->time == PD_NO_TIME;
	if (*due_ret)
		pd_chunk_ref(ret->chunk);
	return ok ? NULL : &pd_enomem;
}

struct pd_error *pd_reader_next(struct pd_reader *reader, struct pd_record *ret)
{
	bool due = false;

	pd_chunk_unref(reader->last_chunk);
	reader->last_chunk = NULL;
	while (!pd_order_pop(&reader->order, ret)) {
		*ret = (struct pd_record){ .bytes = NULL };
		if (reader->has_ended)
			return NULL;
		struct pd_error *err = advance(reader, ret, &due);
		if (err)
			return err;
		if (due)
			break;
	}
	reader->last_chunk = ret->chunk;
	return NULL;
}

uint64_t pd_reader_n_late(const struct pd_reader *reader)
{
	return reader->order.n_late;
}
