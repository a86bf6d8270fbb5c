#include "parse/part_stream.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/limit.h"
#include "base/io/window.h"
#include "parse/event_index.h"
#include "parse/frame.h"
#include "parse/open_file.h"
#include "parse/framer.h"
#include "parse/meta.h"
#include "parse/simpleperf.h"

struct parse_stream {
	struct parse_framer framer;
	/** The section is simpleperf's INIT_MAP, which precedes that of the part. */
	bool is_in_init_map;
	/** Pieces of a record that simpleperf split. */
	struct base_window pieces;
	/** Number of records that this stream, or an earlier one, applied to the file. */
	uint64_t n_meta;
	/** Records that were read ahead. Each holds a reference to its chunk. */
	PD_VEC(struct pd_record) ahead;
	size_t ahead_out;
	/** Buffer of the record that was returned last, if it was read ahead. */
	struct pd_chunk *last_chunk;
	struct parse_event_hints hints;
};

struct pd_error *parse_stream_create(struct pd_file *file, uint32_t part, struct parse_stream **ret)
{
	const struct pd_feature *init_map = &file->feature[PD_FEATURE_SIMPLEPERF_INIT_MAP];
	struct parse_part *from = &file->parts.data[part];

	/*
	 * Opening a recording in pipe mode reads ahead. This stream holds the records that were
	 * read.
	 */
	if (part == 0 && file->stream) {
		*ret = take_ptr(file->stream);
		return NULL;
	}
	/* A stream cannot be read again. */
	if (from->is_used_up)
		return pd_error_create(PD_ERROR_USAGE, from->path, "can be read only once");
	struct parse_stream *stream = calloc(1, sizeof(*stream));
	if (!stream)
		return &pd_enomem;
	parse_framer_init(&stream->framer, file, part, from->input);
	from->is_used_up = parse_input_size(from->input) == UINT64_MAX;
	/* Simpleperf's INIT_MAP section has mappings from before the recording. */
	stream->is_in_init_map = file->is_simpleperf && !part && init_map->size;
	if (stream->is_in_init_map)
		parse_framer_enter(&stream->framer, init_map->offset, init_map->size);
	else
		parse_framer_enter(&stream->framer, from->data.offset, from->data.size);
	*ret = stream;
	return NULL;
}

void parse_stream_destroy(struct parse_stream *stream)
{
	if (!stream)
		return;
	for (size_t i = stream->ahead_out; i < stream->ahead.n; i++)
		base_chunk_unref(stream->ahead.data[i].chunk);
	pd_vec_deinit(&stream->ahead);
	base_chunk_unref(stream->last_chunk);
	parse_framer_deinit(&stream->framer);
	base_window_deinit(&stream->pieces);
	free(stream);
}

/*
 * Whether @p rec is a piece of a record that simpleperf split, because its size has 16 bits only.
 */
static bool is_piece(const struct pd_file *file, const struct pd_record *rec)
{
	return file->is_simpleperf && (rec->type == PD_RECORD_SIMPLEPERF_SPLIT ||
					      rec->type == PD_RECORD_SIMPLEPERF_SPLIT_END);
}

/* Append the body of a piece. Returns false if out of memory. */
static bool append_piece(struct base_window *pieces, const struct pd_record *piece)
{
	const uint8_t *from = piece->bytes + PD_RECORD_HEADER_BYTES;
	size_t left = piece->size - PD_RECORD_HEADER_BYTES;
	size_t n;

	for (; left; from += n, left -= n) {
		uint8_t *to = base_window_room(pieces, &n);

		if (!to)
			return false;
		n = n < left ? n : left;
		memcpy(to, from, n);
		base_window_add(pieces, n);
	}
	return true;
}

static void drop_pieces(struct base_window *pieces, const struct pd_file *file,
	const struct pd_record *piece, const char *wrong)
{
	pd_diag_note(
		file->diag, pd_file_part_path(file, piece->part), piece->offset, "SPLIT", wrong);
	base_window_take(pieces, base_window_peek(pieces).len);
}

/*
 * Append the piece @p rec to @p pieces. After the last piece, @p rec is the whole record, valid
 * until the next call; otherwise rec->bytes is NULL. Pieces that are invalid or too large are noted
 * in file->diag and dropped.
 */
static struct pd_error *join_pieces(
	struct base_window *pieces, const struct pd_file *file, struct pd_record *rec)
{
	struct pd_record piece = *rec;
	struct base_seen seen = base_window_peek(pieces);

	_Static_assert(PD_LIMIT_SPLIT_BYTES == 256 << 20, "the message has the value");
	*rec = (struct pd_record){ .bytes = NULL };
	if (piece.type == PD_RECORD_SIMPLEPERF_SPLIT && seen.len > PD_LIMIT_SPLIT_BYTES) {
		drop_pieces(pieces, file, &piece, "a record of more than 256 MiB is left out");
		return NULL;
	}
	if (piece.type == PD_RECORD_SIMPLEPERF_SPLIT)
		return append_piece(pieces, &piece) ? NULL : &pd_enomem;
	if (seen.len >= PD_RECORD_HEADER_BYTES)
		*rec = parse_frame_record(file, seen.bytes, parse_frame_header(file, seen.bytes));
	/* The first piece begins with the header of the whole record, whose size must match. */
	if (!rec->bytes || rec->size != seen.len) {
		drop_pieces(pieces, file, &piece, "pieces that make no record are left out");
		*rec = (struct pd_record){ .bytes = NULL };
		return NULL;
	}
	base_window_take(pieces, seen.len);
	rec->part = piece.part;
	rec->offset = piece.offset;
	rec->chunk = seen.chunk;
	return NULL;
}

static bool leave_init_map(struct parse_stream *stream)
{
	struct parse_framer *framer = &stream->framer;
	const struct pd_section *data = &framer->file->parts.data[framer->part].data;

	if (!stream->is_in_init_map)
		return false;
	stream->is_in_init_map = false;
	parse_framer_enter(framer, data->offset, data->size);
	return true;
}

static struct pd_error *apply(struct parse_stream *stream, const struct pd_record *rec)
{
	struct pd_file *file = stream->framer.file;

	if (rec->part || !parse_meta_is(file, rec) || stream->n_meta++ < file->n_meta)
		return NULL;
	file->n_meta++;
	return parse_meta_apply(file, rec);
}

static struct pd_error *next_record(struct parse_stream *stream, struct pd_record *ret)
{
	struct parse_framer *framer = &stream->framer;

	for (;;) {
		bool was_active = framer->decompressor.is_active;
		struct pd_error *err = parse_framer_next(framer, ret);

		if (err)
			return err;
		if (!ret->bytes) {
			if (!was_active && !leave_init_map(stream))
				break;
		} else if (is_piece(framer->file, ret)) {
			err = join_pieces(&stream->pieces, framer->file, ret);
			if (err || ret->bytes)
				return err ? err : apply(stream, ret);
		} else if (was_active || !parse_decompressor_can_take(ret)) {
			return apply(stream, ret);
		} else {
			/*
			 * The compressed record itself is returned too, before the records in it.
			 */
			return parse_framer_decompress(framer, ret);
		}
	}
	parse_decompressor_end_part(&framer->decompressor);
	return NULL;
}

struct pd_error *parse_stream_next(struct parse_stream *stream, struct pd_record *ret)
{
	base_chunk_unref(take_ptr(stream->last_chunk));
	if (stream->ahead_out == stream->ahead.n) {
		struct pd_error *err = next_record(stream, ret);
		if (err || !ret->bytes)
			return err;
	} else {
		*ret = stream->ahead.data[stream->ahead_out++];
		stream->last_chunk = ret->chunk;
	}
	/* Mappings from before the recording keep PD_NO_TIME, so they are applied at once. */
	if (stream->is_in_init_map)
		return NULL;
	ret->time = parse_events_time_hinted(&stream->framer.file->events, &stream->hints, ret);
	if (ret->time && ret->time < PD_FIRST_FAKE_TIME)
		parse_resync_note_time(&stream->framer.resync, ret->time);
	return NULL;
}

static bool ends_the_start(const struct parse_stream *stream, const struct pd_record *rec)
{
	return rec->type == PD_RECORD_SAMPLE || rec->type == PD_RECORD_FINISHED_ROUND ||
	       rec->type == PD_RECORD_FINISHED_INIT || stream->framer.decompressor.is_active;
}

/*
 * Whether the records that were read ahead, of n_bytes, have reached a limit. Nothing is lost by
 * that unless an event follows.
 */
static bool is_ahead_enough(struct parse_stream *stream, uint64_t n_bytes)
{
	struct pd_file *file = stream->framer.file;
	bool has_many = stream->ahead.n >= PD_LIMIT_AHEAD_RECORDS;

	file->is_ahead_limited = has_many || n_bytes >= PD_LIMIT_AHEAD_BYTES;
	file->ahead_limit = has_many ? PD_LIMIT_ID_AHEAD_RECORDS : PD_LIMIT_ID_AHEAD_BYTES;
	return file->is_ahead_limited;
}

struct pd_error *parse_stream_read_ahead(struct parse_stream *stream)
{
	uint64_t n_bytes = 0;
	struct pd_record rec;

	while (!is_ahead_enough(stream, n_bytes)) {
		struct pd_error *err = next_record(stream, &rec);
		if (err || !rec.bytes)
			return err;
		if (!pd_vec_push(&stream->ahead, rec))
			return &pd_enomem;
		base_chunk_ref(rec.chunk);
		if (ends_the_start(stream, &rec))
			return NULL;
		n_bytes += rec.size + rec.outside_size;
	}
	return NULL;
}
