#include <pdconv/visitor.h>

#include "base/analyzer.h"

#include "parse/layout_private.h"
#include "parse/names_private.h"
#include "parse/visit_private.h"

void pd_visit_enter(const struct pd_visit *w, const char *name, bool is_list)
{
	w->visitor->enter(w->visitor->ctx, name, is_list);
}

void pd_visit_leave(const struct pd_visit *w)
{
	w->visitor->leave(w->visitor->ctx);
}

void pd_visit_value(const struct pd_visit *w, const uint8_t *from, struct pd_value value)
{
	value.at = (uint64_t)(from - w->base);
	value.size = (uint64_t)(w->c.pos - from);
	pd_value_set_names(&value);
	w->visitor->value(w->visitor->ctx, &value);
}

void pd_visit_bytes(const struct pd_visit *w, const char *name, struct pd_view bytes)
{
	struct pd_value value = {
		.name = name,
		.type = PD_VALUE_BYTES,
		.format = PD_FMT_HEX,
		.at = bytes.data ? (uint64_t)(bytes.data - w->base) : 0,
		.size = bytes.n,
		.view = bytes,
	};

	w->visitor->value(w->visitor->ctx, &value);
}

static bool is_zero(const uint8_t *bytes, size_t n)
{
	PD_IS_TRUE(bytes || !n, "views without bytes are empty");
	while (n && !*bytes)
		bytes++, n--;
	return !n;
}

void pd_visit_rest(struct pd_visit *w)
{
	struct pd_view rest = pd_cursor_rest(&w->c);

	if (!is_zero(rest.data, rest.n))
		pd_visit_bytes(w, "rest", rest);
	w->c.pos = w->c.end;
}

void pd_visit_damage(struct pd_visit *w, const uint8_t *from, const char *name, const char *message)
{
	w->visitor->damage(w->visitor->ctx, name, message);
	w->c.pos = from;
	w->c.overrun = false;
	pd_visit_rest(w);
}

static bool visit_fields(struct pd_visit *w, const struct pd_layout *layout);

static void visit_elems(
	struct pd_visit *w, const struct pd_field *field, const struct pd_list *list)
{
	struct pd_visit inner = *w;

	inner.c = pd_cursor_init(list->data, list->size, list->swap);
	pd_visit_enter(w, field->name, true);
	for (uint64_t i = 0; i < list->n; i++) {
		pd_visit_enter(w, NULL, false);
		bool ok = visit_fields(&inner, field->elem);
		pd_visit_leave(w);
		if (!ok)
			break;
	}
	pd_visit_leave(w);
}

/* Visit an `as` field: by the layout that is selected for it, or as bytes. */
static void visit_as(struct pd_visit *w, const struct pd_field *field, const void *body,
	const struct pd_view *bytes)
{
	const struct pd_layout *layout = field->select ? field->select(body, *bytes) : NULL;
	struct pd_visit inner = *w;

	if (!layout) {
		pd_visit_bytes(w, field->name, *bytes);
		return;
	}
	inner.c = pd_view_cursor(bytes);
	pd_visit_enter(w, field->name, false);
	if (visit_fields(&inner, layout))
		pd_visit_rest(&inner);
	pd_visit_leave(w);
}

static void visit_nested_attr(
	const struct pd_visit *w, const struct pd_field *field, const struct pd_view *bytes)
{
	pd_visit_enter(w, field->name, false);
	pd_visit_attr(*bytes, w->base, w->visitor);
	pd_visit_leave(w);
}

/* Visit a field that was decoded to body. */
static void visit_field(
	struct pd_visit *w, const struct pd_field *field, const void *body, const uint8_t *from)
{
	const void *at = (const char *)body + field->offset;
	struct pd_value value = { .name = field->name, .format = field->format };
	const struct pd_build_id *id = at;

	switch ((enum pd_field_kind)field->kind) {
	case PD_KIND_u8:
	case PD_KIND_u16:
	case PD_KIND_u32:
	case PD_KIND_u64:
	case PD_KIND_attr_size:
		value.type = PD_VALUE_UINT;
		value.number = pd_field_uint(field, body);
		pd_visit_value(w, from, value);
		break;
	case PD_KIND_str:
	case PD_KIND_text:
	case PD_KIND_chars:
	case PD_KIND_sized_text:
		value.type = PD_VALUE_TEXT;
		value.text = *(const struct pd_str *)at;
		pd_visit_value(w, from, value);
		break;
	case PD_KIND_raw:
		value.type = PD_VALUE_BYTES;
		value.view = (struct pd_view){
			.data = *(const uint8_t *const *)at, .elem_size = 1, .n = field->size
		};
		pd_visit_value(w, from, value);
		break;
	case PD_KIND_build_id:
		value.type = PD_VALUE_BYTES;
		value.view = (struct pd_view){ .data = id->bytes, .elem_size = 1, .n = id->len };
		pd_visit_value(w, from, value);
		break;
	case PD_KIND_array:
	case PD_KIND_bitmap:
	case PD_KIND_all_array:
		value.type = PD_VALUE_UINTS;
		value.view = *(const struct pd_view *)at;
		pd_visit_value(w, from, value);
		break;
	case PD_KIND_bytes:
	case PD_KIND_sized:
		visit_as(w, field, body, at);
		break;
	case PD_KIND_list:
	case PD_KIND_all:
	case PD_KIND_cpus:
		visit_elems(w, field, at);
		break;
	case PD_KIND_attr:
		visit_nested_attr(w, field, at);
		break;
	}
}

/* Visit all fields. False, after reporting the damage, if one cannot be decoded. */
static bool visit_fields(struct pd_visit *w, const struct pd_layout *layout)
{
	union pd_any_struct body = { 0 };

	for (size_t i = 0; i < layout->n_fields; i++) {
		const struct pd_field *field = &layout->fields[i];
		const uint8_t *from = w->c.pos;

		pd_field_decode(field, &w->c, &w->env, &body);
		if (w->c.overrun) {
			pd_visit_damage(w, from, field->name, pd_field_overrun_text(field));
			return false;
		}
		visit_field(w, field, &body, from);
	}
	return true;
}

static struct pd_visit visit_init(struct pd_view bytes, const uint8_t *base,
	const struct pd_layout_env *env, const struct pd_visitor *visitor)
{
	return (struct pd_visit){
		.c = pd_view_cursor(&bytes),
		.base = base,
		.env = env ? *env : (struct pd_layout_env){ 0 },
		.visitor = visitor,
	};
}

void pd_visit_layout(const struct pd_layout *layout, struct pd_view bytes, const uint8_t *base,
	const struct pd_layout_env *env, const struct pd_visitor *visitor)
{
	struct pd_visit w = visit_init(bytes, base, env, visitor);

	if (visit_fields(&w, layout))
		pd_visit_rest(&w);
}

void pd_visit_attr(struct pd_view bytes, const uint8_t *base, const struct pd_visitor *visitor)
{
	struct pd_visit w = visit_init(bytes, base, NULL, visitor);
	enum { FLAGS_AT = 40 };
	struct pd_attr attr;
	size_t n_fields;
	const struct pd_attr_field *fields = pd_attr_fields(&n_fields);
	size_t size = pd_attr_decode(&bytes, &attr);

	if (!size) {
		pd_visit_damage(&w, bytes.data, "attr", "invalid attr size");
		return;
	}
	for (size_t i = 0; i < n_fields; i++) {
		const struct pd_attr_field *field = &fields[i];

		if (field->wire_offset + field->wire_size > size)
			break;
		w.c.pos = bytes.data + field->wire_offset + field->wire_size;
		pd_visit_value(&w, bytes.data + field->wire_offset,
			(struct pd_value){
				.name = field->name,
				.type = field->names ? PD_VALUE_MASK : PD_VALUE_UINT,
				.format = field->format,
				.number = pd_attr_field_get(field, &attr),
				.names = field->names ? field->names->names : NULL,
				.n_names = field->names ? field->names->n : 0,
			});
		/* precise_ip is a number of two bits, which a list of flags cannot show. */
		if (field->wire_offset == FLAGS_AT)
			pd_visit_value(&w, bytes.data + FLAGS_AT,
				(struct pd_value){
					.name = "precise_ip",
					.type = PD_VALUE_UINT,
					.format = PD_FMT_PRECISION,
					.number = attr.flags >> PD_ATTR_precise_ip & 3,
				});
	}
	/* The attr of a later kernel has fields that are not in the table: visit them as bytes. */
	w.c.pos = bytes.data + (size < PD_ATTR_KNOWN_BYTES ? size : PD_ATTR_KNOWN_BYTES);
	pd_visit_rest(&w);
}

void pd_visit_number(const struct pd_visit *w, const uint8_t *from, const char *name,
	enum pd_field_format format, uint64_t number)
{
	pd_visit_value(w, from,
		(struct pd_value){
			.name = name,
			.type = PD_VALUE_UINT,
			.format = format,
			.number = number,
		});
}

void pd_visit_record(const struct pd_record *rec, const struct pd_plan *plan,
	const struct pd_layout_env *env, const struct pd_visitor *visitor)
{
	const struct pd_layout *layout = pd_layout_find(rec->type, rec->misc);
	struct pd_cursor body = pd_record_body(rec);
	struct pd_view bytes = pd_cursor_rest(&body);
	struct pd_visit w = visit_init(bytes, rec->bytes, env, visitor);
	bool has_sid = layout && layout->has_sid && plan && plan->sid_bytes <= bytes.n;

	if (!layout) {
		pd_visit_bytes(&w, "unknown", bytes);
		return;
	}
	if (rec->type == PD_RECORD_SAMPLE && plan) {
		pd_visit_sample(&w, rec, plan);
		return;
	}
	w.c.end -= has_sid ? plan->sid_bytes : 0;
	/* The values of READ depend on the event's read_format, which a layout cannot express. */
	if (rec->type == PD_RECORD_READ && plan && pd_cursor_left(&w.c) >= 8)
		pd_visit_read_record(&w, plan);
	else if (visit_fields(&w, layout))
		pd_visit_rest(&w);
	if (!has_sid)
		return;
	w.c = pd_cursor_init(w.c.end, plan->sid_bytes, rec->swap);
	pd_visit_sample_id(&w, plan);
}
