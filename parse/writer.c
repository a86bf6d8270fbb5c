#include <pdconv/writer.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <pdconv/cursor.h>
#include <pdconv/feature.h>
#include <pdconv/header.h>
#include "parse/simpleperf.h"

enum {
	SECTION_BYTES = 16,
	EVENT_TYPE_BYTES = 72,
	FEATURE_RECORD_BYTES = 16,
	/** What kernels take at most: a page. */
	MAX_ATTR_BYTES = 4096,
	BITMAP_WORDS = PD_N_FEATURE_BITS / 64,
	/** Place in an attr. */
	ATTR_SIZE_AT = 4,
};

/* What marks the end of the features in a stream, by the version of perf: its first unknown bit. */
enum { END_MARK_6_1 = 32, END_MARK_7_3 = 35 };

struct event {
	/** In the order of what is written. */
	struct pd_bytes attr;
	PD_VEC(uint64_t) ids;
};

struct feature {
	bool is_present;
	struct pd_bytes body;
};

/* An entry of HEADER_AUXTRACE. */
struct trace {
	uint64_t offset;
	uint64_t size;
};

struct pd_writer {
	FILE *out;
	char *name;
	struct pd_writer_opts opts;
	/** Bytes that were written: where the next one goes. */
	uint64_t offset;
	struct pd_file_header header;
	PD_VEC(struct event) events;
	/** The attr table in front of the records has them all, with all their ids. */
	bool has_whole_table;
	PD_VEC(struct trace) traces;
	struct feature features[PD_N_FEATURE_BITS];
	struct pd_bytes event_types;
	/** The header, and of a file the first attr table, is written. */
	bool has_begun;
	bool is_finished;
	/** Of a stream: features were written, and not yet the mark that ends them. */
	bool lacks_end_mark;
	unsigned max_feature;
};

struct pd_error *pd_writer_create(
	FILE *out, const char *name, const struct pd_writer_opts *opts, struct pd_writer **ret)
{
	if (!opts->is_pipe && fseeko(out, 0, SEEK_SET) != 0)
		return pd_error_os(name, "a recording cannot be written there in file mode");
	struct pd_writer *writer = calloc(1, sizeof(*writer));
	if (!writer)
		return &pd_enomem;
	writer->out = out;
	writer->opts = *opts;
	writer->event_types.swap = opts->swap;
	writer->name = strdup(name);
	if (!writer->name) {
		pd_writer_destroy(writer);
		return &pd_enomem;
	}
	*ret = writer;
	return NULL;
}

void pd_writer_destroy(struct pd_writer *w)
{
	if (!w)
		return;
	for (size_t i = 0; i < w->events.n; i++) {
		pd_bytes_deinit(&w->events.data[i].attr);
		pd_vec_deinit(&w->events.data[i].ids);
	}
	for (size_t bit = 0; bit < PD_N_FEATURE_BITS; bit++)
		pd_bytes_deinit(&w->features[bit].body);
	pd_vec_deinit(&w->events);
	pd_vec_deinit(&w->traces);
	pd_bytes_deinit(&w->event_types);
	free(w->name);
	free(w);
}

static struct pd_error *usage(const struct pd_writer *w, const char *wrong)
{
	return pd_error_create(PD_ERROR_USAGE, w->name, "%s", wrong);
}

static struct pd_error *write_bytes(struct pd_writer *w, const void *bytes, size_t size)
{
	if (size && fwrite(bytes, 1, size, w->out) != size)
		return pd_error_os(w->name, "cannot write");
	w->offset += size;
	return NULL;
}

/* Write what was encoded, and free it. */
static struct pd_error *write_encoded(struct pd_writer *w, struct pd_bytes *bytes)
{
	struct pd_error *err =
		bytes->failed ? &pd_enomem : write_bytes(w, bytes->buf.data, bytes->buf.n);

	pd_bytes_deinit(bytes);
	return err;
}

/* The header of either mode. */

static const char magic[2][PD_MAGIC_BYTES + 1] = { "PERFILE2", "2ELIFREP" };

static struct pd_error *write_pipe_header(struct pd_writer *w)
{
	struct pd_bytes bytes = { .swap = w->opts.swap };

	pd_bytes_put(&bytes, magic[pd_is_big_endian(w->opts.swap)], PD_MAGIC_BYTES);
	pd_bytes_u64(&bytes, PD_PIPE_HEADER_BYTES);
	return write_encoded(w, &bytes);
}

/* The bitmap is written in longs of 64 bits. */
static struct pd_error *write_file_header(struct pd_writer *w)
{
	struct pd_bytes bytes = { .swap = w->opts.swap };
	uint64_t bitmap[BITMAP_WORDS] = { 0 };

	for (unsigned bit = 0; bit < PD_N_FEATURE_BITS && w->is_finished; bit++)
		bitmap[bit / 64] |= (uint64_t)w->features[bit].is_present << (bit % 64);
	w->header.magic = (struct pd_str){
		.s = magic[pd_is_big_endian(w->opts.swap)],
		.len = PD_MAGIC_BYTES,
	};
	w->header.size = PD_HEADER_BYTES;
	w->header.adds_features = (struct pd_view){ (const uint8_t *)bitmap, 8, BITMAP_WORDS };
	pd_layout_encode(&pd_layout_file_header, &w->header, false, NULL, &bytes);
	return write_encoded(w, &bytes);
}

/* The attr table. */

static size_t attr_bytes(const struct pd_writer *w)
{
	size_t max = PD_ATTR_MIN_BYTES;

	for (size_t i = 0; i < w->events.n; i++) {
		if (w->events.data[i].attr.buf.n > max)
			max = w->events.data[i].attr.buf.n;
	}
	return max;
}

/*
 * Readers disagree on how to step through attrs of several sizes, so all are as long as the
 * longest: what a shorter one lacks is zero.
 */
static void put_attr(const struct event *event, size_t size, struct pd_bytes *out)
{
	const struct pd_bytes *attr = &event->attr;
	uint32_t said = out->swap ? __builtin_bswap32((uint32_t)size) : (uint32_t)size;
	size_t start = out->buf.n;

	pd_bytes_put(out, attr->buf.data, attr->buf.n);
	pd_bytes_zeros(out, size - attr->buf.n);
	if (attr->buf.n < size && !out->failed)
		memcpy(out->buf.data + start + ATTR_SIZE_AT, &said, sizeof(said));
}

static void put_ids(const struct event *event, struct pd_bytes *out)
{
	for (size_t i = 0; i < event->ids.n; i++)
		pd_bytes_u64(out, event->ids.data[i]);
}

static struct pd_error *write_ids(struct pd_writer *w)
{
	struct pd_error *err = NULL;

	for (size_t i = 0; i < w->events.n && !err; i++) {
		struct pd_bytes bytes = { .swap = w->opts.swap };

		put_ids(&w->events.data[i], &bytes);
		err = write_encoded(w, &bytes);
	}
	return err;
}

static struct pd_error *write_attrs(struct pd_writer *w, uint64_t ids_offset)
{
	size_t size = attr_bytes(w);
	struct pd_error *err = NULL;

	w->header.attr_size = size + SECTION_BYTES;
	w->header.attrs_offset = w->offset;
	w->header.attrs_size = w->header.attr_size * w->events.n;
	for (size_t i = 0; i < w->events.n && !err; i++) {
		const struct event *event = &w->events.data[i];
		struct pd_bytes bytes = { .swap = w->opts.swap };

		put_attr(event, size, &bytes);
		pd_bytes_u64(&bytes, ids_offset);
		pd_bytes_u64(&bytes, event->ids.n * 8);
		ids_offset += event->ids.n * 8;
		err = write_encoded(w, &bytes);
	}
	return err;
}

/* From here on; the header will point to it. */
static struct pd_error *write_attr_table(struct pd_writer *w)
{
	uint64_t ids_offset = w->offset;
	struct pd_error *err = write_ids(w);

	w->has_whole_table = true;
	return err ? err : write_attrs(w, ids_offset);
}

/* A header that says what is known now, in front of what has been written. */
static struct pd_error *rewrite_header(struct pd_writer *w)
{
	uint64_t end = w->offset;

	if (fseeko(w->out, 0, SEEK_SET) != 0)
		return pd_error_os(w->name, "cannot go back");
	struct pd_error *err = write_file_header(w);
	w->offset = end;
	if (!err && fseeko(w->out, (off_t)end, SEEK_SET) != 0)
		err = pd_error_os(w->name, "cannot go back");
	return err;
}

/* The recording is a sound one from here on, without records so far. */
static struct pd_error *begin_file(struct pd_writer *w)
{
	struct pd_error *err = write_file_header(w);

	if (!err)
		err = write_attr_table(w);
	w->header.data_offset = w->offset;
	return err ? err : rewrite_header(w);
}

static struct pd_error *begin(struct pd_writer *w)
{
	if (w->is_finished)
		return usage(w, "nothing can be added to a recording that is finished");
	if (w->has_begun)
		return NULL;
	w->has_begun = true;
	return w->opts.is_pipe ? write_pipe_header(w) : begin_file(w);
}

/* Records. */

struct frame {
	uint32_t type;
	uint32_t size;
	/** Bytes that must follow. */
	uint64_t payload_size;
};

static bool is_of_simpleperf(const struct pd_writer *w)
{
	return w->features[PD_SIMPLEPERF_META_INFO].is_present;
}

/* What the record at @p bytes says of itself; false if it is not wholly there. */
static bool read_frame(
	const struct pd_writer *w, const uint8_t *bytes, size_t size, struct frame *ret)
{
	struct pd_cursor c = pd_cursor_init(bytes, size, w->opts.swap);
	uint16_t misc;

	*ret = (struct frame){ .type = pd_cursor_u32(&c) };
	misc = pd_cursor_u16(&c);
	ret->size = pd_cursor_u16(&c);
	if (ret->type >= PD_SIMPLEPERF_FIRST_RECORD && is_of_simpleperf(w))
		ret->size |= (uint32_t)misc << 16;
	if (c.overrun || ret->size < PD_RECORD_HEADER_BYTES || ret->size > size)
		return false;
	c.end = bytes + ret->size;
	if (ret->type == PD_RECORD_AUXTRACE)
		ret->payload_size = pd_cursor_u64(&c);
	else if (ret->type == PD_RECORD_TRACING_DATA)
		ret->payload_size = pd_cursor_u32(&c);
	return !c.overrun;
}

static struct pd_error *write_end_mark(struct pd_writer *w)
{
	struct pd_bytes bytes = { .swap = w->opts.swap };
	size_t start = pd_record_begin(PD_RECORD_FEATURE, 0, &bytes);

	w->lacks_end_mark = false;
	pd_bytes_u64(&bytes, w->max_feature < END_MARK_6_1 ? END_MARK_6_1 : END_MARK_7_3);
	(void)!pd_record_end(start, &bytes);
	return write_encoded(w, &bytes);
}

/* Before a record is written. */
static struct pd_error *prepare(struct pd_writer *w)
{
	struct pd_error *err = begin(w);

	return !err && w->lacks_end_mark ? write_end_mark(w) : err;
}

struct pd_error *pd_writer_add_records(struct pd_writer *w, const void *records, size_t size)
{
	const uint8_t *at = records;
	struct frame frame;

	for (size_t left = size; left; at += frame.size, left -= frame.size) {
		if (!read_frame(w, at, left, &frame))
			return usage(w, "these are no whole records");
		if (frame.payload_size)
			return usage(w, "the record needs a payload");
	}
	struct pd_error *err = prepare(w);
	return err ? err : write_bytes(w, records, size);
}

struct pd_error *pd_writer_add_record_with_payload(struct pd_writer *w, const void *record,
	size_t size, const void *payload, uint64_t payload_size)
{
	struct pd_error *err = prepare(w);
	struct trace trace = { .offset = w->offset, .size = size };
	struct frame frame;

	if (err)
		return err;
	if (!read_frame(w, record, size, &frame) || frame.size != size)
		return usage(w, "this is no whole record");
	if (frame.payload_size != payload_size)
		return usage(w, "the record says another size of its payload");
	if (frame.type == PD_RECORD_AUXTRACE && !pd_vec_push(&w->traces, trace))
		return &pd_enomem;
	err = write_bytes(w, record, size);
	return err ? err : write_bytes(w, payload, payload_size);
}

/* Events. */

static struct pd_error *write_attr_record(struct pd_writer *w, const struct event *event)
{
	struct pd_bytes bytes = { .swap = w->opts.swap };
	struct pd_error *err = begin(w);

	if (err)
		return err;
	size_t start = pd_record_begin(PD_RECORD_ATTR, 0, &bytes);
	pd_bytes_put(&bytes, event->attr.buf.data, event->attr.buf.n);
	put_ids(event, &bytes);
	if (!pd_record_end(start, &bytes)) {
		pd_bytes_deinit(&bytes);
		return pd_error_create(PD_ERROR_UNSUPPORTED, w->name,
			"an event with %zu instances does not fit a record", event->ids.n);
	}
	return write_encoded(w, &bytes);
}

/* Add an event whose attr is encoded, and takes over that. */
static struct pd_error *add_event(
	struct pd_writer *w, const struct pd_bytes *attr, const uint64_t *ids, size_t n_ids)
{
	struct event event = { .attr = *attr };

	if (w->is_finished || attr->failed || !pd_vec_push(&w->events, event)) {
		pd_bytes_deinit(&event.attr);
		return w->is_finished ? begin(w) : &pd_enomem;
	}
	struct event *added = &w->events.data[w->events.n - 1];
	for (size_t i = 0; i < n_ids; i++) {
		if (!pd_vec_push(&added->ids, ids[i]))
			return &pd_enomem;
	}
	w->has_whole_table = false;
	return w->opts.is_pipe ? write_attr_record(w, added) : NULL;
}

struct pd_error *pd_writer_add_event(
	struct pd_writer *w, const struct pd_attr *attr, const uint64_t *ids, size_t n_ids)
{
	struct pd_bytes bytes = { .swap = w->opts.swap };

	if (attr->size &&
		(attr->size < PD_ATTR_MIN_BYTES || attr->size % 8 || attr->size > MAX_ATTR_BYTES))
		return usage(w, "the attr has a size that makes no sense");
	pd_attr_encode(attr, &bytes);
	return add_event(w, &bytes, ids, n_ids);
}

struct pd_error *pd_writer_add_event_bytes(
	struct pd_writer *w, const void *attr, size_t size, const uint64_t *ids, size_t n_ids)
{
	struct pd_bytes bytes = { .swap = w->opts.swap };
	struct pd_attr decoded;

	if (pd_attr_decode(attr, size, w->opts.swap, &decoded) != size || size > MAX_ATTR_BYTES)
		return usage(w, "the attr has a size that makes no sense");
	pd_bytes_put(&bytes, attr, size);
	return add_event(w, &bytes, ids, n_ids);
}

struct pd_error *pd_writer_add_ids(
	struct pd_writer *w, size_t event, const uint64_t *ids, size_t n_ids)
{
	if (w->opts.is_pipe || w->is_finished || event >= w->events.n)
		return usage(w, "ids can be added to events of an unfinished file only");
	for (size_t i = 0; i < n_ids; i++) {
		if (!pd_vec_push(&w->events.data[event].ids, ids[i]))
			return &pd_enomem;
	}
	w->has_whole_table &= n_ids == 0;
	return NULL;
}

struct pd_error *pd_writer_add_event_types(struct pd_writer *w, const void *types, size_t size)
{
	struct pd_bytes *bytes = &w->event_types;

	if (w->is_finished || size % EVENT_TYPE_BYTES)
		return usage(w, "event types are 72 bytes each");
	if (!w->opts.is_pipe) {
		pd_bytes_put(bytes, types, size);
		return bytes->failed ? &pd_enomem : NULL;
	}
	struct pd_bytes records = { .swap = w->opts.swap };
	for (size_t at = 0; at < size; at += EVENT_TYPE_BYTES) {
		size_t start = pd_record_begin(PD_RECORD_EVENT_TYPE, 0, &records);

		pd_bytes_put(&records, (const uint8_t *)types + at, EVENT_TYPE_BYTES);
		(void)!pd_record_end(start, &records);
	}
	struct pd_error *err = begin(w);
	if (err) {
		pd_bytes_deinit(&records);
		return err;
	}
	return write_encoded(w, &records);
}

/* Features in a stream. */

static struct pd_error *write_feature_record(
	struct pd_writer *w, unsigned bit, const void *body, size_t size)
{
	struct pd_bytes bytes = { .swap = w->opts.swap };

	pd_bytes_u32(&bytes, PD_RECORD_FEATURE);
	pd_bytes_u16(&bytes, 0);
	pd_bytes_u16(&bytes, (uint16_t)(FEATURE_RECORD_BYTES + size));
	pd_bytes_u64(&bytes, bit);
	pd_bytes_put(&bytes, body, size);
	w->lacks_end_mark = true;
	w->max_feature = bit > w->max_feature ? bit : w->max_feature;
	return write_encoded(w, &bytes);
}

/* Readers know that up to 7 bytes behind the tracing data are padding. */
static struct pd_error *write_tracing_data(struct pd_writer *w, const void *data, size_t size)
{
	struct pd_bytes bytes = { .swap = w->opts.swap };
	size_t padding = -size % 8;
	size_t start = pd_record_begin(PD_RECORD_TRACING_DATA, 0, &bytes);

	pd_bytes_u32(&bytes, (uint32_t)(size + padding));
	(void)!pd_record_end(start, &bytes);
	struct pd_error *err = write_encoded(w, &bytes);
	if (!err)
		err = write_bytes(w, data, size);
	return err ? err : write_bytes(w, "\0\0\0\0\0\0", padding);
}

/* The entries of the section are records already, but perf leaves their type out. */
static struct pd_error *write_build_ids(struct pd_writer *w, const uint8_t *body, size_t size)
{
	struct pd_bytes bytes = { .swap = w->opts.swap };
	struct pd_cursor c = pd_cursor_init(body, size, w->opts.swap);

	while (pd_cursor_left(&c) >= PD_RECORD_HEADER_BYTES) {
		const uint8_t *entry = c.pos;
		struct frame frame;

		if (!read_frame(w, entry, pd_cursor_left(&c), &frame))
			break;
		pd_bytes_u32(&bytes, PD_RECORD_BUILD_ID);
		pd_bytes_put(&bytes, entry + 4, frame.size - 4);
		c.pos += frame.size;
	}
	return write_encoded(w, &bytes);
}

static struct pd_error *write_feature(
	struct pd_writer *w, unsigned bit, const void *body, size_t size)
{
	struct pd_error *err = begin(w);

	if (err)
		return err;
	w->features[bit].is_present = true;
	switch (bit) {
	case PD_FEATURE_TRACING_DATA:
		return write_tracing_data(w, body, size);
	case PD_FEATURE_BUILD_ID:
		return write_build_ids(w, body, size);
	default:
		return write_feature_record(w, bit, body, size);
	}
}

bool pd_writer_can_hold(const struct pd_writer *w, unsigned bit, size_t size)
{
	if (bit == 0 || bit >= PD_N_FEATURE_BITS || bit == PD_FEATURE_AUXTRACE)
		return false;
	if (!w->opts.is_pipe)
		return true;
	switch (bit) {
	case PD_FEATURE_TRACING_DATA:
		return size && size <= UINT32_MAX - 7;
	case PD_FEATURE_BUILD_ID:
		return size;
	case PD_FEATURE_DIR_FORMAT:
		return false;
	default:
		return size && size <= UINT16_MAX - FEATURE_RECORD_BYTES;
	}
}

struct pd_error *pd_writer_add_feature(
	struct pd_writer *w, unsigned bit, const void *body, size_t size)
{
	if (w->is_finished)
		return begin(w);
	if (!pd_writer_can_hold(w, bit, size))
		return usage(w, "the recording cannot hold this feature");
	struct feature *feature = &w->features[bit];
	if (feature->is_present)
		return usage(w, "the feature has been added already");
	if (w->opts.is_pipe)
		return write_feature(w, bit, body, size);
	feature->is_present = true;
	pd_bytes_put(&feature->body, body, size);
	return feature->body.failed ? &pd_enomem : NULL;
}

/* The end of a file. */

/* Where AUXTRACE records are. simpleperf leaves out how many. */
static struct pd_error *make_auxtrace_index(struct pd_writer *w)
{
	struct feature *feature = &w->features[PD_FEATURE_AUXTRACE];

	if (!w->traces.n)
		return NULL;
	feature->is_present = true;
	feature->body.swap = w->opts.swap;
	if (!is_of_simpleperf(w))
		pd_bytes_u64(&feature->body, w->traces.n);
	for (size_t i = 0; i < w->traces.n; i++) {
		pd_bytes_u64(&feature->body, w->traces.data[i].offset);
		pd_bytes_u64(&feature->body, w->traces.data[i].size);
	}
	return feature->body.failed ? &pd_enomem : NULL;
}

/* A table of places, right behind the records, and then the bodies. */
static struct pd_error *write_features(struct pd_writer *w)
{
	struct pd_bytes table = { .swap = w->opts.swap };
	uint64_t offset = w->offset;

	for (size_t bit = 0; bit < PD_N_FEATURE_BITS; bit++)
		offset += w->features[bit].is_present ? SECTION_BYTES : 0;
	for (size_t bit = 0; bit < PD_N_FEATURE_BITS; bit++) {
		const struct feature *feature = &w->features[bit];

		if (!feature->is_present)
			continue;
		pd_bytes_u64(&table, offset);
		pd_bytes_u64(&table, feature->body.buf.n);
		offset += feature->body.buf.n;
	}
	struct pd_error *err = write_encoded(w, &table);
	for (size_t bit = 0; bit < PD_N_FEATURE_BITS && !err; bit++) {
		const struct pd_bytes *body = &w->features[bit].body;

		err = write_bytes(w, body->buf.data, body->buf.n);
	}
	return err;
}

static struct pd_error *write_empty_round(struct pd_writer *w)
{
	struct pd_bytes bytes = { .swap = w->opts.swap };
	size_t start = pd_record_begin(PD_RECORD_FINISHED_ROUND, 0, &bytes);

	(void)!pd_record_end(start, &bytes);
	return write_encoded(w, &bytes);
}

static struct pd_error *finish_file(struct pd_writer *w)
{
	struct pd_error *err = NULL;

	if (!w->events.n)
		return pd_error_create(PD_ERROR_UNSUPPORTED, w->name,
			"a recording without events cannot be a file");
	if (w->offset == w->header.data_offset)
		err = write_empty_round(w);
	w->header.data_size = w->offset - w->header.data_offset;
	if (!err)
		err = make_auxtrace_index(w);
	if (!err)
		err = write_features(w);
	if (w->event_types.buf.n)
		w->header.event_types_offset = w->offset;
	w->header.event_types_size = w->event_types.buf.n;
	if (!err)
		err = write_bytes(w, w->event_types.buf.data, w->event_types.buf.n);
	if (!err && !w->has_whole_table)
		err = write_attr_table(w);
	w->is_finished = true;
	return err ? err : rewrite_header(w);
}

struct pd_error *pd_writer_finish(struct pd_writer *w)
{
	struct pd_error *err = prepare(w);

	if (!err && !w->opts.is_pipe)
		err = finish_file(w);
	w->is_finished = true;
	if (!err && fflush(w->out) != 0)
		err = pd_error_os(w->name, "cannot write");
	return err;
}
