/*
 * Writing a file: header and attr table, and at the end features, event types, and the header
 * again.
 */
#include <pdconv/feature.h>

#include "base/integer.h"
#include "parse/write/writer_state.h"

enum {
	SECTION_BYTES = 16,
	BITMAP_WORDS = PD_N_FEATURE_BITS / 64,
	/** Offset of the size field in an attr. */
	ATTR_SIZE_AT = 4,
};

/* Write the header. Its bitmap has longs of 64 bits. */
static struct pd_error *write_file_header(struct pd_writer *w)
{
	struct pd_bytes bytes = { .swap = w->opts.swap };
	uint64_t bitmap[BITMAP_WORDS] = { 0 };

	for (unsigned bit = 0; bit < PD_N_FEATURE_BITS && w->is_finished; bit++)
		bitmap[bit / 64] |= (uint64_t)w->features[bit].is_present << (bit % 64);
	w->header.magic = (struct pd_str){
		.s = parse_writer_magic(w),
		.len = PD_MAGIC_BYTES,
	};
	w->header.size = PD_HEADER_BYTES;
	w->header.adds_features = (struct pd_view){
		.data = (const uint8_t *)bitmap, .elem_size = 8, .n = BITMAP_WORDS
	};
	pd_layout_encode(&pd_layout_file_header, &w->header, NULL, &bytes);
	return parse_writer_put_encoded(w, &bytes);
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
 * Append an attr, padded with zeros to size, which is that of the longest attr. Readers disagree on
 * how to step through attrs of different sizes (see parse/header.c), so all get the same size.
 */
static void put_attr(const struct parse_writer_event *event, size_t size, struct pd_bytes *out)
{
	const struct pd_bytes *attr = &event->attr;
	size_t start = out->buf.n;

	pd_bytes_put(out, attr->buf.data, attr->buf.n);
	pd_bytes_zeros(out, size - attr->buf.n);
	if (attr->buf.n < size && !out->failed)
		base_store_uint(out->buf.data + start + ATTR_SIZE_AT, 4, out->swap, size);
}

static struct pd_error *write_ids(struct pd_writer *w)
{
	for (size_t i = 0; i < w->events.n; i++) {
		struct pd_bytes bytes = { .swap = w->opts.swap };

		parse_writer_put_ids(&w->events.data[i], &bytes);
		struct pd_error *err = parse_writer_put_encoded(w, &bytes);
		if (err)
			return err;
	}
	return NULL;
}

static struct pd_error *write_attrs(struct pd_writer *w, uint64_t ids_offset)
{
	size_t size = attr_bytes(w);

	w->header.attr_size = size + SECTION_BYTES;
	w->header.attrs_offset = w->offset;
	w->header.attrs_size = w->header.attr_size * w->events.n;
	for (size_t i = 0; i < w->events.n; i++) {
		const struct parse_writer_event *event = &w->events.data[i];
		struct pd_bytes bytes = { .swap = w->opts.swap };

		put_attr(event, size, &bytes);
		pd_bytes_u64(&bytes, ids_offset);
		pd_bytes_u64(&bytes, event->ids.n * 8);
		/* write_ids() wrote the ids of all events in this order, without gaps. */
		ids_offset += event->ids.n * 8;
		struct pd_error *err = parse_writer_put_encoded(w, &bytes);
		if (err)
			return err;
	}
	return NULL;
}

/* Write the attr table at the current offset. */
static struct pd_error *write_attr_table(struct pd_writer *w)
{
	uint64_t ids_offset = w->offset;
	struct pd_error *err = write_ids(w);

	w->has_all_events = w->has_whole_table = true;
	return err ? err : write_attrs(w, ids_offset);
}

/* Overwrite the header with what is known now. */
static struct pd_error *rewrite_header(struct pd_writer *w)
{
	uint64_t end = w->offset;

	if (fflush(w->out) != 0)
		return pd_error_os(w->name, "cannot write");
	if (fseeko(w->out, 0, SEEK_SET) != 0)
		return pd_error_os(w->name, "cannot seek");
	struct pd_error *err = write_file_header(w);
	if (err)
		return err;
	w->offset = end;
	if (fseeko(w->out, (off_t)end, SEEK_SET) != 0)
		return pd_error_os(w->name, "cannot seek");
	return NULL;
}

/*
 * Write header and attr table. From then on the file is a valid recording, without records so far.
 */
struct pd_error *parse_writer_begin_file(struct pd_writer *w)
{
	struct pd_error *err = write_file_header(w);

	if (err)
		return err;
	err = write_attr_table(w);
	if (err)
		return err;
	w->header.data_offset = w->offset;
	return rewrite_header(w);
}

struct pd_error *parse_writer_sync_file(struct pd_writer *w)
{
	if (!w->has_begun || !w->has_all_events)
		return NULL;
	w->header.data_size = w->offset - w->header.data_offset;
	return rewrite_header(w);
}

/* The end of a file. */

/* Encode HEADER_AUXTRACE, the list of AUXTRACE records. simpleperf omits its count. */
static struct pd_error *make_auxtrace_index(struct pd_writer *w)
{
	struct parse_writer_feature *feature = &w->features[PD_FEATURE_AUXTRACE];

	if (!w->traces.n)
		return NULL;
	feature->is_present = true;
	feature->body.swap = w->opts.swap;
	if (!parse_writer_is_simpleperf(w))
		pd_bytes_u64(&feature->body, w->traces.n);
	for (size_t i = 0; i < w->traces.n; i++) {
		pd_bytes_u64(&feature->body, w->traces.data[i].offset);
		pd_bytes_u64(&feature->body, w->traces.data[i].size);
	}
	return feature->body.failed ? &pd_enomem : NULL;
}

/* Write the feature table, which must follow the records immediately, and then the bodies. */
static struct pd_error *write_features(struct pd_writer *w)
{
	struct pd_bytes table = { .swap = w->opts.swap };
	uint64_t offset = w->offset;

	for (size_t bit = 0; bit < PD_N_FEATURE_BITS; bit++)
		offset += w->features[bit].is_present ? SECTION_BYTES : 0;
	/*
	 * The table has no bit numbers: readers match its entries with the set bits in ascending
	 * order.
	 */
	for (size_t bit = 0; bit < PD_N_FEATURE_BITS; bit++) {
		const struct parse_writer_feature *feature = &w->features[bit];

		if (!feature->is_present)
			continue;
		pd_bytes_u64(&table, offset);
		pd_bytes_u64(&table, feature->body.buf.n);
		offset += feature->body.buf.n;
	}
	struct pd_error *err = parse_writer_put_encoded(w, &table);
	if (err)
		return err;
	for (size_t bit = 0; bit < PD_N_FEATURE_BITS; bit++) {
		const struct pd_bytes *body = &w->features[bit].body;

		err = parse_writer_put(w, body->buf.data, body->buf.n);
		if (err)
			return err;
	}
	return NULL;
}

static struct pd_error *write_empty_round(struct pd_writer *w)
{
	struct pd_bytes bytes = { .swap = w->opts.swap };
	size_t start = pd_record_begin(PD_RECORD_FINISHED_ROUND, 0, &bytes);

	(void)!pd_record_end(start, &bytes);
	return parse_writer_put_encoded(w, &bytes);
}

struct pd_error *parse_writer_finish_file(struct pd_writer *w)
{
	struct pd_error *err;

	if (!w->events.n)
		return pd_error_create(PD_ERROR_UNSUPPORTED, w->name,
			"a recording without events cannot be a file");
	/* Readers take an empty data section for an interrupted recording. */
	err = w->offset == w->header.data_offset ? write_empty_round(w) : NULL;
	if (err)
		return err;
	w->header.data_size = w->offset - w->header.data_offset;
	err = make_auxtrace_index(w);
	if (err)
		return err;
	err = write_features(w);
	if (err)
		return err;
	if (w->event_types.buf.n)
		w->header.event_types_offset = w->offset;
	w->header.event_types_size = w->event_types.buf.n;
	err = parse_writer_put(w, w->event_types.buf.data, w->event_types.buf.n);
	if (err)
		return err;
	err = w->has_whole_table ? NULL : write_attr_table(w);
	if (err)
		return err;
	/* Only the header of a finished recording has features. */
	w->is_finished = true;
	return rewrite_header(w);
}
