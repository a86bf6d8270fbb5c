#include <pdconv/copy.h>

#include <pdconv/cursor.h>
#include <pdconv/reader.h>

#include "base/array.h"
#include "base/limit.h"
#include "base/reserved.h"
#include "parse/simpleperf.h"
#include "parse/write/copy_header.h"
#include "parse/write/padding.h"

enum {
	/**
	 * Limit of BUILD_ID records of a stream that become a section; further ones stay records.
	 */
	MAX_BUILD_ID_BYTES = PD_LIMIT_EDIT_BUILD_ID_BYTES,
	MAX_EVENT_TYPES = PD_LIMIT_EDIT_EVENT_TYPE_BYTES / PD_EVENT_TYPE_BYTES,
	/** Size of the pieces into which simpleperf splits a record, without headers. */
	MAX_PIECE_BYTES = 65528 - PD_RECORD_HEADER_BYTES,
};

/* Add event types of 72 bytes each: u64 config, then text. */
static struct pd_error *add_event_types(
	struct parse_copying *copy, const uint8_t *types, size_t size)
{
	uint8_t *to = parse_copy_room(copy, size);

	if (!to)
		return &pd_enomem;
	memcpy(to, types, size);
	for (size_t at = 0; at < size && copy->byteswaps; at += PD_EVENT_TYPE_BYTES) {
		uint64_t config = pd_load_u64(types + at, true);
		memcpy(to + at, &config, sizeof(config));
	}
	return pd_writer_add_event_types(copy->writer, to, size);
}

static struct pd_error *add_event_type_section(struct parse_copying *copy)
{
	const struct pd_file_header *header = &copy->file->header;
	uint64_t offset = header->event_types_offset;
	uint64_t n = header->event_types_size / PD_EVENT_TYPE_BYTES;

	if (!n || offset > copy->file->size || header->event_types_size > copy->file->size - offset)
		return NULL;
	uint64_t n_taken = n < MAX_EVENT_TYPES ? n : MAX_EVENT_TYPES;
	copy->result.n_event_types_left_out += n - n_taken;
	const struct pd_section section = { offset, n_taken * PD_EVENT_TYPE_BYTES };
	struct parse_section types;
	struct pd_error *err = parse_section_load(copy->file, section, &types);
	if (err)
		return err;
	err = add_event_types(copy, types.bytes, types.size);
	parse_section_unload(&types);
	return err;
}

/* Records. */

/* Split a record that exceeds 64 KiB into pieces, as simpleperf does. */
static struct pd_error *add_in_pieces(struct parse_copying *copy, const uint8_t *bytes, size_t size)
{
	struct pd_bytes piece = { .swap = copy->opts->swap };
	struct pd_error *err = NULL;
	size_t n;

	/* One more iteration than there are pieces: an empty SPLIT_END completes the record. */
	for (size_t at = 0; at <= size && !err; at += n) {
		n = size - at < MAX_PIECE_BYTES ? size - at : MAX_PIECE_BYTES;
		piece.buf.n = 0;
		pd_bytes_u32(
			&piece, n ? PD_RECORD_SIMPLEPERF_SPLIT : PD_RECORD_SIMPLEPERF_SPLIT_END);
		pd_bytes_u16(&piece, 0);
		pd_bytes_u16(&piece, (uint16_t)(PD_RECORD_HEADER_BYTES + n));
		pd_bytes_put(&piece, bytes + at, n);
		err = piece.failed
			      ? &pd_enomem
			      : pd_writer_add_records(copy->writer, piece.buf.data, piece.buf.n);
		if (!n)
			break;
	}
	pd_bytes_deinit(&piece);
	return err;
}

/* Feature bit of a FEATURE record; PD_N_FEATURE_BITS for other records. */
static uint64_t feature_bit(const struct pd_record *rec)
{
	struct pd_cursor c = pd_record_body(rec);

	return rec->type == PD_RECORD_FEATURE ? pd_cursor_u64(&c) : PD_N_FEATURE_BITS;
}

/* Copy of a record with edited attrs. NULL if out of memory. */
static const uint8_t *edited(struct parse_copying *copy, const struct pd_record *rec)
{
	enum { FEATURE_BODY_AT = 16 };
	uint8_t *to = parse_copy_room(copy, rec->size);

	if (!to)
		return NULL;
	memcpy(to, rec->bytes, rec->size);
	if (rec->type == PD_RECORD_ATTR)
		parse_copy_edit_attr(
			copy, to + PD_RECORD_HEADER_BYTES, rec->size - PD_RECORD_HEADER_BYTES);
	else
		parse_copy_edit_event_desc(copy, to + FEATURE_BODY_AT, rec->size - FEATURE_BODY_AT);
	return to;
}

/* Bytes of the record in the byte order of the copy. NULL if out of memory. */
static const uint8_t *converted(struct parse_copying *copy, const struct pd_record *rec)
{
	const struct pd_file *file = copy->file;

	if (copy->edits->attr &&
		(rec->type == PD_RECORD_ATTR || feature_bit(rec) == PD_FEATURE_EVENT_DESC))
		return edited(copy, rec);
	if (!copy->byteswaps)
		return rec->bytes;
	uint8_t *to = parse_copy_room(copy, rec->size);
	if (to)
		parse_copy_count(copy, parse_byteswap_record(&file->events, &file->env, rec, to));
	return to;
}

/* Write a record, compressed if it is from the kernel: perf does not compress its own records. */
static struct pd_error *put_record(
	struct parse_copying *copy, uint32_t type, const uint8_t *bytes, size_t size)
{
	bool is_packed = copy->pack && type < PD_RECORD_FIRST_TOOL;
	struct pd_error *err = NULL;

	/*
	 * Records keep their order: those that wait for compression precede one that is not
	 * compressed.
	 */
	if (is_packed && copy->opts->is_pipe)
		err = parse_copy_add_compression(copy);
	else if (copy->pack && !is_packed)
		err = parse_pack_flush(copy->pack);
	if (err)
		return err;
	return is_packed ? parse_pack_add(copy->pack, bytes, size)
			 : pd_writer_add_records(copy->writer, bytes, size);
}

static struct pd_error *flush(struct parse_copying *copy)
{
	return copy->pack ? parse_pack_flush(copy->pack) : NULL;
}

static bool takes_payload(const struct pd_record *rec)
{
	struct pd_cursor c = pd_record_body(rec);

	return rec->type == PD_RECORD_AUXTRACE ||
	       (rec->type == PD_RECORD_TRACING_DATA &&
		       !parse_simpleperf_has_inner_tracing_data(rec->size, pd_cursor_u32(&c)));
}

/* Whether the payload that the record announces is complete. */
static bool has_payload(const struct pd_record *rec)
{
	struct pd_cursor c = pd_record_body(rec);
	uint64_t size = rec->type == PD_RECORD_AUXTRACE ? pd_cursor_u64(&c) : pd_cursor_u32(&c);

	return !c.overrun && size == rec->outside_size;
}

static struct pd_error *add_record(struct parse_copying *copy, const struct pd_record *rec)
{
	struct pd_view payload = pd_record_outside(rec);

	/*
	 * The input is truncated here, or the record was in a compressed one, where no payload can
	 * follow.
	 */
	if (takes_payload(rec) && !has_payload(rec)) {
		copy->result.n_without_payload++;
		return NULL;
	}
	if (!parse_padding_fits(rec->type, rec->size)) {
		pd_diag_warn(copy->file->diag, copy->file->path, rec->offset,
			pd_record_name(rec->type), "left out: too large with padding");
		return NULL;
	}
	const uint8_t *bytes = converted(copy, rec);
	if (!bytes)
		return &pd_enomem;
	if (rec->size <= UINT16_MAX && !takes_payload(rec))
		return put_record(copy, rec->type, bytes, rec->size);
	struct pd_error *err = flush(copy);
	if (err)
		return err;
	if (rec->size > UINT16_MAX)
		return add_in_pieces(copy, bytes, rec->size);
	return pd_writer_add_record_with_payload(
		copy->writer, bytes, rec->size, payload.data, payload.n);
}

/*
 * Drop the record. It was applied to the input file, and the section of the copy is made from that.
 */
static struct pd_error *drop(struct parse_copying *copy, const struct pd_record *rec)
{
	(void)copy, (void)rec;
	return NULL;
}

static struct pd_error *collect_build_id(struct parse_copying *copy, const struct pd_record *rec)
{
	if (copy->build_ids.buf.n > MAX_BUILD_ID_BYTES) {
		copy->result.n_build_id_records++;
		return add_record(copy, rec);
	}
	const uint8_t *bytes = converted(copy, rec);
	if (bytes)
		pd_bytes_put(&copy->build_ids, bytes, rec->size);
	return !bytes || copy->build_ids.failed ? &pd_enomem : NULL;
}

static struct pd_error *collect_event_type(struct parse_copying *copy, const struct pd_record *rec)
{
	if (rec->size != PD_RECORD_HEADER_BYTES + PD_EVENT_TYPE_BYTES)
		return add_record(copy, rec);
	if (copy->n_event_types++ >= MAX_EVENT_TYPES) {
		copy->result.n_event_types_left_out++;
		return NULL;
	}
	return add_event_types(copy, rec->bytes + PD_RECORD_HEADER_BYTES, PD_EVENT_TYPE_BYTES);
}

/* Records of a stream that become sections of a file. */
static const struct to_file_row {
	uint32_t type;
	struct pd_error *(*add)(struct parse_copying *copy, const struct pd_record *rec);
} to_file_rows[] = {
	{ PD_RECORD_ATTR, drop },
	{ PD_RECORD_FEATURE, drop },
	{ PD_RECORD_TRACING_DATA, drop },
	{ PD_RECORD_BUILD_ID, collect_build_id },
	{ PD_RECORD_EVENT_TYPE, collect_event_type },
};

static struct pd_error *add_to_file(struct parse_copying *copy, const struct pd_record *rec)
{
	for (size_t i = 0; i < PD_ARRAY_LEN(to_file_rows); i++) {
		if (to_file_rows[i].type == rec->type)
			return to_file_rows[i].add(copy, rec);
	}
	return add_record(copy, rec);
}

static struct pd_error *add_as_is(struct parse_copying *copy, const struct pd_record *rec)
{
	bool to_file = copy->file->is_pipe && !copy->opts->is_pipe;

	return to_file ? add_to_file(copy, rec) : add_record(copy, rec);
}

static struct pd_error *add_edited(struct parse_copying *copy, const struct pd_record *rec)
{
	struct pd_bytes *bytes = &copy->bytes;
	enum parse_edit edit;

	bytes->buf.n = 0;
	struct pd_error *err = copy->edits->record(copy->edits->ctx, rec, bytes, &edit);
	if (err || edit == PD_EDIT_LEAVE_OUT)
		return err;
	if (edit == PD_EDIT_KEEP)
		return add_as_is(copy, rec);
	return bytes->failed ? &pd_enomem
			     : put_record(copy, rec->type, bytes->buf.data, bytes->buf.n);
}

/* Copy either a compressed record or the records in it, never both. */
static bool is_wanted(struct parse_copying *copy, const struct pd_record *rec)
{
	bool keep = copy->opts->keep_compressed;

	if (rec->type == PD_RECORD_COMPRESSED || rec->type == PD_RECORD_COMPRESSED2) {
		copy->has_compressed = true;
		copy->compressed_offset = rec->offset;
		return keep;
	}
	return !keep || !copy->has_compressed || rec->offset != copy->compressed_offset;
}

/* Whether the record is in simpleperf's INIT_MAP section, which is copied as a feature. */
static bool is_in_init_map(const struct parse_copying *copy, const struct pd_record *rec)
{
	const struct pd_feature *section = &copy->file->feature[PD_FEATURE_SIMPLEPERF_INIT_MAP];

	return copy->file->is_simpleperf && section->is_present && rec->offset >= section->offset &&
	       rec->offset - section->offset < section->size;
}

static struct pd_error *copy_record(struct parse_copying *copy, const struct pd_record *rec)
{
	copy->result.n_records++;
	if (!is_wanted(copy, rec) || is_in_init_map(copy, rec) ||
		parse_copy_is_outdated(copy, feature_bit(rec)))
		return NULL;
	return copy->edits->record ? add_edited(copy, rec) : add_as_is(copy, rec);
}

static struct pd_error *copy_records(struct parse_copying *copy)
{
	enum pd_order_kind order = copy->file->parts.n > 1 ? PD_ORDER_TIME : PD_ORDER_FILE;
	struct pd_reader *reader;
	struct pd_record rec;
	struct pd_error *err = pd_reader_create(copy->file, order, &reader);

	if (err)
		return err;
	do {
		err = pd_reader_next(reader, &rec);
		if (!err && rec.bytes)
			err = copy_record(copy, &rec);
	} while (!err && rec.bytes);
	pd_reader_destroy(reader);
	return err ? err : flush(copy);
}

/* Write events and features before the records; those of a stream are among its records. */
static struct pd_error *copy_before(struct parse_copying *copy)
{
	if (copy->file->is_pipe && copy->opts->is_pipe)
		return NULL;
	struct pd_error *err = parse_copy_events(copy);
	if (err || copy->file->is_pipe)
		return err;
	err = add_event_type_section(copy);
	return err ? err : parse_copy_features(copy);
}

/* Write events, features and build ids that were only known at the end of a stream. */
static struct pd_error *copy_after_stream(struct parse_copying *copy)
{
	const struct pd_view *build_ids = &copy->edits->build_ids;

	if (copy->opts->is_pipe)
		return pd_writer_add_records(copy->writer, build_ids->data, build_ids->n);
	struct pd_error *err = parse_copy_events(copy);
	return err ? err : parse_copy_features(copy);
}

static struct pd_error *copy_after(struct parse_copying *copy)
{
	struct pd_error *err = copy->file->is_pipe ? copy_after_stream(copy) : NULL;

	/* In a stream HEADER_COMPRESSED preceded the first compressed record. */
	return err || copy->opts->is_pipe ? err : parse_copy_add_compression(copy);
}

static struct pd_error *check_opts(const struct pd_file *file, const struct pd_copy_opts *opts,
	const struct parse_edits *edits)
{
	bool is_other = opts->swap != file->swap || opts->is_pipe != file->is_pipe;

	if (opts->keep_compressed && (is_other || file->parts.n > 1))
		return pd_error_create(PD_ERROR_USAGE, file->path,
			"keep_compressed requires the byte order and container of the input");
	if (opts->is_pipe && file->is_simpleperf)
		return pd_error_create(PD_ERROR_UNSUPPORTED, file->path,
			"a recording of simpleperf cannot be written as a stream");
	if ((edits->attr || edits->record) && (opts->swap != file->swap || opts->keep_compressed))
		return pd_error_create(PD_ERROR_USAGE, file->path,
			"edits require the byte order of the input, and no keep_compressed");
	return NULL;
}

static struct pd_error *set_up(struct parse_copying *copy, FILE *out, const char *name)
{
	const struct pd_copy_opts *opts = copy->opts;
	const struct pd_writer_opts writer_opts = { .swap = opts->swap, .is_pipe = opts->is_pipe };
	struct pd_error *err = check_opts(copy->file, opts, copy->edits);

	if (err)
		return err;
	copy->bytes.swap = opts->swap;
	err = pd_writer_create(out, name, &writer_opts, &copy->writer);
	if (err || !copy->edits->level)
		return err;
	return parse_pack_create(copy->writer, copy->edits->level, &copy->pack);
}

static void tear_down(struct parse_copying *copy)
{
	parse_pack_destroy(copy->pack);
	pd_writer_destroy(copy->writer);
	pd_vec_deinit(&copy->n_ids);
	pd_bytes_deinit(&copy->bytes);
	pd_bytes_deinit(&copy->build_ids);
}

static struct pd_error *copy_all(struct parse_copying *copy, FILE *out, const char *name)
{
	struct pd_error *err = set_up(copy, out, name);

	if (err)
		return err;
	err = copy_before(copy);
	if (err)
		return err;
	err = copy_records(copy);
	if (err)
		return err;
	err = copy_after(copy);
	return err ? err : pd_writer_finish(copy->writer);
}

struct pd_error *parse_rewrite(struct pd_file *file, FILE *out, const char *name,
	const struct pd_copy_opts *opts, const struct parse_edits *edits,
	struct pd_copy_result *ret)
{
	struct parse_copying copy = {
		.file = file,
		.opts = opts,
		.edits = edits,
		.byteswaps = opts->swap != file->swap,
	};
	struct pd_error *err = copy_all(&copy, out, name);

	tear_down(&copy);
	if (err)
		return err;
	*ret = copy.result;
	return NULL;
}

struct pd_error *pd_copy(struct pd_file *file, FILE *out, const char *name,
	const struct pd_copy_opts *opts, struct pd_copy_result *ret)
{
	const struct parse_edits none = { 0 };
	struct pd_error *err = PD_CHECK_RESERVED("struct pd_copy_opts", opts);

	return err ? err : parse_rewrite(file, out, name, opts, &none, ret);
}
