#include "parse/stream.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <pdconv/cursor.h>

#include "base/cleanup.h"
#include "parse/file_private.h"
#include "base/inflate.h"
#include "parse/meta.h"
#include "parse/simpleperf.h"

enum {
	/** Limits of reading ahead. */
	AHEAD_RECORDS = 1 << 16,
	AHEAD_BYTES = 64 << 20,
	/** Limit of a record with its payload, if the input is not mapped. */
	MAX_KEPT_BYTES = 512 << 20,
	/** Limit of a record that simpleperf split. */
	MAX_SPLIT_BYTES = 256 << 20,
};

struct pd_stream {
	struct pd_file *file;
	uint32_t part;
	/** Mapped bytes of the part, or NULL if they are read from input. */
	const uint8_t *bytes;
	struct pd_input *input;
	/**
	 * Offset of the next record in the part, and of the end if the part is mapped, in bytes.
	 */
	uint64_t offset;
	uint64_t end;
	/**
	 * The records before `end` are in simpleperf's INIT_MAP section, which precedes those of
	 * the part.
	 */
	bool is_in_init_map;
	/** Decompressor, created with the first compressed record. */
	struct pd_inflate *inflate;
	/** Offset of the compressed record that is being decompressed. */
	uint64_t compressed_offset;
	bool is_unpacking;
	/** Number of records in the compressed record that were returned so far. */
	uint32_t n_unpacked;
	/** Reading from input has ended. */
	bool has_ended;
	/** Collected pieces of a record that simpleperf split. */
	struct pd_window split;
	/** Number of records that this stream, or an earlier one, applied to the file. */
	uint64_t n_meta;
	/** Records that were read ahead. Each holds a reference to its chunk. */
	PD_VEC(struct pd_record) ahead;
	size_t ahead_out;
	/** Buffer of the record that was returned last, if it was read ahead. */
	struct pd_chunk *last_chunk;
};

static void enter_section(struct pd_stream *stream, uint64_t offset, uint64_t size)
{
	stream->offset = offset;
	stream->end = offset + size;
}

/* Read simpleperf's INIT_MAP section first: mappings from before the recording. */
static void enter_init_map(struct pd_stream *stream)
{
	const struct pd_feature *init_map = &stream->file->feature[PD_FEATURE_SIMPLEPERF_INIT_MAP];

	if (!stream->file->is_simpleperf || stream->part || !init_map->size)
		return;
	stream->is_in_init_map = true;
	enter_section(stream, init_map->offset, init_map->size);
}

struct pd_error *pd_stream_create(struct pd_file *file, uint32_t part, struct pd_stream **ret)
{
	const struct pd_part *from = &file->parts.data[part];
	struct pd_source *source = &file->state->sources.data[part];
	uint64_t size;

	/*
	 * Opening a recording in pipe mode reads ahead. This stream holds the records that were
	 * read.
	 */
	if (part == 0 && file->state->stream) {
		*ret = take_ptr(file->state->stream);
		return NULL;
	}
	/* Only mapped input can be read again. */
	if (source->is_used_up)
		return pd_error_create(PD_ERROR_USAGE, from->path, "can be read only once");
	struct pd_stream *stream = calloc(1, sizeof(*stream));
	if (!stream)
		return &pd_enomem;
	stream->file = file;
	stream->part = part;
	stream->input = source->input;
	stream->bytes = pd_input_bytes(source->input, &size);
	source->is_used_up = !stream->bytes;
	enter_section(stream, from->data.offset, from->data.size);
	enter_init_map(stream);
	*ret = stream;
	return NULL;
}

void pd_stream_destroy(struct pd_stream *stream)
{
	if (!stream)
		return;
	for (size_t i = stream->ahead_out; i < stream->ahead.n; i++)
		pd_chunk_unref(stream->ahead.data[i].chunk);
	pd_vec_deinit(&stream->ahead);
	pd_chunk_unref(stream->last_chunk);
	pd_inflate_destroy(stream->inflate);
	pd_window_deinit(&stream->split);
	free(stream);
}

/* Access to the available bytes: those of the current compressed record, or else of the input. */

static struct pd_seen peek(const struct pd_stream *stream)
{
	if (stream->is_unpacking)
		return pd_inflate_peek(stream->inflate);
	if (!stream->bytes)
		return pd_input_peek(stream->input);
	return (struct pd_seen){
		.bytes = stream->bytes + stream->offset,
		.len = stream->end - stream->offset,
	};
}

static void take(struct pd_stream *stream, size_t len)
{
	if (stream->is_unpacking) {
		pd_inflate_take(stream->inflate, len);
		return;
	}
	if (!stream->bytes)
		pd_input_take(stream->input, len);
	stream->offset += len;
}

static struct pd_error *fill(struct pd_stream *stream, bool *more_ret, const char **wrong_ret)
{
	*more_ret = false;
	*wrong_ret = NULL;
	if (stream->is_unpacking)
		return pd_inflate_fill(stream->inflate, more_ret, wrong_ret);
	return stream->bytes ? NULL : pd_input_fill(stream->input, more_ret);
}

static void read_header(const struct pd_stream *stream, const uint8_t *bytes, struct pd_record *ret)
{
	struct pd_cursor c = pd_cursor_init(bytes, PD_RECORD_HEADER_BYTES, stream->file->swap);

	*ret = (struct pd_record){
		.bytes = bytes, .swap = c.swap, .part = stream->part, .time = PD_NO_TIME
	};
	ret->type = pd_cursor_u32(&c);
	ret->misc = pd_cursor_u16(&c);
	ret->size = pd_cursor_u16(&c);
	/* simpleperf stores the upper half of the size instead of misc. */
	if (stream->file->is_simpleperf && ret->type >= PD_SIMPLEPERF_FIRST_RECORD) {
		ret->size |= (uint32_t)ret->misc << 16;
		ret->misc = 0;
	}
}

/*
 * Whether an MMAP2 record has device and inode although it is marked as having a build id. The
 * kernel (perf_event_mmap_output(), 5.12 to 6.18 at least) fills one record for all recordings. If
 * one of them asks for build ids, it leaves the mark in the records of those after it.
 */
static bool has_no_build_id(const struct pd_record *rec)
{
	enum { OFFSET = 32, HEAD = 4, MOST = 20 };
	struct pd_cursor c = pd_record_body(rec);

	if (rec->type != PD_RECORD_MMAP2 || !(rec->misc & PD_MISC_MMAP_BUILD_ID))
		return false;
	const uint8_t *bytes = pd_cursor_bytes(&c, OFFSET + HEAD + MOST);
	if (!bytes)
		return false;
	/* A build id has its size in the first byte, three zeros, and zeros after it. */
	const uint8_t *id = bytes + OFFSET;
	bool is_wrong = id[0] > MOST || id[1] || id[2] || id[3];
	for (size_t i = HEAD + id[0]; i < HEAD + MOST; i++)
		is_wrong |= id[i];
	return is_wrong;
}

/* Size of the payload that follows rec. Records in a compressed one never have a payload. */
static uint64_t outside_bytes(const struct pd_stream *stream, const struct pd_record *rec)
{
	bool is_trace = rec->type == PD_RECORD_AUXTRACE;

	if (stream->is_unpacking || (!is_trace && rec->type != PD_RECORD_TRACING_DATA))
		return 0;
	struct pd_cursor c = pd_record_body(rec);
	return is_trace ? pd_cursor_u64(&c) : pd_cursor_u32(&c);
}

enum framing { FRAMED, NEEDS_MORE, BROKEN };

/*
 * Decode the header of the next record to ret, and check that the record and its payload are
 * available.
 */
static enum framing frame(
	const struct pd_stream *stream, const struct pd_seen *seen, struct pd_record *ret)
{
	if (seen->len < PD_RECORD_HEADER_BYTES)
		return NEEDS_MORE;
	read_header(stream, seen->bytes, ret);
	if (ret->size < PD_RECORD_HEADER_BYTES)
		return BROKEN;
	if (ret->size > seen->len)
		return NEEDS_MORE;
	if (has_no_build_id(ret))
		ret->misc &= (uint16_t)~PD_MISC_MMAP_BUILD_ID;
	ret->offset = stream->is_unpacking ? stream->compressed_offset : stream->offset;
	ret->is_unpacked = stream->is_unpacking;
	ret->ordinal = stream->is_unpacking ? stream->n_unpacked : 0;
	ret->chunk = seen->chunk;
	ret->outside_size = outside_bytes(stream, ret);
	return ret->outside_size <= seen->len - ret->size ? FRAMED : NEEDS_MORE;
}

/* Stop reading the section and note how many bytes are skipped, if its size is known. */
static void end_early(struct pd_stream *stream, const char *what)
{
	const struct pd_file *file = stream->file;
	const char *path = pd_file_part_path(file, stream->part);

	if (stream->bytes || stream->has_ended)
		pd_diag_cut(file->diag, path, stream->offset, NULL,
			"%s: the last %zu bytes of records are not read", what, peek(stream).len);
	else
		pd_diag_cut(file->diag, path, stream->offset, NULL, "%s: what follows is not read",
			what);
	stream->has_ended = !stream->bytes;
	if (stream->bytes)
		stream->offset = stream->end;
}

static void end_unpacking(struct pd_stream *stream, const char *wrong)
{
	const struct pd_file *file = stream->file;

	stream->is_unpacking = false;
	if (!wrong)
		return;
	pd_diag_note(file->diag, pd_file_part_path(file, stream->part), stream->compressed_offset,
		"COMPRESSED", wrong);
	end_early(stream, "compressed records are damaged");
	pd_inflate_take(stream->inflate, pd_inflate_peek(stream->inflate).len);
}

/*
 * Handle the end of the input. If the payload of the last record is truncated, return true and the
 * record without it.
 */
static bool end_at_last(struct pd_stream *stream, struct pd_record *ret)
{
	struct pd_seen seen = peek(stream);
	bool has_record = seen.len >= PD_RECORD_HEADER_BYTES && ret->size <= seen.len;

	stream->has_ended = !stream->bytes;
	if (has_record) {
		take(stream, ret->size);
		ret->outside_size = 0;
	}
	if (seen.len)
		end_early(stream,
			has_record ? "payload after a record is truncated" : "a record is cut");
	return has_record;
}

/*
 * End the section because of the damage that wrong describes or, if it is NULL, at the end of
 * input.
 */
static void end_section(struct pd_stream *stream, const char *wrong, struct pd_record *ret)
{
	if (stream->is_unpacking)
		end_unpacking(stream, wrong);
	else if (wrong)
		end_early(stream, wrong);
	else if (end_at_last(stream, ret))
		return;
	*ret = (struct pd_record){ .bytes = NULL };
}

/* Read the next record of the section or compressed record; ret->bytes is NULL at its end. */
static struct pd_error *next_framed(struct pd_stream *stream, struct pd_record *ret)
{
	/*
	 * Bytes of a compressed record are in memory, so they can be read after the input has
	 * ended.
	 */
	bool more = !stream->has_ended || stream->is_unpacking;
	const char *wrong = NULL;

	*ret = (struct pd_record){ .bytes = NULL };
	if (!more)
		return NULL;
	while (more && !wrong) {
		struct pd_seen seen = peek(stream);
		enum framing framing = frame(stream, &seen, ret);
		struct pd_error *err = NULL;

		if (framing == FRAMED) {
			take(stream, ret->size + ret->outside_size);
			stream->n_unpacked += stream->is_unpacking;
			return NULL;
		}
		if (framing == BROKEN)
			wrong = "invalid record size";
		else if (!stream->bytes && seen.len > MAX_KEPT_BYTES)
			wrong = "a record is longer than 512 MiB";
		else
			err = fill(stream, &more, &wrong);
		if (err)
			return err;
	}
	end_section(stream, wrong, ret);
	return NULL;
}

static bool is_compressed(const struct pd_record *rec)
{
	return rec->type == PD_RECORD_COMPRESSED || rec->type == PD_RECORD_COMPRESSED2;
}

static struct pd_error *start_unpacking(struct pd_stream *stream, const struct pd_record *rec)
{
	const struct pd_file *file = stream->file;
	struct pd_cursor c = pd_record_body(rec);
	uint64_t size = UINT64_MAX;

	/* COMPRESSED2 states the size of its data because it is padded to 8 bytes. */
	if (rec->type == PD_RECORD_COMPRESSED2)
		size = pd_cursor_u64(&c);
	if (c.overrun) {
		pd_diag_note(file->diag, pd_file_part_path(file, stream->part), rec->offset,
			"COMPRESSED2", "record is too short");
		return NULL;
	}
	if (size > pd_cursor_left(&c))
		size = pd_cursor_left(&c);
	/* All compressed records of a part are one zstd stream, so keep its state. */
	if (!stream->inflate) {
		struct pd_error *err = pd_inflate_create(PD_CODEC_ZSTD, &stream->inflate);
		if (err)
			return err;
	}
	pd_inflate_feed(stream->inflate, c.pos, size);
	stream->compressed_offset = rec->offset;
	stream->is_unpacking = true;
	stream->n_unpacked = 0;
	return NULL;
}

/*
 * At the end, note decompressed bytes that are not a complete record. After damage there are none.
 */
static void note_tail(struct pd_stream *stream)
{
	const struct pd_file *file = stream->file;
	size_t left = stream->inflate ? pd_inflate_peek(stream->inflate).len : 0;

	if (!left)
		return;
	pd_diag_cut(file->diag, pd_file_part_path(file, stream->part), stream->compressed_offset,
		"COMPRESSED", "a record is cut: its first %zu bytes are not read", left);
	pd_inflate_take(stream->inflate, left);
}

static bool is_split(const struct pd_stream *stream, const struct pd_record *rec)
{
	return stream->file->is_simpleperf && (rec->type == PD_RECORD_SIMPLEPERF_SPLIT ||
						      rec->type == PD_RECORD_SIMPLEPERF_SPLIT_END);
}

static bool add_piece(struct pd_stream *stream, const struct pd_record *piece)
{
	const uint8_t *from = piece->bytes + PD_RECORD_HEADER_BYTES;
	size_t left = piece->size - PD_RECORD_HEADER_BYTES;
	size_t n;

	for (; left; from += n, left -= n) {
		uint8_t *to = pd_window_room(&stream->split, &n);

		if (!to)
			return false;
		n = n < left ? n : left;
		memcpy(to, from, n);
		pd_window_add(&stream->split, n);
	}
	return true;
}

static void warn_split(struct pd_stream *stream, uint64_t offset, const char *wrong)
{
	const struct pd_file *file = stream->file;

	pd_diag_note(file->diag, pd_file_part_path(file, stream->part), offset, "SPLIT", wrong);
	pd_window_take(&stream->split, pd_window_peek(&stream->split).len);
}

/* Join the pieces of a record that simpleperf split. rec->bytes is NULL until it is complete. */
static struct pd_error *join(struct pd_stream *stream, struct pd_record *rec)
{
	struct pd_record piece = *rec;
	struct pd_seen seen = pd_window_peek(&stream->split);

	*rec = (struct pd_record){ .bytes = NULL };
	if (piece.type == PD_RECORD_SIMPLEPERF_SPLIT && seen.len > MAX_SPLIT_BYTES) {
		warn_split(stream, piece.offset, "a record of more than 256 MiB is left out");
		return NULL;
	}
	if (piece.type == PD_RECORD_SIMPLEPERF_SPLIT)
		return add_piece(stream, &piece) ? NULL : &pd_enomem;
	if (seen.len >= PD_RECORD_HEADER_BYTES)
		read_header(stream, seen.bytes, rec);
	pd_window_take(&stream->split, seen.len);
	/* The first piece begins with the header of the whole record, whose size must match. */
	if (rec->bytes && rec->size == seen.len) {
		rec->offset = piece.offset;
		rec->chunk = seen.chunk;
		return NULL;
	}
	warn_split(stream, piece.offset, "pieces that make no record are left out");
	*rec = (struct pd_record){ .bytes = NULL };
	return NULL;
}

static bool leave_init_map(struct pd_stream *stream)
{
	const struct pd_section *data = &stream->file->parts.data[stream->part].data;

	if (!stream->is_in_init_map)
		return false;
	stream->is_in_init_map = false;
	enter_section(stream, data->offset, data->size);
	return true;
}

static struct pd_error *apply(struct pd_stream *stream, const struct pd_record *rec)
{
	struct pd_file *file = stream->file;

	if (stream->part || !pd_meta_is(file, rec) || stream->n_meta++ < file->state->n_meta)
		return NULL;
	file->state->n_meta++;
	return pd_meta_apply(file, rec);
}

static struct pd_error *next_record(struct pd_stream *stream, struct pd_record *ret)
{
	for (;;) {
		bool was_unpacking = stream->is_unpacking;
		struct pd_error *err = next_framed(stream, ret);

		if (err)
			return err;
		if (!ret->bytes) {
			if (!was_unpacking && !leave_init_map(stream))
				break;
		} else if (is_split(stream, ret)) {
			err = join(stream, ret);
			if (err || ret->bytes)
				return err ? err : apply(stream, ret);
		} else if (was_unpacking || !is_compressed(ret)) {
			return apply(stream, ret);
		} else {
			/*
			 * The compressed record itself is returned too, before the records in it.
			 */
			return start_unpacking(stream, ret);
		}
	}
	note_tail(stream);
	return NULL;
}

struct pd_error *pd_stream_next(struct pd_stream *stream, struct pd_record *ret)
{
	pd_chunk_unref(take_ptr(stream->last_chunk));
	if (stream->ahead_out == stream->ahead.n)
		return next_record(stream, ret);
	*ret = stream->ahead.data[stream->ahead_out++];
	stream->last_chunk = ret->chunk;
	return NULL;
}

bool pd_stream_is_before_data(const struct pd_stream *stream)
{
	return stream->is_in_init_map;
}

static bool ends_the_start(const struct pd_stream *stream, const struct pd_record *rec)
{
	return rec->type == PD_RECORD_SAMPLE || rec->type == PD_RECORD_FINISHED_ROUND ||
	       rec->type == PD_RECORD_FINISHED_INIT || stream->is_unpacking;
}

struct pd_error *pd_stream_read_ahead(struct pd_stream *stream)
{
	uint64_t n_bytes = 0;
	struct pd_record rec;

	while (stream->ahead.n < AHEAD_RECORDS && n_bytes < AHEAD_BYTES) {
		struct pd_error *err = next_record(stream, &rec);
		if (err || !rec.bytes)
			return err;
		if (!pd_vec_push(&stream->ahead, rec))
			return &pd_enomem;
		pd_chunk_ref(rec.chunk);
		if (ends_the_start(stream, &rec))
			return NULL;
		n_bytes += rec.size + rec.outside_size;
	}
	return NULL;
}
