/*
 * States:
 *
 *   EXAMINE ─┬─ plausible ───────► is its size wrong? ─┬─ no ────────────────► TAKE ──► EXAMINE
 *            │                                         └─ yes ───────────────► RESYNCHRONISE
 *            ├─ implausible ─────► do records follow? ─┬─ yes: unknown kind ─► TAKE ──► EXAMINE
 *            │                                         └─ no ────────────────► RESYNCHRONISE
 *            └─ need more bytes ─► can more be read? ──┬─ yes ───────────────► EXAMINE
 *                                                      ├─ no, in a record ───► RESYNCHRONISE
 *                                                      └─ no, after a record ► END
 *
 *   RESYNCHRONISE ─┬─ the record before the damage is valid ──► TAKE, then SKIP ──► EXAMINE
 *                  ├─ a chain of valid records begins later ──► SKIP ──► EXAMINE
 *                  └─ none does ──────────────────────────────► END
 *
 * EXAMINE looks at a record and at the header after it. Nothing is resynchronised in a compressed
 * record: that ends before the first implausible record.
 */
#include "parse/framer.h"

#include <inttypes.h>

#include <pdconv/cursor.h>

#include "base/cleanup.h"
#include "base/limit.h"
#include "parse/open_file.h"

enum {
	/** Limit of a record with its payload, if the input is not mapped. */
	MAX_KEPT_BYTES = PD_LIMIT_RECORD_BYTES,
	/** Bytes of input that are read at once to search them after damage. */
	SEARCHED_BYTES = 2 * PD_RESYNC_LOOK_BYTES,
};

static void note_compressed(
	const struct parse_decompressor *d, uint64_t offset, const char *type, const char *what)
{
	pd_diag_note(d->file->diag, pd_file_part_path(d->file, d->part), offset, type, what);
}

static void drop_decompressed(struct parse_decompressor *d)
{
	base_inflate_take(d->inflate, base_inflate_peek(d->inflate).len);
}

/*
 * Start to decompress the compressed record @p rec, whose bytes must stay valid until its end. If
 * it is invalid or needs damaged bytes, that is noted and is_active stays false. @p time is that of
 * the last record before it.
 */
static struct pd_error *start_decompressing(
	struct parse_decompressor *d, const struct pd_record *rec, uint64_t time)
{
	struct pd_cursor c = pd_record_body(rec);
	uint64_t size = UINT64_MAX;

	/* COMPRESSED2 states the size of its data because it is padded to 8 bytes. */
	if (rec->type == PD_RECORD_COMPRESSED2)
		size = pd_cursor_u64(&c);
	if (c.overrun) {
		note_compressed(d, rec->offset, "COMPRESSED2", "record is too short");
		return NULL;
	}
	if (size > pd_cursor_left(&c))
		size = pd_cursor_left(&c);
	if (d->needs_frame) {
		if (base_codec_detect(c.pos, size) != PD_CODEC_ZSTD) {
			note_compressed(d, rec->offset, "COMPRESSED",
				"needs damaged bytes before it, and is passed over");
			parse_gaps_count(d->file, d->part, rec->offset, rec->size, time);
			return NULL;
		}
		d->needs_frame = false;
		base_inflate_destroy(take_ptr(d->inflate));
	}
	/* All compressed records of a part are one zstd stream, so keep its state. */
	if (!d->inflate) {
		struct pd_error *err = base_inflate_create(PD_CODEC_ZSTD, &d->inflate);
		if (err)
			return err;
	}
	base_inflate_feed(d->inflate, c.pos, size);
	d->offset = rec->offset;
	d->is_active = true;
	d->n_returned = 0;
	return NULL;
}

/*
 * End the compressed record. @p wrong is NULL, or describes damage in it, which ends at the offset
 * @p end: it is noted, and the rest is dropped. @p time is that of the last record before it.
 */
static void end_decompressing(
	struct parse_decompressor *d, const char *wrong, uint64_t end, uint64_t time)
{
	d->is_active = false;
	if (!wrong)
		return;
	note_compressed(d, d->offset, "COMPRESSED", wrong);
	note_compressed(d, d->offset, "COMPRESSED", "compressed records are damaged");
	parse_gaps_count(d->file, d->part, d->offset, end - d->offset, time);
	d->needs_frame = true;
	drop_decompressed(d);
}

/* Drop decompressed bytes, because compressed records may have been among damaged bytes. */
static void lose_decompressed(struct parse_decompressor *d)
{
	d->needs_frame = d->inflate;
	if (d->inflate)
		drop_decompressed(d);
}

void parse_decompressor_end_part(struct parse_decompressor *d)
{
	size_t left = d->inflate ? base_inflate_peek(d->inflate).len : 0;

	if (!left)
		return;
	pd_diag_cut(d->file->diag, pd_file_part_path(d->file, d->part), d->offset, "COMPRESSED",
		"a record is cut: its first %zu bytes are not read", left);
	drop_decompressed(d);
}

void parse_framer_init(
	struct parse_framer *framer, struct pd_file *file, uint32_t part, struct parse_input *input)
{
	const uint8_t *bytes = parse_input_bytes(input);

	*framer = (struct parse_framer){
		.file = file,
		.part = part,
		.bytes = bytes,
		.input = input,
		.has_window = !bytes && parse_input_size(input) != UINT64_MAX,
		.decompressor = { .file = file, .part = part },
		.resync = { .file = file },
	};
}

void parse_framer_deinit(struct parse_framer *framer)
{
	base_inflate_destroy(framer->decompressor.inflate);
	base_window_deinit(&framer->window);
}

void parse_framer_enter(struct parse_framer *framer, uint64_t offset, uint64_t size)
{
	framer->offset = offset;
	framer->end = offset + size;
	framer->dropped = offset;
	framer->next_read = offset;
	framer->has_ended = framer->has_window && !size;
	base_window_take(&framer->window, base_window_peek(&framer->window).len);
	framer->is_next_plausible = false;
}

struct pd_error *parse_framer_decompress(struct parse_framer *framer, const struct pd_record *rec)
{
	struct pd_error *err =
		start_decompressing(&framer->decompressor, rec, framer->resync.near[0]);

	framer->is_next_plausible &= !framer->decompressor.is_active;
	return err;
}

void parse_framer_drop(struct parse_framer *framer)
{
	uint64_t end = framer->offset - PD_FRAMER_KEPT_BYTES;

	parse_input_drop(framer->input, framer->dropped, end);
	framer->dropped = end;
}

/* Access to the available bytes: those of the current compressed record, or else of the input. */

static bool is_decompressing(const struct parse_framer *framer)
{
	return framer->decompressor.is_active;
}

static struct base_seen peek(const struct parse_framer *framer)
{
	if (is_decompressing(framer))
		return base_inflate_peek(framer->decompressor.inflate);
	if (framer->has_window)
		return base_window_peek(&framer->window);
	if (!framer->bytes)
		return parse_input_peek(framer->input);
	return (struct base_seen){
		.bytes = framer->bytes + framer->offset,
		.len = framer->end - framer->offset,
	};
}

static void take(struct parse_framer *framer, size_t len)
{
	if (is_decompressing(framer)) {
		base_inflate_take(framer->decompressor.inflate, len);
		return;
	}
	if (framer->has_window)
		base_window_take(&framer->window, len);
	else if (!framer->bytes)
		parse_input_take(framer->input, len);
	framer->offset += len;
}

/* Whether all bytes of the section are available. */
static bool is_whole(const struct parse_framer *framer)
{
	return framer->bytes || framer->has_ended;
}

/* Read more bytes of the section, which is not mapped, by offset. */
static struct pd_error *fill_window(struct parse_framer *framer)
{
	uint64_t left = framer->end - framer->next_read;
	size_t room;
	uint8_t *to = base_window_room(&framer->window, &room);

	if (!to)
		return &pd_enomem;
	size_t n = left < room ? (size_t)left : room;
	struct pd_error *err = parse_input_read_at(framer->input, framer->next_read, to, n);
	if (err)
		return err;
	base_window_add(&framer->window, n);
	framer->next_read += n;
	framer->has_ended = n == left;
	return NULL;
}

/* Read more bytes of an input that is not mapped. */
static struct pd_error *fill(struct parse_framer *framer)
{
	bool more;

	if (framer->has_window)
		return fill_window(framer);
	struct pd_error *err = parse_input_fill(framer->input, &more);
	if (!err)
		framer->has_ended = !more;
	return err;
}

/* Fill the window of an input that is not mapped, so that enough bytes can be searched. */
static struct pd_error *fill_to_search(struct parse_framer *framer)
{
	struct pd_error *err = NULL;

	while (!err && !is_whole(framer) && !is_decompressing(framer) &&
		peek(framer).len < SEARCHED_BYTES)
		err = fill(framer);
	return err;
}

/* Decode the next record to ret, and check that the record and its payload are available. */
static enum parse_framing frame(
	const struct parse_framer *framer, const struct base_seen *seen, struct pd_record *ret)
{
	const struct parse_decompressor *d = &framer->decompressor;
	enum parse_framing framing =
		pd_frame(framer->file, seen->bytes, seen->len, d->is_active, ret);

	ret->part = framer->part;
	ret->offset = d->is_active ? d->offset : framer->offset;
	ret->is_unpacked = d->is_active;
	ret->ordinal = d->is_active ? d->n_returned : 0;
	ret->chunk = seen->chunk;
	return framing;
}

static void take_record(struct parse_framer *framer, const struct pd_record *rec)
{
	take(framer, rec->size + rec->outside_size);
	framer->decompressor.n_returned += is_decompressing(framer);
}

/* Whether the header of rec is plausible; one that was examined before is known to be. */
static bool is_header_plausible(const struct parse_framer *framer, const struct pd_record *rec)
{
	return framer->is_next_plausible || parse_resync_is_plausible_record(framer->file, rec);
}

static void end_decompression(struct parse_framer *framer, const char *wrong)
{
	end_decompressing(&framer->decompressor, wrong, framer->offset, framer->resync.near[0]);
}

/* Gaps. */

/*
 * Stop reading the section, whose last bytes are available, and note that those from start on are
 * skipped.
 */
static void end_early(struct parse_framer *framer, uint64_t start, const char *what)
{
	const struct pd_file *file = framer->file;

	take(framer, peek(framer).len);
	pd_diag_cut(file->diag, pd_file_part_path(file, framer->part), start, NULL,
		"%s: the last %" PRIu64 " bytes of records are not read", what,
		framer->offset - start);
}

/*
 * Begin a gap offset bytes after the current one. A gap whose end was not among the available bytes
 * begins again when more are, and is described as it was.
 */
static void begin_gap(struct parse_framer *framer, uint64_t offset, const char *wrong)
{
	if (framer->wrong && framer->gap_offset == framer->offset + offset)
		return;
	framer->wrong = wrong;
	framer->gap_offset = framer->offset + offset;
}

static void count_gap(struct parse_framer *framer, uint64_t end)
{
	parse_gaps_count(framer->file, framer->part, framer->gap_offset, end - framer->gap_offset,
		framer->resync.near[0]);
}

/* Skip the last n bytes of the damage that was found. */
static void skip(struct parse_framer *framer, uint64_t n)
{
	take(framer, n);
	count_gap(framer, framer->offset);
}

/* Note that records follow the damage, in which compressed ones may have been. */
static void end_gap(struct parse_framer *framer)
{
	const struct pd_file *file = framer->file;

	pd_diag_warn(file->diag, pd_file_part_path(file, framer->part), framer->gap_offset, NULL,
		"%s: %" PRIu64 " bytes passed over", framer->wrong,
		framer->offset - framer->gap_offset);
	framer->is_next_plausible = true;
	lose_decompressed(&framer->decompressor);
}

/*
 * End the section within a record that is cut or damaged. If only its payload is truncated, return
 * the record without it.
 */
static void end_within(struct parse_framer *framer, const char *wrong, struct pd_record *ret)
{
	struct base_seen seen = peek(framer);
	bool is_start = framer->offset == framer->gap_offset;
	bool is_cut = frame(framer, &seen, ret) == PD_FRAME_CUT && is_start;

	if (is_cut && seen.len >= PD_RECORD_HEADER_BYTES && ret->size <= seen.len) {
		take(framer, ret->size);
		ret->outside_size = 0;
		end_early(framer, framer->offset, "payload after a record is truncated");
		return;
	}
	*ret = (struct pd_record){ .bytes = NULL };
	if (!is_cut)
		count_gap(framer, framer->offset + seen.len);
	end_early(framer, framer->gap_offset, wrong);
}

/* Resynchronisation. */

/* Whether the record at the beginning of seen is valid although damage may follow it. */
static bool precedes_damage(struct parse_framer *framer, const struct base_seen *seen,
	uint64_t found, struct pd_record *ret)
{
	if (frame(framer, seen, ret) != PD_FRAMED)
		return false;
	uint64_t len = ret->size + ret->outside_size;
	return is_header_plausible(framer, ret) && found >= len &&
	       parse_resync_is_valid(&framer->resync, ret) &&
	       parse_resync_is_limited(framer->file, seen->bytes + len, found - len);
}

/*
 * Find where records follow after damage. If the record before it is valid, return it in ret, and
 * skip the damage later.
 */
static struct pd_error *resynchronise(
	struct parse_framer *framer, const char *wrong, struct pd_record *ret)
{
	struct base_seen seen = peek(framer);
	uint64_t at = 1;
	bool found =
		parse_resync_find(&framer->resync, seen.bytes, seen.len, is_whole(framer), &at);

	if (precedes_damage(framer, &seen, found ? at : seen.len, ret)) {
		uint64_t len = ret->size + ret->outside_size;

		begin_gap(framer, len, wrong);
		framer->n_after = found ? at - len : 0;
		take(framer, len);
		framer->is_next_plausible = false;
		return NULL;
	}
	*ret = (struct pd_record){ .bytes = NULL };
	begin_gap(framer, 0, wrong);
	while (!found && !is_whole(framer)) {
		take(framer, at);
		struct pd_error *err = fill_to_search(framer);
		if (err)
			return err;
		seen = peek(framer);
		at = 0;
		found = parse_resync_find(
			&framer->resync, seen.bytes, seen.len, is_whole(framer), &at);
	}
	if (!found) {
		end_within(framer, wrong, ret);
		return NULL;
	}
	skip(framer, at);
	end_gap(framer);
	return NULL;
}

/*
 * Whether the record in ret, or the one after it, is of an unknown kind but not damaged. Then the
 * former is taken.
 */
static bool take_unknown(
	struct parse_framer *framer, const struct base_seen *seen, struct pd_record *ret)
{
	if (frame(framer, seen, ret) != PD_FRAMED)
		return false;
	bool is_plausible = is_header_plausible(framer, ret);
	uint64_t at = is_plausible ? ret->size + ret->outside_size : 0;
	if (!parse_resync_continues(&framer->resync, seen->bytes + at, seen->len - at,
		    is_whole(framer) && !is_decompressing(framer)))
		return false;
	framer->is_next_plausible = is_plausible;
	take_record(framer, ret);
	return true;
}

/*
 * Decompressed records cannot be damaged unless decompression went wrong. So take a record that is
 * valid, and end before the first one that is not.
 */
static void take_last_decompressed(
	struct parse_framer *framer, const char *wrong, struct pd_record *ret)
{
	if (is_header_plausible(framer, ret) && parse_resync_is_valid(&framer->resync, ret)) {
		framer->is_next_plausible = false;
		take_record(framer, ret);
		return;
	}
	end_decompression(framer, wrong);
	*ret = (struct pd_record){ .bytes = NULL };
}

/* Handle a record that is implausible, or followed by one. */
static struct pd_error *handle_implausible(struct parse_framer *framer, struct pd_record *ret)
{
	struct pd_error *err = fill_to_search(framer);

	if (err)
		return err;
	struct base_seen seen = peek(framer);
	if (take_unknown(framer, &seen, ret))
		return NULL;
	const char *wrong = ret->size < PD_RECORD_HEADER_BYTES ? "invalid record size"
							       : "invalid record header";
	if (!is_decompressing(framer))
		return resynchronise(framer, wrong, ret);
	take_last_decompressed(framer, wrong, ret);
	return NULL;
}

/*
 * Get more bytes for the next record. At the end of the section or of the compressed record, ret
 * has no bytes, or the last record without its payload, and is_end_ret is set.
 */
static struct pd_error *get_more(
	struct parse_framer *framer, struct pd_record *ret, bool *is_end_ret)
{
	const char *wrong;
	bool more;
	size_t len = peek(framer).len;

	_Static_assert(PD_LIMIT_RECORD_BYTES == 512 << 20, "the message has the value");
	*ret = (struct pd_record){ .bytes = NULL };
	if (is_decompressing(framer)) {
		*is_end_ret = false;
		struct pd_error *err =
			base_inflate_fill(framer->decompressor.inflate, &more, &wrong);
		if (!err && !more)
			end_decompression(framer, wrong);
		return err;
	}
	*is_end_ret = is_whole(framer) && !len;
	if (*is_end_ret)
		return NULL;
	if (is_whole(framer))
		return resynchronise(framer, "a record is cut", ret);
	if (len > MAX_KEPT_BYTES)
		return resynchronise(framer, "a record is longer than 512 MiB", ret);
	return fill(framer);
}

/*
 * Find out whether the size of rec is wrong although it ends where another record begins: rec is
 * larger than all records before it, is not valid, and other records begin in it.
 */
static struct pd_error *check_size(
	struct parse_framer *framer, struct pd_record *rec, bool *is_wrong_ret)
{
	uint64_t len = rec->size + PD_RESYNC_LOOK_BYTES, at = 1;

	*is_wrong_ret = false;
	if (rec->size <= framer->largest || rec->type >= PD_RECORD_FIRST_TOOL ||
		is_decompressing(framer))
		return NULL;
	if (!parse_resync_is_valid(&framer->resync, rec)) {
		struct pd_error *err = fill_to_search(framer);
		if (err)
			return err;
		/* The bytes may have moved. */
		struct base_seen seen = peek(framer);
		(void)frame(framer, &seen, rec);
		bool is_last = is_whole(framer) && seen.len <= len;
		*is_wrong_ret = parse_resync_find(&framer->resync, seen.bytes,
					seen.len < len ? seen.len : len, is_last, &at) &&
				at < rec->size;
	}
	if (!*is_wrong_ret)
		framer->largest = rec->size;
	return NULL;
}

/* Take the record in ret, unless its size is wrong. */
static struct pd_error *take_plausible(struct parse_framer *framer, struct pd_record *ret)
{
	bool is_wrong;
	struct pd_error *err = check_size(framer, ret, &is_wrong);

	if (err)
		return err;
	if (is_wrong)
		return resynchronise(framer, "invalid record size", ret);
	take_record(framer, ret);
	return NULL;
}

/* State of a record and of the header after it. */
enum state {
	/** Both headers are plausible, or nothing follows the record. */
	PLAUSIBLE,
	IMPLAUSIBLE,
	NEED_MORE_BYTES,
};

/* Examine the header that follows rec. */
static enum state examine_next(
	struct parse_framer *framer, const struct base_seen *seen, const struct pd_record *rec)
{
	uint64_t len = rec->size + rec->outside_size;

	if (seen->len - len >= PD_RECORD_HEADER_BYTES) {
		if (!parse_resync_is_plausible(
			    framer->file, parse_frame_header(framer->file, seen->bytes + len)))
			return IMPLAUSIBLE;
		framer->is_next_plausible = true;
		return PLAUSIBLE;
	}
	/*
	 * In a stream the last record of a round must not wait for the next round. A record that
	 * continues in the next compressed record cannot wait.
	 */
	if (!is_whole(framer) && !is_decompressing(framer) &&
		(framer->has_window || rec->type != PD_RECORD_FINISHED_ROUND))
		return NEED_MORE_BYTES;
	framer->is_next_plausible = false;
	return PLAUSIBLE;
}

static enum state examine(struct parse_framer *framer, struct pd_record *ret)
{
	struct base_seen seen = peek(framer);

	switch (frame(framer, &seen, ret)) {
	case PD_FRAME_CUT:
		return NEED_MORE_BYTES;
	case PD_FRAME_BROKEN:
		return IMPLAUSIBLE;
	case PD_FRAMED:
		break;
	}
	return is_header_plausible(framer, ret) ? examine_next(framer, &seen, ret) : IMPLAUSIBLE;
}

struct pd_error *parse_framer_examine(struct parse_framer *framer, struct pd_record *ret)
{
	bool was_decompressing = is_decompressing(framer);
	struct pd_error *err = NULL;
	bool is_end = false;

	if (framer->n_after && !was_decompressing) {
		skip(framer, framer->n_after);
		framer->n_after = 0;
		end_gap(framer);
	}
	do {
		switch (examine(framer, ret)) {
		case PLAUSIBLE:
			err = take_plausible(framer, ret);
			break;
		case IMPLAUSIBLE:
			err = handle_implausible(framer, ret);
			break;
		case NEED_MORE_BYTES:
			err = get_more(framer, ret, &is_end);
			break;
		}
		/* The compressed record has ended. */
		is_end |= was_decompressing != is_decompressing(framer);
	} while (!err && !ret->bytes && !is_end);
	return err;
}
