#include "parse/write/byteswap.h"

#include <pdconv/feature.h>
#include "parse/layout_tables.h"
#include "parse/simpleperf.h"

/* Bytes that are decoded, and a copy of them in which integers are byteswapped. */
struct byteswap {
	struct pd_cursor c;
	const uint8_t *from;
	uint8_t *to;
	struct pd_layout_env env;
};

static void byteswap_ints(const struct byteswap *t, const uint8_t *at, size_t size, uint64_t n)
{
	uint8_t *to = t->to + (at - t->from);

	for (; n--; at += size, to += size) {
		for (size_t i = 0; i < size; i++)
			to[i] = at[size - 1 - i];
	}
}

static bool byteswap_fields(struct byteswap *t, const struct pd_layout *layout);

static bool byteswap_elems(
	const struct byteswap *t, const struct pd_layout *elem, const struct pd_list *list)
{
	struct byteswap inner = *t;
	bool ok = true;

	inner.c = pd_cursor_init(list->data, list->size, list->swap);
	for (uint64_t i = 0; i < list->n && !inner.c.overrun; i++)
		ok &= byteswap_fields(&inner, elem);
	return ok;
}

/*
 * Byteswap an `as` field by the layout that is selected for it. Without one the bytes stay
 * unchanged: such fields are arrays of kernel structs about BPF programs, which perf does not
 * byteswap either.
 */
static bool byteswap_as(const struct byteswap *t, const struct pd_field *field, const void *body,
	const struct pd_view *bytes)
{
	const struct pd_layout *layout = field->select ? field->select(body, *bytes) : NULL;
	struct byteswap inner = *t;

	inner.c = pd_view_cursor(bytes);
	return !layout || byteswap_fields(&inner, layout);
}

/* Byteswap a field that was decoded to body. Its bytes begin at `at`. */
static bool byteswap_field(
	struct byteswap *t, const struct pd_field *field, const void *body, const uint8_t *at)
{
	const void *value = (const char *)body + field->offset;
	const struct pd_view *view = value;

	switch ((enum pd_field_kind)field->kind) {
	case PD_KIND_u8:
	case PD_KIND_u16:
	case PD_KIND_u32:
	case PD_KIND_u64:
	case PD_KIND_attr_size:
		byteswap_ints(t, at, pd_field_int_size(field), 1);
		return true;
	case PD_KIND_text:
		/* Only the length before the characters is a number. */
		byteswap_ints(t, at, 4, 1);
		return true;
	case PD_KIND_str:
	case PD_KIND_chars:
	case PD_KIND_sized_text:
	case PD_KIND_raw:
	case PD_KIND_build_id:
		return true;
	case PD_KIND_array:
	case PD_KIND_bitmap:
	case PD_KIND_all_array:
		byteswap_ints(t, view->data, view->elem_size, view->n);
		return true;
	case PD_KIND_bytes:
	case PD_KIND_sized:
		return byteswap_as(t, field, body, view);
	case PD_KIND_list:
	case PD_KIND_all:
	case PD_KIND_cpus:
		return byteswap_elems(t, field->elem, value);
	case PD_KIND_attr:
		pd_attr_byteswap(view, t->to + (at - t->from));
		return true;
	}
	return true;
}

/* Byteswap all fields. False if one cannot be decoded. */
static bool byteswap_fields(struct byteswap *t, const struct pd_layout *layout)
{
	union pd_any_struct body = { 0 };
	bool ok = true;

	for (size_t i = 0; i < layout->n_fields; i++) {
		const struct pd_field *field = &layout->fields[i];
		const uint8_t *at = t->c.pos;

		parse_field_decode(field, &t->c, &t->env, &body);
		if (t->c.overrun)
			return false;
		ok &= byteswap_field(t, field, &body, at);
	}
	return ok;
}

/*
 * Byteswap the third word of each branch, whose bit-fields move with the byte order of the
 * compiler.
 */
static void byteswap_branches(const struct byteswap *t, const struct pd_branches *branches)
{
	enum { ENTRY_BYTES = 24, FLAGS_AT = 16 };

	for (uint64_t i = 0; i < branches->entries.n; i++) {
		const uint8_t *at = branches->entries.data + i * ENTRY_BYTES + FLAGS_AT;
		bool swap = branches->entries.swap;
		uint64_t flags = pd_bitfields_byteswap(
			&pd_bitfields_branch_flags, pd_load_u64(at, swap), pd_is_big_endian(swap));

		flags = swap ? flags : __builtin_bswap64(flags);
		memcpy(t->to + (at - t->from), &flags, sizeof(flags));
	}
}

/* Byteswap the field of a step. Its bytes are those from `at` to the cursor. */
static void byteswap_step(
	const struct byteswap *t, const struct pd_plan_step *step, const uint8_t *at)
{
	switch ((enum pd_sample_kind)step->kind) {
	case PD_SAMPLE_KIND_U64:
	case PD_SAMPLE_KIND_READ:
	case PD_SAMPLE_KIND_CALLCHAIN:
	case PD_SAMPLE_KIND_BRANCH_STACK:
	case PD_SAMPLE_KIND_REGS_USER:
	case PD_SAMPLE_KIND_REGS_INTR:
		byteswap_ints(t, at, 8, (uint64_t)(t->c.pos - at) / 8);
		break;
	case PD_SAMPLE_KIND_U32_PAIR:
		byteswap_ints(t, at, 4, 2);
		break;
	case PD_SAMPLE_KIND_RAW:
		byteswap_ints(t, at, 4, 1);
		break;
	case PD_SAMPLE_KIND_AUX:
		byteswap_ints(t, at, 8, 1);
		break;
	case PD_SAMPLE_KIND_STACK_USER:
		byteswap_ints(t, at, 8, 1);
		if (t->c.pos - at > 8) /* dyn_size */
			byteswap_ints(t, t->c.pos - 8, 8, 1);
		break;
	}
}

/*
 * Only decoding the whole sample shows the layout of its branch stack, as in parse/visit.c.
 */
static bool byteswap_sample(
	struct byteswap *t, const struct pd_record *rec, const struct pd_plan *plan)
{
	struct pd_sample sample;
	const char *cut_field;
	enum pd_sample_result result = pd_sample_decode(plan, rec, &sample, &cut_field);

	for (size_t i = 0; i < plan->n_steps; i++) {
		const struct pd_plan_step *step = &plan->steps[i];
		const uint8_t *at = t->c.pos;

		pd_sample_skip(plan, step, &sample, &t->c);
		if (t->c.overrun)
			return false;
		byteswap_step(t, step, at);
		if (step->kind == PD_SAMPLE_KIND_BRANCH_STACK)
			byteswap_branches(t, &sample.branch_stack);
	}
	return result == PD_SAMPLE_OK && !plan->has_opaque_tail;
}

/* Byteswap a trailer: all of its fields have 8 bytes. */
static void byteswap_sid(struct byteswap *t, const struct pd_plan *plan)
{
	for (size_t i = 0; i < plan->n_sid_steps; i++) {
		const uint8_t *at = t->c.pos;

		t->c.pos += 8;
		byteswap_step(t, &plan->sid_steps[i], at);
	}
}

/*
 * Byteswap the header: type, misc, size; simpleperf has the halves of a size instead of misc and
 * size.
 */
static void byteswap_header(const struct byteswap *t)
{
	byteswap_ints(t, t->from, 4, 1);
	byteswap_ints(t, t->from + 4, 2, 2);
}

enum parse_byteswapped parse_byteswap_record(const struct pd_events *events,
	const struct pd_layout_env *env, const struct pd_record *rec, uint8_t *ret)
{
	const struct pd_layout *layout = pd_layout_find(rec->type, rec->misc);
	const struct pd_plan *plan =
		rec->type < PD_RECORD_FIRST_TOOL ? pd_events_plan(events, rec) : NULL;
	size_t body_bytes = rec->size - PD_RECORD_HEADER_BYTES;
	size_t sid_bytes = layout && layout->has_sid && plan ? plan->sid_bytes : 0;
	struct byteswap t = { .from = rec->bytes, .to = ret, .env = *env };
	bool ok;

	/* Bytes that are unknown, or not numbers, stay as they are. */
	memcpy(ret, rec->bytes, rec->size);
	byteswap_header(&t);
	if (!layout || (rec->type == PD_RECORD_SAMPLE && !plan))
		return PD_BYTESWAPPED_HEADER;
	if (sid_bytes > body_bytes)
		sid_bytes = 0;
	t.c = pd_cursor_init(
		rec->bytes + PD_RECORD_HEADER_BYTES, body_bytes - sid_bytes, rec->swap);
	if (rec->type == PD_RECORD_SAMPLE)
		ok = byteswap_sample(&t, rec, plan);
	else
		ok = byteswap_fields(&t, layout);
	/* The trailer is located from the end, so a damaged body does not affect it. */
	if (sid_bytes) {
		t.c = pd_cursor_init(t.c.end, sid_bytes, rec->swap);
		byteswap_sid(&t, plan);
	}
	return ok ? PD_BYTESWAPPED_ALL : PD_BYTESWAPPED_PARTLY;
}

/* Byteswap a section that consists of records. */
static enum parse_byteswapped byteswap_records(const struct pd_events *events,
	const struct pd_layout_env *env, const struct pd_view *body, uint8_t *ret)
{
	struct pd_cursor c = pd_view_cursor(body);
	enum parse_byteswapped worst = PD_BYTESWAPPED_ALL;

	while (pd_cursor_left(&c) >= PD_RECORD_HEADER_BYTES) {
		struct pd_cursor header = c;
		struct pd_record rec = { .bytes = c.pos, .swap = c.swap, .time = PD_NO_TIME };

		rec.type = pd_cursor_u32(&header);
		rec.misc = pd_cursor_u16(&header);
		rec.size = pd_cursor_u16(&header);
		/* Without a valid size the next record cannot be found. */
		if (rec.size < PD_RECORD_HEADER_BYTES || !pd_cursor_bytes(&c, rec.size))
			return PD_BYTESWAPPED_PARTLY;
		enum parse_byteswapped turned =
			parse_byteswap_record(events, env, &rec, ret + (rec.bytes - body->data));
		worst = turned > worst ? turned : worst;
	}
	return worst;
}

enum parse_byteswapped parse_byteswap_feature(const struct pd_events *events,
	const struct pd_layout_env *env, unsigned bit, const struct pd_view *body, uint8_t *ret)
{
	const struct pd_layout *layout = pd_feature_layout(bit);
	struct byteswap t = {
		.c = pd_view_cursor(body),
		.from = body->data,
		.to = ret,
		.env = *env,
	};

	if (!body->n)
		return PD_BYTESWAPPED_ALL;
	memcpy(ret, body->data, body->n);
	if (bit == PD_FEATURE_SIMPLEPERF_INIT_MAP)
		return byteswap_records(events, env, body, ret);
	if (!layout)
		return PD_BYTESWAPPED_HEADER;
	return byteswap_fields(&t, layout) ? PD_BYTESWAPPED_ALL : PD_BYTESWAPPED_PARTLY;
}
