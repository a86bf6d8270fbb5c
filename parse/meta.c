#include "parse/meta.h"

#include <string.h>

#include <pdconv/cursor.h>

#include "base/array.h"
#include "base/limit.h"
#include "parse/open_file.h"
#include "parse/simpleperf.h"

/* A stream may be endless, so everything that its records add is limited. */
enum {
	MAX_IDS = PD_LIMIT_EVENT_IDS,
	MAX_BUILD_IDS = PD_LIMIT_BUILD_IDS,
	MAX_RENAMED = PD_LIMIT_RENAMED_EVENTS
};

static void note(
	struct pd_file *file, const struct pd_record *rec, const char *what, const char *wrong)
{
	pd_diag_note(file->diag, file->path, rec->offset, what, wrong);
}

/*
 * Find the event that an ATTR record repeats: one with its first id or, if it has no ids, one with
 * an equal attr.
 */
static bool find_event(const struct pd_file *file, const struct pd_attr *attr,
	const struct pd_cursor *ids, uint32_t *ret)
{
	if (pd_cursor_left(ids) < 8)
		return parse_events_find_attr(&file->events, attr, ret);
	const struct pd_event *event =
		pd_events_by_id(&file->events, pd_load_u64(ids->pos, ids->swap));
	*ret = event ? event->index : 0;
	return event;
}

/* Name a new event: HEADER_EVENT_DESC, which names it, may have preceded it. */
static struct pd_error *name_event(struct pd_file *file, uint32_t index)
{
	bool has_names = file->feature[PD_FEATURE_EVENT_DESC].size;
	struct pd_error *err = NULL;

	if (has_names && index >= MAX_RENAMED)
		parse_file_note_limit(file, PD_LIMIT_ID_RENAMED_EVENTS);
	else if (has_names)
		err = parse_feature_decode(file, PD_FEATURE_EVENT_DESC);
	return err ? err : parse_file_name_events(file, index);
}

/*
 * Make bytes of rec valid as long as the file is open: copy them unless they are mapped. NULL if
 * out of memory.
 */
static const uint8_t *keep(
	struct pd_file *file, const struct pd_record *rec, const uint8_t *bytes, uint64_t size)
{
	if (!rec->chunk)
		return bytes;
	return (const uint8_t *)base_arena_strndup(&file->arena, bytes, size);
}

static struct pd_error *add_event(
	struct pd_file *file, const struct pd_record *rec, const struct pd_attr *attr, size_t size)
{
	struct pd_view wire = { .elem_size = 1, .swap = rec->swap, .n = size };
	struct pd_error *err = parse_events_add(&file->events, attr);

	wire.data = keep(file, rec, rec->bytes + PD_RECORD_HEADER_BYTES, size);
	if (err || !wire.data)
		return err ? err : &pd_enomem;
	parse_events_set_wire(&file->events, &wire, rec->offset + PD_RECORD_HEADER_BYTES);
	return NULL;
}

/* ATTR: the attr, then ids up to the end. */
static struct pd_error *apply_attr(struct pd_file *file, const struct pd_record *rec)
{
	struct pd_cursor c = pd_record_body(rec);
	bool is_added = false;
	struct pd_attr attr;
	uint32_t index;
	struct pd_view bytes = pd_cursor_rest(&c);
	size_t size = pd_attr_decode(&bytes, &attr);

	if (!size) {
		note(file, rec, "ATTR", "invalid attr size");
		return NULL;
	}
	pd_cursor_bytes(&c, size);
	if (!find_event(file, &attr, &c, &index)) {
		if (!file->is_pipe)
			return NULL; /* the header's table is complete */
		index = (uint32_t)file->events.list.n;
		if (index >= PD_MAX_EVENTS) {
			note(file, rec, "ATTR", "too many events");
			return NULL;
		}
		struct pd_error *err = add_event(file, rec, &attr, size);
		if (err)
			return err;
		if (file->is_ahead_limited)
			parse_file_note_limit(file, file->ahead_limit);
		is_added = true;
	}
	while (pd_cursor_left(&c) >= 8 && parse_events_n_ids(&file->events) < MAX_IDS) {
		struct pd_error *err = parse_events_add_id(&file->events, pd_cursor_u64(&c), index);
		if (err)
			return err;
	}
	if (pd_cursor_left(&c) >= 8)
		note(file, rec, "ATTR", "too many ids: further ones are left out");
	return is_added ? name_event(file, index) : NULL;
}

static struct pd_error *add_feature(struct pd_file *file, const struct pd_record *rec, unsigned bit,
	const uint8_t *bytes, uint64_t size)
{
	if (file->feature[bit].is_present)
		return NULL;
	file->feature[bit] = (struct pd_feature){
		.is_present = true,
		.offset = rec->offset + (uint64_t)(bytes - rec->bytes),
		.bytes = keep(file, rec, bytes, size),
		.size = size,
	};
	return file->feature[bit].bytes ? parse_feature_decode(file, bit) : &pd_enomem;
}

/*
 * FEATURE: u64 bit, then the body as in a section. After the last feature writers add an empty one,
 * whose bit is the first that they do not know. A later perf, and so pdconv, may know it.
 */
static struct pd_error *apply_feature(struct pd_file *file, const struct pd_record *rec)
{
	struct pd_cursor c = pd_record_body(rec);
	uint64_t bit = pd_cursor_u64(&c);
	bool is_mark = !pd_cursor_left(&c) && bit >= file->max_feature_bit;

	if (c.overrun || (bit >= PD_N_FEATURE_BITS && !is_mark)) {
		note(file, rec, "FEATURE",
			"record is too short or its feature bit is out of range");
		return NULL;
	}
	if (is_mark)
		return NULL;
	if (bit > file->max_feature_bit)
		file->max_feature_bit = bit;
	return add_feature(file, rec, (unsigned)bit, c.pos, pd_cursor_left(&c));
}

/* TRACING_DATA of simpleperf has the data within the record: u32 size, data, padding. */
static struct pd_error *apply_inner_tracing_data(struct pd_file *file, const struct pd_record *rec)
{
	struct pd_cursor c = pd_record_body(rec);
	uint32_t size = pd_cursor_u32(&c);
	const uint8_t *data = pd_cursor_bytes(&c, size);

	if (!data) {
		note(file, rec, "TRACING_DATA", "record is too short");
		return NULL;
	}
	return add_feature(file, rec, PD_FEATURE_TRACING_DATA, data, size);
}

static struct pd_error *apply_tracing_data(struct pd_file *file, const struct pd_record *rec)
{
	struct pd_view data = pd_record_outside(rec);
	struct pd_cursor c = pd_record_body(rec);

	if (parse_simpleperf_has_inner_tracing_data(rec->size, pd_cursor_u32(&c)))
		return apply_inner_tracing_data(file, rec);
	return data.n ? add_feature(file, rec, PD_FEATURE_TRACING_DATA, data.data, data.n) : NULL;
}

static struct pd_error *apply_build_id(struct pd_file *file, const struct pd_record *rec)
{
	struct pd_cursor c = pd_cursor_init(rec->bytes, rec->size, rec->swap);

	if (file->build_ids.n >= MAX_BUILD_IDS) {
		note(file, rec, "BUILD_ID", "too many build ids: further ones are left out");
		return NULL;
	}
	struct pd_error *err = parse_build_ids_decode(file, &c);
	if (err)
		return err;
	if (c.overrun)
		note(file, rec, "BUILD_ID", "record is too short");
	return parse_file_index_build_ids(file);
}

static struct pd_error *apply_event_type(struct pd_file *file, const struct pd_record *rec)
{
	struct pd_cursor c = pd_record_body(rec);
	struct pd_error *err = parse_event_type_decode(file, &c);

	if (err)
		return err;
	if (c.overrun)
		note(file, rec, "EVENT_TYPE", "record is too short");
	return NULL;
}

static struct pd_error *apply_event_update(struct pd_file *file, const struct pd_record *rec)
{
	const struct pd_event *event;
	const char *wrong;
	struct pd_error *err = parse_events_apply_update(&file->events, rec, &event, &wrong);

	if (err)
		return err;
	if (!event)
		note(file, rec, "EVENT_UPDATE", wrong);
	return NULL;
}

static const struct meta_row {
	uint32_t type;
	bool is_of_simpleperf;
	struct pd_error *(*apply)(struct pd_file *file, const struct pd_record *rec);
} rows[] = {
	{ PD_RECORD_ATTR, false, apply_attr },
	{ PD_RECORD_EVENT_TYPE, false, apply_event_type },
	{ PD_RECORD_TRACING_DATA, false, apply_tracing_data },
	{ PD_RECORD_BUILD_ID, false, apply_build_id },
	{ PD_RECORD_FEATURE, false, apply_feature },
	{ PD_RECORD_EVENT_UPDATE, false, apply_event_update },
	{ PD_RECORD_SIMPLEPERF_EVENT_ID, true, parse_simpleperf_add_ids },
	{ PD_RECORD_SIMPLEPERF_TRACING_DATA, true, apply_inner_tracing_data },
};

static const struct meta_row *find_row(const struct pd_file *file, const struct pd_record *rec)
{
	/* Most records are from the kernel. */
	if (rec->type < PD_RECORD_FIRST_TOOL)
		return NULL;
	for (size_t i = 0; i < PD_ARRAY_LEN(rows); i++) {
		if (rows[i].type == rec->type)
			return file->is_simpleperf || !rows[i].is_of_simpleperf ? &rows[i] : NULL;
	}
	return NULL;
}

bool parse_meta_is(const struct pd_file *file, const struct pd_record *rec)
{
	return find_row(file, rec);
}

struct pd_error *parse_meta_apply(struct pd_file *file, const struct pd_record *rec)
{
	const struct meta_row *row = find_row(file, rec);

	return row ? row->apply(file, rec) : NULL;
}
