/* Writing a stream, in which records take the place of sections. */
#include <pdconv/cursor.h>
#include <pdconv/feature.h>

#include "parse/write/padding.h"
#include "parse/write/writer_state.h"

/*
 * Bit of the empty feature that ends the features, by version of perf: the first bit it does not
 * know.
 */
enum { END_MARK_6_1 = 32, END_MARK_7_3 = 35 };

/*
 * Whether features need the mark. perf shows groups of events when it has seen the mark, and fails
 * if it is not the one of its version, except that perf 7.2 knows 32 as a feature and warns. So
 * streams have none if nothing depends on it.
 */
static bool needs_end_mark(const struct pd_writer *w)
{
	return w->events.n > 1 || w->max_feature >= END_MARK_6_1;
}

struct pd_error *parse_writer_begin_stream(struct pd_writer *w)
{
	struct pd_bytes bytes = { .swap = w->opts.swap };

	pd_bytes_put(&bytes, parse_writer_magic(w), PD_MAGIC_BYTES);
	pd_bytes_u64(&bytes, PD_PIPE_HEADER_BYTES);
	return parse_writer_put_encoded(w, &bytes);
}

struct pd_error *parse_writer_end_features(struct pd_writer *w)
{
	struct pd_bytes bytes = { .swap = w->opts.swap };

	w->lacks_end_mark = false;
	if (!needs_end_mark(w))
		return NULL;
	size_t start = pd_record_begin(PD_RECORD_FEATURE, 0, &bytes);
	pd_bytes_u64(&bytes, w->max_feature < END_MARK_6_1 ? END_MARK_6_1 : END_MARK_7_3);
	(void)!pd_record_end(start, &bytes);
	return parse_writer_put_encoded(w, &bytes);
}

struct pd_error *parse_writer_stream_event(
	struct pd_writer *w, const struct parse_writer_event *event)
{
	struct pd_bytes bytes = { .swap = w->opts.swap };
	struct pd_error *err = parse_writer_begin(w);

	if (err)
		return err;
	size_t start = pd_record_begin(PD_RECORD_ATTR, 0, &bytes);
	pd_bytes_put(&bytes, event->attr.buf.data, event->attr.buf.n);
	parse_writer_put_ids(event, &bytes);
	if (!pd_record_end(start, &bytes)) {
		pd_bytes_deinit(&bytes);
		return pd_error_create(PD_ERROR_UNSUPPORTED, w->name,
			"an event with %zu instances does not fit a record", event->ids.n);
	}
	return parse_writer_put_encoded(w, &bytes);
}

static struct pd_error *write_feature_record(
	struct pd_writer *w, unsigned bit, const void *body, size_t size)
{
	struct pd_bytes bytes = { .swap = w->opts.swap };

	/* Without padding: see parse/write/padding.c. */
	pd_bytes_u32(&bytes, PD_RECORD_FEATURE);
	pd_bytes_u16(&bytes, 0);
	pd_bytes_u16(&bytes, (uint16_t)(PD_FEATURE_RECORD_BYTES + size));
	pd_bytes_u64(&bytes, bit);
	pd_bytes_put(&bytes, body, size);
	w->lacks_end_mark = true;
	w->max_feature = bit > w->max_feature ? bit : w->max_feature;
	return parse_writer_put_encoded(w, &bytes);
}

/* Write a TRACING_DATA record and its payload, which readers expect to be padded to 8 bytes. */
static struct pd_error *write_tracing_data(struct pd_writer *w, const void *data, size_t size)
{
	struct pd_bytes bytes = { .swap = w->opts.swap };
	size_t padding = -size % 8;
	size_t start = pd_record_begin(PD_RECORD_TRACING_DATA, 0, &bytes);

	pd_bytes_u32(&bytes, (uint32_t)(size + padding));
	(void)!pd_record_end(start, &bytes);
	struct pd_error *err = parse_writer_put_encoded(w, &bytes);
	if (err)
		return err;
	err = parse_writer_put(w, data, size);
	return err ? err : parse_writer_put(w, "\0\0\0\0\0\0", padding);
}

/*
 * Write BUILD_ID records: the entries of the section are records, but perf does not set their type.
 */
static struct pd_error *write_build_ids(struct pd_writer *w, const uint8_t *body, size_t size)
{
	struct pd_bytes bytes = { .swap = w->opts.swap };
	struct pd_cursor c = pd_cursor_init(body, size, w->opts.swap);

	while (pd_cursor_left(&c) >= PD_RECORD_HEADER_BYTES) {
		const uint8_t *entry = c.pos;
		struct parse_writer_frame frame;

		if (!parse_writer_read_frame(w, entry, pd_cursor_left(&c), &frame))
			break;
		c.pos += frame.size;
		/* No path is so long that its entry does not fit a record. */
		if (parse_padding_fits(PD_RECORD_BUILD_ID, frame.size))
			parse_padding_put(PD_RECORD_BUILD_ID, entry, frame.size, &bytes);
	}
	return parse_writer_put_encoded(w, &bytes);
}

struct pd_error *parse_writer_stream_feature(
	struct pd_writer *w, unsigned bit, const void *body, size_t size)
{
	struct pd_error *err = parse_writer_begin(w);

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
