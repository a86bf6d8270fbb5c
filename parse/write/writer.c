#include <pdconv/writer.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <pdconv/cursor.h>
#include <pdconv/feature.h>
#include <pdconv/header.h>

#include "base/analyzer.h"
#include "base/reserved.h"
#include "parse/meta_info.h"
#include "parse/simpleperf.h"
#include "parse/write/branch.h"
#include "parse/write/padding.h"
#include "parse/write/writer_state.h"

struct pd_error *pd_writer_create(
	FILE *out, const char *name, const struct pd_writer_opts *opts, struct pd_writer **ret)
{
	struct pd_error *err = PD_CHECK_RESERVED("struct pd_writer_opts", opts);

	if (err)
		return err;
	if (!opts->is_pipe && fseeko(out, 0, SEEK_SET) != 0)
		return pd_error_os(name, "not seekable, as writing a file requires");
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

struct pd_error *parse_writer_put(struct pd_writer *w, const void *bytes, size_t size)
{
	if (size && fwrite(bytes, 1, size, w->out) != size)
		return pd_error_os(w->name, "cannot write");
	w->offset += size;
	return NULL;
}

struct pd_error *parse_writer_put_encoded(struct pd_writer *w, struct pd_bytes *bytes)
{
	struct pd_error *err =
		bytes->failed ? &pd_enomem : parse_writer_put(w, bytes->buf.data, bytes->buf.n);

	pd_bytes_deinit(bytes);
	return err;
}

static const char magic[2][PD_MAGIC_BYTES + 1] = { "PERFILE2", "2ELIFREP" };

const char *parse_writer_magic(const struct pd_writer *w)
{
	return magic[pd_is_big_endian(w->opts.swap)];
}

void parse_writer_put_ids(const struct parse_writer_event *event, struct pd_bytes *out)
{
	for (size_t i = 0; i < event->ids.n; i++)
		pd_bytes_u64(out, event->ids.data[i]);
}

struct pd_error *parse_writer_begin(struct pd_writer *w)
{
	if (w->is_finished)
		return usage(w, "the recording is finished");
	if (w->has_begun)
		return NULL;
	w->has_begun = true;
	return w->opts.is_pipe ? parse_writer_begin_stream(w) : parse_writer_begin_file(w);
}

/* Records. */

bool parse_writer_is_simpleperf(const struct pd_writer *w)
{
	const struct parse_writer_feature *info = &w->features[PD_FEATURE_SIMPLEPERF_META_INFO];

	return info->is_present &&
	       parse_meta_info_is_simpleperf(info->body.buf.data, info->body.buf.n);
}

bool parse_writer_read_frame(const struct pd_writer *w, const uint8_t *bytes, size_t size,
	struct parse_writer_frame *ret)
{
	struct pd_cursor c = pd_cursor_init(bytes, size, w->opts.swap);
	uint16_t misc;

	*ret = (struct parse_writer_frame){ .type = pd_cursor_u32(&c) };
	misc = pd_cursor_u16(&c);
	ret->size = pd_cursor_u16(&c);
	if (ret->type >= PD_SIMPLEPERF_FIRST_RECORD && parse_writer_is_simpleperf(w))
		ret->size |= (uint32_t)misc << 16;
	if (c.overrun || ret->size < PD_RECORD_HEADER_BYTES || ret->size > size)
		return false;
	c.end = bytes + ret->size;
	if (ret->type == PD_RECORD_AUXTRACE)
		ret->payload_size = pd_cursor_u64(&c);
	else if (ret->type == PD_RECORD_TRACING_DATA)
		ret->payload_size = pd_cursor_u32(&c);
	if (ret->type == PD_RECORD_TRACING_DATA &&
		parse_simpleperf_has_inner_tracing_data(ret->size, (uint32_t)ret->payload_size))
		ret->payload_size = 0;
	return !c.overrun;
}

/* Write what must precede a record. */
static struct pd_error *prepare(struct pd_writer *w)
{
	struct pd_error *err = parse_writer_begin(w);

	if (err)
		return err;
	return w->lacks_end_mark ? parse_writer_end_features(w) : NULL;
}

/* Write complete records, of which some lack padding. */
static struct pd_error *put_padded(struct pd_writer *w, const uint8_t *records, size_t size)
{
	struct pd_bytes padded = { .swap = w->opts.swap };
	struct parse_writer_frame frame;

	for (size_t at = 0;
		at < size && parse_writer_read_frame(w, records + at, size - at, &frame);
		at += frame.size)
		parse_padding_put(frame.type, records + at, frame.size, &padded);
	return parse_writer_put_encoded(w, &padded);
}

struct pd_error *pd_writer_add_records(struct pd_writer *w, const void *records, size_t size)
{
	const uint8_t *at = records;
	struct parse_writer_frame frame;
	bool is_padded = true;

	for (size_t left = size; left; at += frame.size, left -= frame.size) {
		if (!parse_writer_read_frame(w, at, left, &frame))
			return usage(w, "records are incomplete");
		if (frame.payload_size)
			return usage(w, "the record requires a payload");
		if (!parse_padding_fits(frame.type, frame.size))
			return usage(w, "the record exceeds 65535 bytes with padding");
		is_padded &= !parse_padding_bytes(frame.type, frame.size);
	}
	struct pd_error *err = prepare(w);
	if (err)
		return err;
	return is_padded ? parse_writer_put(w, records, size) : put_padded(w, records, size);
}

struct pd_error *pd_writer_add_record_with_payload(struct pd_writer *w, const void *record,
	size_t size, const void *payload, uint64_t payload_size)
{
	struct pd_error *err = prepare(w);
	struct parse_writer_trace trace = { .offset = w->offset };
	struct parse_writer_frame frame;

	if (err)
		return err;
	if (!parse_writer_read_frame(w, record, size, &frame) || frame.size != size)
		return usage(w, "not one complete record");
	if (frame.payload_size != payload_size)
		return usage(w, "payload_size differs from the size in the record");
	if (!parse_padding_fits(frame.type, size))
		return usage(w, "the record exceeds 65535 bytes with padding");
	trace.size = size + parse_padding_bytes(frame.type, size);
	if (frame.type == PD_RECORD_AUXTRACE && !pd_vec_push(&w->traces, trace))
		return &pd_enomem;
	err = put_padded(w, record, size);
	return err ? err : parse_writer_put(w, payload, payload_size);
}

/* Events. */

/* Add an event with an encoded attr. Takes ownership of attr even on failure. */
static struct pd_error *add_event(
	struct pd_writer *w, const struct pd_bytes *attr, const uint64_t *ids, size_t n_ids)
{
	struct parse_writer_event event = { .attr = *attr };

	if (w->is_finished || attr->failed || !pd_vec_push(&w->events, event)) {
		pd_bytes_deinit(&event.attr);
		return w->is_finished ? parse_writer_begin(w) : &pd_enomem;
	}
	struct parse_writer_event *added = &w->events.data[w->events.n - 1];
	for (size_t i = 0; i < n_ids; i++) {
		if (!pd_vec_push(&added->ids, ids[i]))
			return &pd_enomem;
	}
	w->has_all_events = w->has_whole_table = false;
	return w->opts.is_pipe ? parse_writer_stream_event(w, added) : NULL;
}

struct pd_error *pd_writer_add_event(
	struct pd_writer *w, const struct pd_attr *attr, const uint64_t *ids, size_t n_ids)
{
	struct pd_bytes bytes = { .swap = w->opts.swap };

	if (attr->size && (attr->size < PD_ATTR_MIN_BYTES || attr->size % 8 ||
				  attr->size > PD_ATTR_MAX_BYTES))
		return usage(w, "invalid attr size");
	pd_attr_encode(attr, &bytes);
	return add_event(w, &bytes, ids, n_ids);
}

struct pd_error *pd_writer_add_event_bytes(
	struct pd_writer *w, const void *attr, size_t size, const uint64_t *ids, size_t n_ids)
{
	struct pd_bytes bytes = { .swap = w->opts.swap };
	const struct pd_view view = { attr, 1, w->opts.swap, size };
	struct pd_attr decoded;

	if (pd_attr_decode(&view, &decoded) != size || size > PD_ATTR_MAX_BYTES)
		return usage(w, "invalid attr size");
	pd_bytes_put(&bytes, attr, size);
	return add_event(w, &bytes, ids, n_ids);
}

struct pd_error *pd_writer_add_ids(
	struct pd_writer *w, size_t event, const uint64_t *ids, size_t n_ids)
{
	if (w->opts.is_pipe || w->is_finished || event >= w->events.n)
		return usage(w, "ids can only be added to events of an unfinished file");
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

	if (w->is_finished || size % PD_EVENT_TYPE_BYTES)
		return usage(w, "the size of event types is not a multiple of 72");
	if (!w->opts.is_pipe) {
		pd_bytes_put(bytes, types, size);
		return bytes->failed ? &pd_enomem : NULL;
	}
	/* A stream has no sections: each event type becomes a record. */
	struct pd_bytes records = { .swap = w->opts.swap };
	for (size_t at = 0; at < size; at += PD_EVENT_TYPE_BYTES) {
		size_t start = pd_record_begin(PD_RECORD_EVENT_TYPE, 0, &records);

		pd_bytes_put(&records, (const uint8_t *)types + at, PD_EVENT_TYPE_BYTES);
		(void)!pd_record_end(start, &records);
	}
	struct pd_error *err = parse_writer_begin(w);
	if (err) {
		pd_bytes_deinit(&records);
		return err;
	}
	return parse_writer_put_encoded(w, &records);
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
		return size && size <= UINT16_MAX - PD_FEATURE_RECORD_BYTES;
	}
}

struct pd_error *pd_writer_add_feature(
	struct pd_writer *w, unsigned bit, const void *body, size_t size)
{
	if (w->is_finished)
		return parse_writer_begin(w);
	if (!pd_writer_can_hold(w, bit, size))
		return usage(w, "the recording cannot contain this feature");
	struct parse_writer_feature *feature = &w->features[bit];
	if (feature->is_present)
		return usage(w, "the feature was added before");
	if (w->opts.is_pipe)
		return parse_writer_stream_feature(w, bit, body, size);
	feature->is_present = true;
	pd_bytes_put(&feature->body, body, size);
	return feature->body.failed ? &pd_enomem : NULL;
}

struct pd_error *pd_writer_sync(struct pd_writer *w)
{
	/*
	 * Records first, then the header: after a crash the header must not refer to missing
	 * records.
	 */
	if (fflush(w->out) != 0)
		return pd_error_os(w->name, "cannot write");
	if (w->opts.is_pipe || w->is_finished)
		return NULL;
	struct pd_error *err = parse_writer_sync_file(w);
	if (err)
		return err;
	return fflush(w->out) == 0 ? NULL : pd_error_os(w->name, "cannot write");
}

static struct pd_error *copy_events(const struct pd_writer *from, struct pd_writer *to)
{
	for (size_t i = 0; i < from->events.n; i++) {
		const struct parse_writer_event *event = &from->events.data[i];
		struct pd_error *err = pd_writer_add_event_bytes(
			to, event->attr.buf.data, event->attr.buf.n, event->ids.data, event->ids.n);

		if (err)
			return err;
	}
	return NULL;
}

static struct pd_error *branch(const struct pd_writer *from, struct pd_writer *to)
{
	struct pd_error *err = copy_events(from, to);

	if (err)
		return err;
	if (fseeko(to->out, (off_t)from->offset, SEEK_SET) != 0)
		return pd_error_os(to->name, "cannot seek");
	to->header = from->header;
	to->offset = from->offset;
	to->has_begun = true;
	to->has_all_events = from->has_all_events;
	to->has_whole_table = from->has_whole_table;
	return NULL;
}

struct pd_error *parse_writer_branch(
	const struct pd_writer *writer, FILE *out, struct pd_writer **ret)
{
	struct pd_writer *branched = NULL;

	if (writer->opts.is_pipe || !writer->has_begun || writer->traces.n)
		return usage(writer, "the recording cannot be branched");
	struct pd_error *err = pd_writer_create(out, writer->name, &writer->opts, &branched);
	if (err)
		return err;
	PD_IS_TRUE(branched, "it is created unless there is an error");
	err = branch(writer, branched);
	if (err) {
		pd_writer_destroy(branched);
		return err;
	}
	*ret = branched;
	return NULL;
}

struct pd_error *pd_writer_finish(struct pd_writer *w)
{
	struct pd_error *err = prepare(w);

	if (err)
		return err;
	err = w->opts.is_pipe ? NULL : parse_writer_finish_file(w);
	if (err)
		return err;
	w->is_finished = true;
	return fflush(w->out) == 0 ? NULL : pd_error_os(w->name, "cannot write");
}

uint64_t pd_writer_size(const struct pd_writer *w)
{
	return w->offset;
}
