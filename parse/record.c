#include "parse/record.h"

#include "base/cursor.h"

/* The field tables, from the same lists as the structs. */
#define FIELD(T, kind_, name_, format_, meaning_) \
	{ .name = #name_, \
		.offset = offsetof(T, name_), \
		.kind = PD_KIND_##kind_, \
		.format = PD_FMT_##format_, \
		.meaning = meaning_ },
#define FIELD_TABLE(name_, type_, misc_, member, fields, has_sid_) \
	static const struct pd_field member##_fields[] = { fields(FIELD, struct pd_##member){ 0 } };
PD_RECORDS(FIELD_TABLE)

#define LAYOUT(name_, type_, misc_, member, fields_, has_sid_) \
	{ .name = #name_, \
		.type = type_, \
		.misc = misc_, \
		.has_sid = has_sid_, \
		.fields = member##_fields, \
		.n_fields = sizeof(member##_fields) / sizeof(member##_fields[0]) - 1 },
static const struct pd_layout layouts[] = { PD_RECORDS(LAYOUT) };

enum { N_LAYOUTS = sizeof(layouts) / sizeof(layouts[0]) };

const struct pd_layout *pd_layouts(size_t *n_ret)
{
	*n_ret = N_LAYOUTS;
	return layouts;
}

const struct pd_layout *pd_layout_find(uint32_t type, uint16_t misc)
{
	const struct pd_layout *usual = NULL;

	for (size_t i = 0; i < N_LAYOUTS; i++) {
		if (layouts[i].type != type)
			continue;
		if (layouts[i].misc & misc)
			return &layouts[i];
		if (!layouts[i].misc)
			usual = &layouts[i];
	}
	return usual;
}

static struct pd_build_id decode_build_id(struct pd_cursor *c)
{
	const uint8_t *p = pd_cursor_bytes(c, 4 + PD_BUILD_ID_MAX);
	struct pd_build_id id = { 0 };

	if (p) {
		id.len = p[0] < PD_BUILD_ID_MAX ? p[0] : PD_BUILD_ID_MAX;
		memcpy(id.bytes, p + 4, id.len);
	}
	return id;
}

static struct pd_view decode_rest(struct pd_cursor *c)
{
	struct pd_view view = { .elem_size = 1, .n = pd_cursor_left(c) };

	view.data = pd_cursor_bytes(c, view.n);
	return view;
}

static void decode_field(struct pd_cursor *c, const struct pd_field *field, void *body)
{
	void *to = (char *)body + field->offset;

	switch ((enum pd_field_kind)field->kind) {
	case PD_KIND_u8:
		*(uint8_t *)to = pd_cursor_u8(c);
		break;
	case PD_KIND_u16:
		*(uint16_t *)to = pd_cursor_u16(c);
		break;
	case PD_KIND_u32:
		*(uint32_t *)to = pd_cursor_u32(c);
		break;
	case PD_KIND_u64:
		*(uint64_t *)to = pd_cursor_u64(c);
		break;
	case PD_KIND_str: {
		struct pd_str *str = to;
		str->s = pd_cursor_str(c, &str->len);
		break;
	}
	case PD_KIND_tag:
		*(const uint8_t **)to = pd_cursor_bytes(c, 8);
		break;
	case PD_KIND_build_id:
		*(struct pd_build_id *)to = decode_build_id(c);
		break;
	case PD_KIND_u64s:
	case PD_KIND_pairs: {
		/* The count is the field before. */
		uint64_t n = *((const uint64_t *)to - 1);
		*(struct pd_view *)to = pd_view_take(c, field->kind == PD_KIND_u64s ? 8 : 16, n);
		break;
	}
	case PD_KIND_bytes:
		*(struct pd_view *)to = decode_rest(c);
		break;
	}
}

static const char *overrun_text(enum pd_field_kind kind)
{
	switch (kind) {
	case PD_KIND_str:
		return "string is not terminated";
	case PD_KIND_u64s:
	case PD_KIND_pairs:
		return "array is longer than the record";
	default:
		return "record is too short";
	}
}

bool pd_record_decode(const struct pd_record *rec, size_t sid_bytes, bool swap, union pd_body *ret,
	const char **wrong_ret)
{
	const struct pd_layout *layout = pd_layout_find(rec->type, rec->misc);
	size_t fixed = PD_RECORD_HEADER_BYTES + (layout->has_sid ? sid_bytes : 0);

	if (rec->size < fixed) {
		*wrong_ret = "record is too short";
		return false;
	}
	struct pd_cursor c =
		pd_cursor_init(rec->bytes + PD_RECORD_HEADER_BYTES, rec->size - fixed, swap);
	for (size_t i = 0; i < layout->n_fields; i++) {
		decode_field(&c, &layout->fields[i], ret);
		if (c.overrun) {
			*wrong_ret = overrun_text(layout->fields[i].kind);
			return false;
		}
	}
	return true;
}
