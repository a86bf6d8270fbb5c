#include "parse/write/copy_header.h"

#include <pdconv/cursor.h>

#include "base/array.h"
#include "parse/attr_store.h"

void parse_copy_count(struct parse_copying *copy, enum parse_byteswapped turned)
{
	copy->result.n_partly_byteswapped += turned == PD_BYTESWAPPED_PARTLY;
	copy->result.n_unknown += turned == PD_BYTESWAPPED_HEADER;
}

uint8_t *parse_copy_room(struct parse_copying *copy, size_t size)
{
	copy->bytes.buf.n = 0;
	return pd_bytes_extend(&copy->bytes, size);
}

/* Events. */

void parse_copy_edit_attr(const struct parse_copying *copy, uint8_t *at, size_t size)
{
	struct pd_attr attr;

	if (!copy->edits->attr)
		return;
	const struct pd_view bytes = { at, 1, copy->opts->swap, size };
	size = pd_attr_decode(&bytes, &attr);
	if (!size)
		return;
	copy->edits->attr(copy->edits->ctx, &attr);
	parse_attr_store(&attr, size, copy->opts->swap, at);
}

static struct pd_error *add_event(struct parse_copying *copy, const struct pd_event *event)
{
	struct pd_view wire = event->wire;

	/* An entry of the attr table may be longer than the attr in it. */
	wire.n = event->attr.size ? event->attr.size : PD_ATTR_MIN_BYTES;
	uint8_t *to = parse_copy_room(copy, wire.n);
	if (!to)
		return &pd_enomem;
	if (copy->byteswaps)
		pd_attr_byteswap(&wire, to);
	else
		memcpy(to, wire.data, wire.n);
	parse_copy_edit_attr(copy, to, wire.n);
	return pd_writer_add_event_bytes(copy->writer, to, wire.n, event->ids.data, event->ids.n);
}

/* Add the ids that event i got since it was added. */
static struct pd_error *add_new_ids(
	struct parse_copying *copy, size_t i, const struct pd_event *event)
{
	size_t n = copy->n_ids.data[i];

	copy->n_ids.data[i] = event->ids.n;
	if (n >= event->ids.n)
		return NULL;
	return pd_writer_add_ids(copy->writer, i, event->ids.data + n, event->ids.n - n);
}

struct pd_error *parse_copy_events(struct parse_copying *copy)
{
	const struct pd_events *events = &copy->file->events;

	for (size_t i = 0; i < events->list.n; i++) {
		const struct pd_event *event = &events->list.data[i];
		bool is_new = i >= copy->n_ids.n;
		struct pd_error *err =
			is_new ? add_event(copy, event) : add_new_ids(copy, i, event);

		if (err)
			return err;
		if (is_new && !pd_vec_push(&copy->n_ids, event->ids.n))
			return &pd_enomem;
	}
	return NULL;
}

/* Features. */

bool parse_copy_is_outdated(const struct parse_copying *copy, uint64_t bit)
{
	if (bit >= PD_N_FEATURE_BITS)
		return false;
	if (copy->edits->without[bit / 64] >> (bit % 64) & 1)
		return true;
	switch (bit) {
	case PD_FEATURE_AUXTRACE:
	case PD_FEATURE_DIR_FORMAT:
		return true;
	case PD_FEATURE_COMPRESSED:
		/*
		 * perf stat writes one that is all zero although it does not compress. perf 7.2
		 * rejects recordings with it.
		 */
		return copy->pack || !copy->opts->keep_compressed;
	default:
		return false;
	}
}

void parse_copy_edit_event_desc(const struct parse_copying *copy, uint8_t *body, size_t size)
{
	struct pd_cursor c = pd_cursor_init(body, size, copy->opts->swap);
	struct pd_layout_env env = { 0 };
	struct pd_layout_fault fault;
	struct pd_event_desc_entry entry;
	struct pd_event_desc desc;

	if (!copy->edits->attr || !pd_layout_decode(&pd_layout_event_desc, &c, &env, &desc, &fault))
		return;
	env.attr_size = desc.attr_size;
	struct pd_list_iter iter = pd_list_iter(&desc.events, &env);
	while (pd_list_next(&iter, &pd_layout_event_desc_entry, &entry))
		parse_copy_edit_attr(copy, body + (entry.attr.data - body), entry.attr.n);
}

/* Records that edits append to the section of feature bit. */
static struct pd_view records_after(const struct parse_copying *copy, unsigned bit)
{
	return bit == PD_FEATURE_BUILD_ID ? copy->edits->build_ids : (struct pd_view){ 0 };
}

/* Records of a stream that become the section of feature bit. */
static struct pd_view build_ids_of_stream(const struct parse_copying *copy, unsigned bit)
{
	const struct pd_bytes *build_ids = &copy->build_ids;

	if (bit != PD_FEATURE_BUILD_ID || copy->file->feature[bit].is_present)
		return (struct pd_view){ 0 };
	return (struct pd_view){
		.data = build_ids->buf.data,
		.elem_size = 1,
		.swap = copy->opts->swap,
		.n = build_ids->buf.n,
	};
}

/* Encode the section for the copy to copy->bytes. False if out of memory. */
static bool make_body(struct parse_copying *copy, unsigned bit)
{
	const struct pd_file *file = copy->file;
	const struct pd_feature *feature = &file->feature[bit];
	const struct pd_view body = {
		.data = feature->bytes,
		.elem_size = 1,
		.swap = file->swap,
		.n = feature->is_present ? feature->size : 0,
	};
	const struct pd_view more[] = { build_ids_of_stream(copy, bit), records_after(copy, bit) };
	uint8_t *to = parse_copy_room(copy, body.n);

	if (!to)
		return false;
	if (copy->byteswaps)
		parse_copy_count(
			copy, parse_byteswap_feature(&file->events, &file->env, bit, &body, to));
	else if (body.n)
		memcpy(to, body.data, body.n);
	/* Edits expect the byte order of the copy, and the added records already have it. */
	if (bit == PD_FEATURE_EVENT_DESC)
		parse_copy_edit_event_desc(copy, to, body.n);
	for (size_t i = 0; i < PD_ARRAY_LEN(more); i++)
		pd_bytes_put(&copy->bytes, more[i].data, more[i].n);
	return !copy->bytes.failed;
}

static struct pd_error *add_feature(struct parse_copying *copy, unsigned bit)
{
	size_t size = copy->file->feature[bit].size + build_ids_of_stream(copy, bit).n +
		      records_after(copy, bit).n;

	if (!pd_writer_can_hold(copy->writer, bit, size)) {
		copy->result.features_left_out[bit / 64] |= (uint64_t)1 << (bit % 64);
		return NULL;
	}
	if (!make_body(copy, bit))
		return &pd_enomem;
	return pd_writer_add_feature(copy->writer, bit, copy->bytes.buf.data, copy->bytes.buf.n);
}

static bool is_wanted(const struct parse_copying *copy, unsigned bit)
{
	if (parse_copy_is_outdated(copy, bit))
		return false;
	return copy->file->feature[bit].is_present || build_ids_of_stream(copy, bit).n ||
	       records_after(copy, bit).n;
}

/*
 * Limit the total size to that of the input: sections of a crafted file may overlap, which would
 * make the copy much larger than the input.
 */
struct pd_error *parse_copy_features(struct parse_copying *copy)
{
	const struct pd_file *file = copy->file;
	/* Features of a stream arrived as separate records, so they cannot overlap. */
	uint64_t left = file->is_pipe ? UINT64_MAX : file->size;

	for (unsigned bit = 0; bit < PD_N_FEATURE_BITS; bit++) {
		const struct pd_feature *feature = &file->feature[bit];

		if (!is_wanted(copy, bit))
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

struct pd_error *parse_copy_add_compression(struct parse_copying *copy)
{
	struct pd_bytes body = { .swap = copy->opts->swap };

	if (!copy->pack || copy->has_compression)
		return NULL;
	copy->has_compression = true;
	parse_pack_describe(copy->pack, &body);
	struct pd_error *err = body.failed
				       ? &pd_enomem
				       : pd_writer_add_feature(copy->writer, PD_FEATURE_COMPRESSED,
						 body.buf.data, body.buf.n);
	pd_bytes_deinit(&body);
	return err;
}
