#include "parse/stream.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <pdconv/cursor.h>

#include "base/cleanup.h"
#include "base/inflate.h"
#include "base/limit.h"
#include "parse/event_hints.h"
#include "parse/file_private.h"
#include "parse/frame.h"
#include "parse/meta.h"
#include "parse/recovery.h"
#include "parse/simpleperf.h"

enum {
	/** Limits of reading ahead. */
	AHEAD_RECORDS = PD_LIMIT_AHEAD_RECORDS,
	AHEAD_BYTES = PD_LIMIT_AHEAD_BYTES,
	/** Limit of a record with its payload, if the input is not mapped. */
	MAX_KEPT_BYTES = PD_LIMIT_RECORD_BYTES,
	/** Limit of a record that simpleperf split. */
	MAX_SPLIT_BYTES = PD_LIMIT_SPLIT_BYTES,
	/** Bytes of input that are read at once to search them after damage. */
	SEARCHED_BYTES = 2 * PD_RECOVERY_LOOK_BYTES,
	/**
	 * Bytes of mapped input that stay in memory after they were read, because records wait for
	 * their order and for the end of their batch; and bytes that are dropped at once.
	 */
	KEPT_BYTES = 32 << 20,
	DROPPED_BYTES = 8 << 20,
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
	/** Offset up to which mapped input was dropped from memory, in bytes. */
	uint64_t dropped;
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
	/** All bytes of the input have arrived. */
	bool has_ended;
	/** The header at the offset was examined together with the record before it. */
	bool is_expected;
	/** Size of the largest record of the kernel so far. */
	uint32_t largest;
	/** Bytes of damage after the record that was returned last. */
	uint64_t n_after;
	/** Damage that was found last, and where it begins. */
	const char *wrong;
	uint64_t gap_offset;
	/** Decompression cannot go on before another frame begins. */
	bool is_frame_lost;
	struct pd_recovery recovery;
	/** Collected pieces of a record that simpleperf split. */
	struct pd_window split;
	/** Number of records that this stream, or an earlier one, applied to the file. */
	uint64_t n_meta;
	/** Records that were read ahead. Each holds a reference to its chunk. */
	PD_VEC(struct pd_record) ahead;
	size_t ahead_out;
	/** Buffer of the record that was returned last, if it was read ahead. */
	struct pd_chunk *last_chunk;
	struct pd_event_hints hints;
};

static void enter_section(struct pd_stream *stream, uint64_t offset, uint64_t size)
{
	stream->offset = offset;
	stream->end = offset + size;
	stream->dropped = offset;
	stream->is_expected = false;
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
	stream->recovery.file = file;
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

/* Drop mapped input that was read long ago, so that memory does not grow with the file. */
static void drop_read(struct pd_stream *stream)
{
	if (stream->offset - stream->dropped < KEPT_BYTES + DROPPED_BYTES)
		return;
	uint64_t end = stream->offset - KEPT_BYTES;
	pd_input_drop(stream->input, stream->dropped, end);
	stream->dropped = end;
}

/* Decode the next record to ret, and check that the record and its payload are available. */
static enum pd_framing frame(
	const struct pd_stream *stream, const struct pd_seen *seen, struct pd_record *ret)
{
	enum pd_framing framing =
		pd_frame(stream->file, seen->bytes, seen->len, stream->is_unpacking, ret);

	ret->part = stream->part;
	ret->offset = stream->is_unpacking ? stream->compressed_offset : stream->offset;
	ret->is_unpacked = stream->is_unpacking;
	ret->ordinal = stream->is_unpacking ? stream->n_unpacked : 0;
	ret->chunk = seen->chunk;
	return framing;
}

static bool is_whole(const struct pd_stream *stream)
{
	return stream->bytes || stream->has_ended;
}

/* Count bytes of damage, unless another reader of the file counted them. */
static void count_gap(struct pd_stream *stream, uint64_t offset, uint64_t n)
{
	struct pd_source *source = &stream->file->state->sources.data[stream->part];
	struct pd_gaps *gaps = &stream->file->gaps;

	if (offset < source->gaps_end || !n)
		return;
	if (source->first_gap == PD_NO_OFFSET) {
		source->first_gap = offset;
		source->first_gap_time = stream->recovery.near[0];
	}
	source->gaps_end = offset + n;
	gaps->n++;
	gaps->bytes += n;
}

bool pd_stream_is_after_first_gap(const struct pd_file *file, const struct pd_record *rec)
{
	const struct pd_source *sources = file->state->sources.data;

	if (rec->offset > sources[rec->part].first_gap)
		return true;
	/* Records of one file of a directory are about the threads of the others, too. */
	for (size_t i = 0; i < file->parts.n; i++) {
		if (i != rec->part && sources[i].first_gap != PD_NO_OFFSET &&
			rec->time > sources[i].first_gap_time)
			return true;
	}
	return false;
}

/* Stop reading the section and note how many bytes are skipped, if its size is known. */
static void end_early(struct pd_stream *stream, const char *what)
{
	const struct pd_file *file = stream->file;
	const char *path = pd_file_part_path(file, stream->part);
	size_t left = peek(stream).len;

	pd_diag_cut(file->diag, path, stream->offset, NULL,
		"%s: the last %zu bytes of records are not read", what, left);
	take(stream, left);
}

static void end_unpacking(struct pd_stream *stream, const char *wrong)
{
	const struct pd_file *file = stream->file;

	stream->is_unpacking = false;
	if (!wrong)
		return;
	pd_diag_note(file->diag, pd_file_part_path(file, stream->part), stream->compressed_offset,
		"COMPRESSED", wrong);
	pd_diag_note(file->diag, pd_file_part_path(file, stream->part), stream->compressed_offset,
		"COMPRESSED", "compressed records are damaged");
	count_gap(stream, stream->compressed_offset, stream->offset - stream->compressed_offset);
	stream->is_frame_lost = true;
	pd_inflate_take(stream->inflate, pd_inflate_peek(stream->inflate).len);
}

/*
 * End the section within a record that is cut or damaged. If only its payload is truncated, return
 * the record without it.
 */
static void end_within(struct pd_stream *stream, const char *wrong, struct pd_record *ret)
{
	struct pd_seen seen = peek(stream);
	bool is_cut = frame(stream, &seen, ret) == PD_FRAME_CUT;

	if (is_cut && seen.len >= PD_RECORD_HEADER_BYTES && ret->size <= seen.len) {
		take(stream, ret->size);
		ret->outside_size = 0;
		end_early(stream, "payload after a record is truncated");
		return;
	}
	*ret = (struct pd_record){ .bytes = NULL };
	if (!is_cut)
		count_gap(
			stream, stream->gap_offset, stream->offset + seen.len - stream->gap_offset);
	end_early(stream, wrong);
}

/* Pass over n bytes of the damage that was found. */
static void pass_over(struct pd_stream *stream, uint64_t n)
{
	take(stream, n);
	count_gap(stream, stream->gap_offset, stream->offset - stream->gap_offset);
}

/* Note that records go on after damage, in which compressed ones may have been. */
static void end_gap(struct pd_stream *stream)
{
	const struct pd_file *file = stream->file;

	pd_diag_warn(file->diag, pd_file_part_path(file, stream->part), stream->gap_offset, NULL,
		"%s: %" PRIu64 " bytes passed over", stream->wrong,
		stream->offset - stream->gap_offset);
	stream->is_expected = true;
	stream->is_frame_lost = stream->inflate;
	if (stream->inflate)
		pd_inflate_take(stream->inflate, pd_inflate_peek(stream->inflate).len);
}

/* Whether the header of rec is usual; a header that was looked at before is known to be. */
static bool has_usual_header(const struct pd_stream *stream, const struct pd_record *rec)
{
	return stream->is_expected || pd_recovery_is_usual_record(stream->file, rec);
}

/* Whether another record, with a usual header, follows rec, or nothing does. */
enum sight {
	SIGHT_GOOD,
	/** More bytes are needed. */
	SIGHT_MORE,
	/** The record, or what follows it, is damaged or unknown. */
	SIGHT_BAD,
};

/* Look at the header that follows rec. */
static enum sight look_ahead(
	struct pd_stream *stream, const struct pd_seen *seen, const struct pd_record *rec)
{
	uint64_t len = rec->size + rec->outside_size;

	if (seen->len - len >= PD_RECORD_HEADER_BYTES) {
		if (!pd_recovery_is_usual(
			    stream->file, pd_frame_header(stream->file, seen->bytes + len)))
			return SIGHT_BAD;
		stream->is_expected = true;
		return SIGHT_GOOD;
	}
	/*
	 * The last record of a round must not wait for the next round, and a record that continues
	 * in the next compressed record cannot.
	 */
	if (!is_whole(stream) && !stream->is_unpacking && rec->type != PD_RECORD_FINISHED_ROUND)
		return SIGHT_MORE;
	stream->is_expected = false;
	return SIGHT_GOOD;
}

static enum sight look(struct pd_stream *stream, const struct pd_seen *seen, struct pd_record *ret)
{
	switch (frame(stream, seen, ret)) {
	case PD_FRAME_CUT:
		return SIGHT_MORE;
	case PD_FRAME_BROKEN:
		return SIGHT_BAD;
	case PD_FRAMED:
		break;
	}
	if (!has_usual_header(stream, ret))
		return SIGHT_BAD;
	return look_ahead(stream, seen, ret);
}

/* Fill the window of an input that is not mapped, so that enough bytes can be searched. */
static struct pd_error *fill_to_search(struct pd_stream *stream)
{
	const char *wrong;
	bool more = true;

	while (!is_whole(stream) && !stream->is_unpacking && peek(stream).len < SEARCHED_BYTES) {
		struct pd_error *err = fill(stream, &more, &wrong);
		if (err)
			return err;
		stream->has_ended = !more;
	}
	return NULL;
}

/* Whether the record at the beginning of seen is right although damage may follow it. */
static bool precedes_damage(
	struct pd_stream *stream, const struct pd_seen *seen, uint64_t found, struct pd_record *ret)
{
	if (frame(stream, seen, ret) != PD_FRAMED)
		return false;
	uint64_t len = ret->size + ret->outside_size;
	return has_usual_header(stream, ret) && found >= len &&
	       pd_recovery_is_sound(&stream->recovery, ret) &&
	       pd_recovery_is_limited(stream->file, seen->bytes + len, found - len);
}

/* Begin a gap offset bytes after the current one. */
static void begin_gap(struct pd_stream *stream, uint64_t offset, const char *wrong)
{
	stream->wrong = wrong;
	stream->gap_offset = stream->offset + offset;
}

/*
 * Find where records go on after damage. If the record before it is right, return it in ret, and
 * pass over the damage later.
 */
static struct pd_error *recover(struct pd_stream *stream, const char *wrong, struct pd_record *ret)
{
	struct pd_seen seen = peek(stream);
	uint64_t at = 1;
	bool found =
		pd_recovery_find(&stream->recovery, seen.bytes, seen.len, is_whole(stream), &at);

	if (precedes_damage(stream, &seen, found ? at : seen.len, ret)) {
		begin_gap(stream, ret->size + ret->outside_size, wrong);
		stream->n_after = found ? at - ret->size - ret->outside_size : 0;
		take(stream, ret->size + ret->outside_size);
		stream->is_expected = false;
		return NULL;
	}
	*ret = (struct pd_record){ .bytes = NULL };
	begin_gap(stream, 0, wrong);
	while (!found && !is_whole(stream)) {
		pass_over(stream, at);
		struct pd_error *err = fill_to_search(stream);
		if (err)
			return err;
		seen = peek(stream);
		at = 0;
		found = pd_recovery_find(
			&stream->recovery, seen.bytes, seen.len, is_whole(stream), &at);
	}
	if (!found) {
		end_within(stream, wrong, ret);
		return NULL;
	}
	pass_over(stream, at);
	end_gap(stream);
	return NULL;
}

static void take_record(struct pd_stream *stream, const struct pd_record *rec)
{
	take(stream, rec->size + rec->outside_size);
	stream->n_unpacked += stream->is_unpacking;
}

/*
 * Whether the record in ret, or the one after it, is of an unknown kind but not damaged. Then the
 * former is taken.
 */
static bool take_unusual(
	struct pd_stream *stream, const struct pd_seen *seen, struct pd_record *ret)
{
	if (frame(stream, seen, ret) != PD_FRAMED)
		return false;
	bool has_usual = has_usual_header(stream, ret);
	uint64_t at = has_usual ? ret->size + ret->outside_size : 0;
	if (!pd_recovery_continues(&stream->recovery, seen->bytes + at, seen->len - at,
		    is_whole(stream) && !stream->is_unpacking))
		return false;
	stream->is_expected = has_usual;
	take_record(stream, ret);
	return true;
}

/*
 * Decompressed records cannot be damaged unless decompression went wrong. So take a record that is
 * right, and end before the first one that is not.
 */
static void take_last_unpacked(struct pd_stream *stream, const char *wrong, struct pd_record *ret)
{
	bool has_usual = has_usual_header(stream, ret);

	if (has_usual && pd_recovery_is_sound(&stream->recovery, ret)) {
		stream->is_expected = false;
		take_record(stream, ret);
		return;
	}
	end_unpacking(stream, wrong);
	*ret = (struct pd_record){ .bytes = NULL };
}

/* Handle a record that is damaged or unknown, or followed by one. */
static struct pd_error *take_doubtful(struct pd_stream *stream, struct pd_record *ret)
{
	struct pd_error *err = fill_to_search(stream);

	if (err)
		return err;
	struct pd_seen seen = peek(stream);
	if (take_unusual(stream, &seen, ret))
		return NULL;
	const char *wrong = ret->size < PD_RECORD_HEADER_BYTES ? "invalid record size"
							       : "invalid record header";
	if (!stream->is_unpacking)
		return recover(stream, wrong, ret);
	take_last_unpacked(stream, wrong, ret);
	return NULL;
}

/*
 * Get more bytes for the next record. At the end of the section or of the compressed record, ret
 * has no bytes, or the last record without its payload, and is_end_ret is set.
 */
static struct pd_error *get_more(struct pd_stream *stream, struct pd_record *ret, bool *is_end_ret)
{
	const char *wrong;
	bool more;
	size_t len = peek(stream).len;

	_Static_assert(PD_LIMIT_RECORD_BYTES == 512 << 20, "the message has the value");
	*ret = (struct pd_record){ .bytes = NULL };
	*is_end_ret = !stream->is_unpacking && is_whole(stream) && !len;
	if (*is_end_ret)
		return NULL;
	if (!stream->is_unpacking && is_whole(stream))
		return recover(stream, "a record is cut", ret);
	if (!stream->is_unpacking && len > MAX_KEPT_BYTES)
		return recover(stream, "a record is longer than 512 MiB", ret);
	struct pd_error *err = fill(stream, &more, &wrong);
	if (err)
		return err;
	if (!stream->is_unpacking)
		stream->has_ended = !more;
	else if (!more)
		end_unpacking(stream, wrong);
	return NULL;
}

/*
 * Find out whether the size of rec is wrong although it ends where another record begins: rec is
 * larger than all records before it, does not agree with its event, and other records begin in it.
 */
static struct pd_error *check_size(
	struct pd_stream *stream, struct pd_record *rec, bool *is_wrong_ret)
{
	uint64_t len = rec->size + PD_RECOVERY_LOOK_BYTES, at = 1;

	*is_wrong_ret = false;
	if (rec->size <= stream->largest || rec->type >= PD_RECORD_FIRST_TOOL ||
		stream->is_unpacking)
		return NULL;
	if (!pd_recovery_is_sound(&stream->recovery, rec)) {
		struct pd_error *err = fill_to_search(stream);
		if (err)
			return err;
		/* The bytes may have moved. */
		struct pd_seen seen = peek(stream);
		(void)frame(stream, &seen, rec);
		bool is_last = is_whole(stream) && seen.len <= len;
		*is_wrong_ret = pd_recovery_find(&stream->recovery, seen.bytes,
					seen.len < len ? seen.len : len, is_last, &at) &&
				at < rec->size;
	}
	if (!*is_wrong_ret)
		stream->largest = rec->size;
	return NULL;
}

/* Take the record in ret, which is usual, unless its size is wrong. */
static struct pd_error *take_good(struct pd_stream *stream, struct pd_record *ret)
{
	bool is_wrong;
	struct pd_error *err = check_size(stream, ret, &is_wrong);

	if (err)
		return err;
	if (is_wrong)
		return recover(stream, "invalid record size", ret);
	take_record(stream, ret);
	return NULL;
}

/*
 * Take the next record if it and the header after it are mapped and usual, as almost all are. This
 * does what look() and take_record() do, in less time.
 */
static bool take_usual(struct pd_stream *stream, struct pd_record *ret)
{
	const struct pd_file *file = stream->file;

	if (!stream->is_expected || !stream->bytes || stream->is_unpacking)
		return false;
	const uint8_t *bytes = stream->bytes + stream->offset;
	uint64_t left = stream->end - stream->offset;
	if (pd_frame(file, bytes, left, false, ret) != PD_FRAMED || ret->size > stream->largest)
		return false;
	uint64_t len = ret->size + ret->outside_size;
	if (left - len < PD_RECORD_HEADER_BYTES ||
		!pd_recovery_is_usual(file, pd_frame_header(file, bytes + len)))
		return false;
	ret->part = stream->part;
	ret->offset = stream->offset;
	stream->offset += len;
	drop_read(stream);
	return true;
}

/* Read the next record of the section or compressed record; ret->bytes is NULL at its end. */
static struct pd_error *next_framed(struct pd_stream *stream, struct pd_record *ret)
{
	if (take_usual(stream, ret))
		return NULL;
	bool is_unpacking = stream->is_unpacking;
	bool is_end = false;

	if (stream->n_after && !is_unpacking) {
		pass_over(stream, stream->n_after);
		stream->n_after = 0;
		end_gap(stream);
	}
	while (!is_end) {
		struct pd_seen seen = peek(stream);
		enum sight sight = look(stream, &seen, ret);

		struct pd_error *err = sight == SIGHT_GOOD  ? take_good(stream, ret)
				       : sight == SIGHT_BAD ? take_doubtful(stream, ret)
							    : get_more(stream, ret, &is_end);
		if (err || ret->bytes)
			return err;
		/* The compressed record has ended. */
		is_end |= is_unpacking != stream->is_unpacking;
	}
	return NULL;
}

static bool is_compressed(const struct pd_record *rec)
{
	return rec->type == PD_RECORD_COMPRESSED || rec->type == PD_RECORD_COMPRESSED2;
}

/*
 * After damage, go on with a compressed record that begins a frame. The contents of others refer to
 * bytes before them that are lost, so they are passed over.
 */
static bool find_frame(
	struct pd_stream *stream, const struct pd_record *rec, const uint8_t *bytes, uint64_t len)
{
	const struct pd_file *file = stream->file;

	if (pd_codec_detect(bytes, len) != PD_CODEC_ZSTD) {
		pd_diag_note(file->diag, pd_file_part_path(file, stream->part), rec->offset,
			"COMPRESSED", "needs damaged bytes before it, and is passed over");
		count_gap(stream, rec->offset, rec->size);
		return false;
	}
	stream->is_frame_lost = false;
	pd_inflate_destroy(take_ptr(stream->inflate));
	return true;
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
	if (stream->is_frame_lost && !find_frame(stream, rec, c.pos, size))
		return NULL;
	/* All compressed records of a part are one zstd stream, so keep its state. */
	if (!stream->inflate) {
		struct pd_error *err = pd_inflate_create(PD_CODEC_ZSTD, &stream->inflate);
		if (err)
			return err;
	}
	pd_inflate_feed(stream->inflate, c.pos, size);
	stream->compressed_offset = rec->offset;
	stream->is_unpacking = true;
	stream->is_expected = false;
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

	_Static_assert(PD_LIMIT_SPLIT_BYTES == 256 << 20, "the message has the value");
	*rec = (struct pd_record){ .bytes = NULL };
	if (piece.type == PD_RECORD_SIMPLEPERF_SPLIT && seen.len > MAX_SPLIT_BYTES) {
		warn_split(stream, piece.offset, "a record of more than 256 MiB is left out");
		return NULL;
	}
	if (piece.type == PD_RECORD_SIMPLEPERF_SPLIT)
		return add_piece(stream, &piece) ? NULL : &pd_enomem;
	if (seen.len >= PD_RECORD_HEADER_BYTES)
		*rec = pd_frame_record(
			stream->file, seen.bytes, pd_frame_header(stream->file, seen.bytes));
	pd_window_take(&stream->split, seen.len);
	/* The first piece begins with the header of the whole record, whose size must match. */
	if (rec->bytes && rec->size == seen.len) {
		rec->part = piece.part;
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
	ret->time = pd_events_time_hinted(&stream->file->events, &stream->hints, ret);
	if (ret->time && ret->time < PD_FIRST_FAKE_TIME)
		pd_recovery_note_time(&stream->recovery, ret->time);
	return NULL;
}

static bool ends_the_start(const struct pd_stream *stream, const struct pd_record *rec)
{
	return rec->type == PD_RECORD_SAMPLE || rec->type == PD_RECORD_FINISHED_ROUND ||
	       rec->type == PD_RECORD_FINISHED_INIT || stream->is_unpacking;
}

/*
 * Whether the records that were read ahead, of n_bytes, have reached a limit. Nothing is lost by
 * that unless an event follows.
 */
static bool is_ahead_enough(struct pd_stream *stream, uint64_t n_bytes)
{
	struct pd_file_state *state = stream->file->state;
	bool has_many = stream->ahead.n >= AHEAD_RECORDS;

	state->is_ahead_limited = has_many || n_bytes >= AHEAD_BYTES;
	state->ahead_limit = has_many ? PD_LIMIT_ID_AHEAD_RECORDS : PD_LIMIT_ID_AHEAD_BYTES;
	return state->is_ahead_limited;
}

struct pd_error *pd_stream_read_ahead(struct pd_stream *stream)
{
	uint64_t n_bytes = 0;
	struct pd_record rec;

	while (!is_ahead_enough(stream, n_bytes)) {
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
