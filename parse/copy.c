#include <pdconv/copy.h>

#include <pdconv/cursor.h>
#include "parse/file_private.h"
#include <pdconv/reader.h>
#include "parse/simpleperf.h"
#include "parse/turn.h"
#include <pdconv/writer.h>

enum {
	/** BUILD_ID records of a stream that become a section; further ones stay records. */
	MAX_BUILD_ID_BYTES = 64 << 20,
	MAX_EVENT_TYPE_BYTES = 4 << 20,
	/** simpleperf's largest piece of a record, without the header. */
	MAX_PIECE_BYTES = 65528 - PD_RECORD_HEADER_BYTES,
};

struct copy {
	struct pd_file *file;
	const struct pd_copy_opts *opts;
	struct pd_writer *writer;
	struct pd_copy_result result;
	/** The byte order changes. */
	bool turns;
	/** Ids that were written of each event so far. */
	PD_VEC(size_t) n_ids;
	/** What is written next, in its order. */
	struct pd_bytes bytes;
	/** Collected from a stream, in the order of what is written. */
	struct pd_bytes build_ids;
	/** The last compressed record, whose place what it holds shares. */
	uint64_t compressed_offset;
	bool has_compressed;
};

static void count(struct copy *copy, enum pd_turned turned)
{
	copy->result.n_turned_in_part += turned == PD_TURNED_PART;
	copy->result.n_unknown += turned == PD_TURNED_HEADER;
}

/* Room for size bytes; NULL if there is no memory. */
static uint8_t *room(struct copy *copy, size_t size)
{
	copy->bytes.buf.n = 0;
	return pd_bytes_extend(&copy->bytes, size);
}

/* Events. */

static struct pd_error *add_event(struct copy *copy, const struct pd_event *event)
{
	struct pd_view wire = event->wire;

	/* Entries of the attr table may be longer than the attr. */
	wire.n = event->attr.size ? event->attr.size : PD_ATTR_MIN_BYTES;
	uint8_t *to = room(copy, wire.n);
	if (!to)
		return &pd_enomem;
	if (copy->turns)
		pd_attr_turn(&wire, copy->file->swap, to);
	else
		memcpy(to, wire.data, wire.n);
	return pd_writer_add_event_bytes(copy->writer, to, wire.n, event->ids.data, event->ids.n);
}

/* Events, and their ids, that are known by now. Later records of a stream may bring more. */
static struct pd_error *add_events(struct copy *copy)
{
	const struct pd_events *events = &copy->file->events;
	struct pd_error *err = NULL;

	for (size_t i = 0; i < events->list.n && !err; i++) {
		const struct pd_event *event = &events->list.data[i];

		if (i < copy->n_ids.n) {
			size_t n = copy->n_ids.data[i];

			if (n < event->ids.n)
				err = pd_writer_add_ids(
					copy->writer, i, event->ids.data + n, event->ids.n - n);
			copy->n_ids.data[i] = event->ids.n;
		} else {
			err = add_event(copy, event);
			if (!err && !pd_vec_push(&copy->n_ids, event->ids.n))
				err = &pd_enomem;
		}
	}
	return err;
}

/* Features. */

/* Whether what the feature says is not true of the copy, or comes by itself. */
static bool is_outdated(const struct copy *copy, unsigned bit)
{
	const struct pd_feature *feature = &copy->file->feature[bit];
	enum { TYPE_AT = 4 };

	switch (bit) {
	case PD_FEATURE_AUXTRACE:
	case PD_FEATURE_DIR_FORMAT:
		return true;
	case PD_FEATURE_COMPRESSED:
		/* perf stat writes one that is all zero, and compresses nothing. */
		return !copy->opts->keep_compressed &&
		       (feature->size < TYPE_AT + 4 ||
			       pd_load_u32(feature->bytes + TYPE_AT, false));
	default:
		return false;
	}
}

static struct pd_error *add_feature(struct copy *copy, unsigned bit)
{
	const struct pd_file *file = copy->file;
	const struct pd_feature *feature = &file->feature[bit];
	struct pd_view body = { .data = feature->bytes, .elem_size = 1, .n = feature->size };

	if (!pd_writer_can_hold(copy->writer, bit, body.n)) {
		copy->result.features_left_out[bit / 64] |= (uint64_t)1 << (bit % 64);
		return NULL;
	}
	if (copy->turns) {
		uint8_t *to = room(copy, body.n);

		if (!to)
			return &pd_enomem;
		count(copy, pd_turn_feature(&file->events, &file->env, bit, &body, to));
		body.data = to;
	}
	return pd_writer_add_feature(copy->writer, bit, body.data, body.n);
}

/* Sections of a sound file do not overlap: more bytes than it has are not copied. */
static struct pd_error *add_features(struct copy *copy)
{
	const struct pd_file *file = copy->file;
	uint64_t left = file->is_pipe ? UINT64_MAX : file->size;

	for (unsigned bit = 0; bit < PD_N_FEATURE_BITS; bit++) {
		const struct pd_feature *feature = &file->feature[bit];

		if (!feature->is_present || is_outdated(copy, bit))
			continue;
		if (feature->size > left) {
			pd_diag_warn(file->diag, file->path, feature->offset, pd_feature_name(bit),
				"feature sections overlap: left out");
			copy->result.features_left_out[bit / 64] |= (uint64_t)1 << (bit % 64);
			continue;
		}
		left -= feature->size;
		struct pd_error *err = add_feature(copy, bit);
		if (err)
			return err;
	}
	return NULL;
}

/* 72 bytes each: a number, and text. */
static struct pd_error *add_event_types(struct copy *copy, const uint8_t *types, size_t size)
{
	uint8_t *to = room(copy, size);

	if (!to)
		return &pd_enomem;
	memcpy(to, types, size);
	for (size_t at = 0; at < size && copy->turns; at += PD_EVENT_TYPE_BYTES) {
		uint64_t config = pd_load_u64(types + at, true);
		memcpy(to + at, &config, sizeof(config));
	}
	return pd_writer_add_event_types(copy->writer, to, size);
}

static struct pd_error *add_event_type_section(struct copy *copy)
{
	const struct pd_file_header *header = &copy->file->header;
	uint64_t offset = header->event_types_offset;
	uint64_t size = header->event_types_size - header->event_types_size % PD_EVENT_TYPE_BYTES;

	if (!size || offset > copy->file->size ||
		header->event_types_size > copy->file->size - offset)
		return NULL;
	return add_event_types(copy, copy->file->bytes + offset, size);
}

/* Records. */

/* Pieces of a record that is too long for one, as simpleperf makes them. */
static struct pd_error *add_in_pieces(struct copy *copy, const uint8_t *bytes, size_t size)
{
	struct pd_bytes piece = { .swap = copy->opts->swap };
	struct pd_error *err = NULL;
	size_t n;

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

/* The bytes of the record in the order of the copy; NULL if there is no memory. */
static const uint8_t *converted(struct copy *copy, const struct pd_record *rec)
{
	const struct pd_file *file = copy->file;

	if (!copy->turns)
		return rec->bytes;
	uint8_t *to = room(copy, rec->size);
	if (to)
		count(copy, pd_turn_record(&file->events, &file->env, rec, to));
	return to;
}

static bool takes_payload(const struct pd_record *rec)
{
	return rec->type == PD_RECORD_AUXTRACE || rec->type == PD_RECORD_TRACING_DATA;
}

/* What should follow the record does. */
static bool has_payload(const struct copy *copy, const struct pd_record *rec)
{
	struct pd_cursor c = pd_cursor_init(rec->bytes + PD_RECORD_HEADER_BYTES,
		rec->size - PD_RECORD_HEADER_BYTES, copy->file->swap);
	uint64_t size = rec->type == PD_RECORD_AUXTRACE ? pd_cursor_u64(&c) : pd_cursor_u32(&c);

	return !c.overrun && size == rec->outside_size;
}

static struct pd_error *add_record(struct copy *copy, const struct pd_record *rec)
{
	struct pd_view payload = pd_record_outside(rec);

	/* Cut at the end of the input; or it was compressed, where nothing can follow it. */
	if (takes_payload(rec) && !has_payload(copy, rec)) {
		copy->result.n_without_payload++;
		return NULL;
	}
	const uint8_t *bytes = converted(copy, rec);
	if (!bytes)
		return &pd_enomem;
	if (rec->size > UINT16_MAX)
		return add_in_pieces(copy, bytes, rec->size);
	if (takes_payload(rec))
		return pd_writer_add_record_with_payload(
			copy->writer, bytes, rec->size, payload.data, payload.n);
	return pd_writer_add_records(copy->writer, bytes, rec->size);
}

/* What a section has instead comes from the file, to which the record has been applied. */
static struct pd_error *drop(struct copy *copy, const struct pd_record *rec)
{
	(void)copy, (void)rec;
	return NULL;
}

static struct pd_error *collect_build_id(struct copy *copy, const struct pd_record *rec)
{
	if (copy->build_ids.buf.n > MAX_BUILD_ID_BYTES)
		return add_record(copy, rec);
	const uint8_t *bytes = converted(copy, rec);
	if (bytes)
		pd_bytes_put(&copy->build_ids, bytes, rec->size);
	return !bytes || copy->build_ids.failed ? &pd_enomem : NULL;
}

static struct pd_error *collect_event_type(struct copy *copy, const struct pd_record *rec)
{
	if (rec->size != PD_RECORD_HEADER_BYTES + PD_EVENT_TYPE_BYTES)
		return add_record(copy, rec);
	return add_event_types(copy, rec->bytes + PD_RECORD_HEADER_BYTES, PD_EVENT_TYPE_BYTES);
}

/* Records of a stream that are sections of a file. */
static const struct to_file_row {
	uint32_t type;
	struct pd_error *(*add)(struct copy *copy, const struct pd_record *rec);
} to_file_rows[] = {
	{ PD_RECORD_ATTR, drop },
	{ PD_RECORD_FEATURE, drop },
	{ PD_RECORD_TRACING_DATA, drop },
	{ PD_RECORD_BUILD_ID, collect_build_id },
	{ PD_RECORD_EVENT_TYPE, collect_event_type },
};

static struct pd_error *add_to_file(struct copy *copy, const struct pd_record *rec)
{
	for (size_t i = 0; i < sizeof(to_file_rows) / sizeof(to_file_rows[0]); i++) {
		if (to_file_rows[i].type == rec->type)
			return to_file_rows[i].add(copy, rec);
	}
	return add_record(copy, rec);
}

static bool is_outdated_record(const struct copy *copy, const struct pd_record *rec)
{
	struct pd_cursor c = pd_cursor_init(rec->bytes + PD_RECORD_HEADER_BYTES,
		rec->size - PD_RECORD_HEADER_BYTES, copy->file->swap);

	return rec->type == PD_RECORD_FEATURE && pd_cursor_u64(&c) == PD_FEATURE_COMPRESSED &&
	       is_outdated(copy, PD_FEATURE_COMPRESSED);
}

/* Of what is compressed either the container is copied, or what it holds. */
static bool is_wanted(struct copy *copy, const struct pd_record *rec)
{
	bool keep = copy->opts->keep_compressed;

	if (rec->type == PD_RECORD_COMPRESSED || rec->type == PD_RECORD_COMPRESSED2) {
		copy->has_compressed = true;
		copy->compressed_offset = rec->offset;
		return keep;
	}
	return !keep || !copy->has_compressed || rec->offset != copy->compressed_offset;
}

/* simpleperf has records in a section, which come before the others: they are copied with it. */
static bool is_in_init_map(const struct copy *copy, const struct pd_record *rec)
{
	const struct pd_feature *section = &copy->file->feature[PD_FEATURE_SIMPLEPERF_INIT_MAP];

	return copy->file->is_simpleperf && section->is_present && rec->offset >= section->offset &&
	       rec->offset - section->offset < section->size;
}

static struct pd_error *copy_record(struct copy *copy, const struct pd_record *rec)
{
	bool to_file = copy->file->is_pipe && !copy->opts->is_pipe;

	copy->result.n_records++;
	if (!is_wanted(copy, rec) || is_in_init_map(copy, rec) || is_outdated_record(copy, rec))
		return NULL;
	return to_file ? add_to_file(copy, rec) : add_record(copy, rec);
}

static struct pd_error *copy_records(struct copy *copy)
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
	return err;
}

/* A stream tells what it is before the records, and build ids and the like with them. */
static struct pd_error *copy_in_front(struct copy *copy)
{
	struct pd_error *err = NULL;

	if (!copy->file->is_pipe || !copy->opts->is_pipe)
		err = add_events(copy);
	if (!err && !copy->file->is_pipe)
		err = add_event_type_section(copy);
	if (!err && !copy->file->is_pipe)
		err = add_features(copy);
	return err;
}

/* What a stream has told in the end. */
static struct pd_error *copy_behind(struct copy *copy)
{
	const struct pd_bytes *build_ids = &copy->build_ids;

	if (!copy->file->is_pipe || copy->opts->is_pipe)
		return NULL;
	struct pd_error *err = add_events(copy);
	if (!err && build_ids->buf.n && !copy->file->feature[PD_FEATURE_BUILD_ID].is_present)
		err = pd_writer_add_feature(
			copy->writer, PD_FEATURE_BUILD_ID, build_ids->buf.data, build_ids->buf.n);
	return err ? err : add_features(copy);
}

static struct pd_error *check_opts(const struct pd_file *file, const struct pd_copy_opts *opts)
{
	bool is_other = opts->swap != file->swap || opts->is_pipe != file->is_pipe;

	if (opts->keep_compressed && (is_other || file->parts.n > 1))
		return pd_error_create(PD_ERROR_USAGE, file->path,
			"compressed records cannot be kept in another order or container");
	if (opts->is_pipe && file->is_simpleperf)
		return pd_error_create(PD_ERROR_UNSUPPORTED, file->path,
			"recordings of simpleperf cannot be streams");
	return NULL;
}

struct pd_error *pd_copy(struct pd_file *file, FILE *out, const char *name,
	const struct pd_copy_opts *opts, struct pd_copy_result *ret)
{
	const struct pd_writer_opts writer_opts = { .swap = opts->swap, .is_pipe = opts->is_pipe };
	struct copy copy = { .file = file, .opts = opts, .turns = opts->swap != file->swap };
	struct pd_error *err = check_opts(file, opts);

	if (!err)
		err = pd_writer_create(out, name, &writer_opts, &copy.writer);
	if (!err)
		err = copy_in_front(&copy);
	if (!err)
		err = copy_records(&copy);
	if (!err)
		err = copy_behind(&copy);
	if (!err)
		err = pd_writer_finish(copy.writer);
	if (!err)
		*ret = copy.result;
	pd_writer_destroy(copy.writer);
	pd_vec_deinit(&copy.n_ids);
	pd_bytes_deinit(&copy.bytes);
	pd_bytes_deinit(&copy.build_ids);
	return err;
}
