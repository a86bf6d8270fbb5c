#include <pdconv/visitor.h>

#include <stdio.h>

#include "base/analyzer.h"
#include "base/arch.h"
#include "parse/layout_tables.h"

/* Bytes that are visited, and the visitor. */
struct visit {
	struct pd_cursor c;
	const uint8_t *base;
	struct pd_layout_env env;
	const struct pd_visitor *visitor;
};

static void enter(const struct visit *w, const char *name, bool is_list)
{
	w->visitor->enter(w->visitor->ctx, name, is_list);
}

static void leave(const struct visit *w)
{
	w->visitor->leave(w->visitor->ctx);
}

/* Visit a value whose bytes are those from @p from to the cursor. */
static void visit_value(const struct visit *w, const uint8_t *from, struct pd_value value)
{
	value.at = (uint64_t)(from - w->base);
	value.size = (uint64_t)(w->c.pos - from);
	parse_value_set_names(&value);
	w->visitor->value(w->visitor->ctx, &value);
}

static void visit_number(const struct visit *w, const uint8_t *from, const char *name,
	enum pd_field_format format, uint64_t number)
{
	visit_value(w, from,
		(struct pd_value){
			.name = name,
			.type = PD_VALUE_UINT,
			.format = format,
			.number = number,
		});
}

static void visit_bytes(const struct visit *w, const char *name, struct pd_view bytes)
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

/* Visit the bytes after the last field as "rest", unless all are zero, which is padding. */
static void visit_rest(struct visit *w)
{
	struct pd_view rest = pd_cursor_rest(&w->c);

	if (!is_zero(rest.data, rest.n))
		visit_bytes(w, "rest", rest);
	w->c.pos = w->c.end;
}

/* Report that the field at @p from cannot be decoded, and visit the bytes from there on. */
static void visit_damage(
	struct visit *w, const uint8_t *from, const char *name, const char *message)
{
	w->visitor->damage(w->visitor->ctx, name, message);
	w->c.pos = from;
	w->c.overrun = false;
	visit_rest(w);
}

static void visit_bitfields(const struct visit *w, const uint8_t *from,
	const struct pd_bitfields *fields, uint64_t whole)
{
	static const enum pd_value_type types[] = { PD_VALUE_UINT, PD_VALUE_MASK, PD_VALUE_ENUM };

	for (size_t i = 0; i < fields->n; i++) {
		const struct pd_bitfield *field = &fields->fields[i];

		visit_value(w, from,
			(struct pd_value){
				.name = field->name,
				.type = types[field->type],
				.number = pd_bitfield_get(field, whole),
				.names = field->names,
				.n_names = field->n_names,
			});
	}
}

static void visit_integer(
	const struct visit *w, const struct pd_sample_field *field, const uint8_t *from, uint64_t v)
{
	if (!field->bitfields) {
		visit_number(w, from, field->member, field->format, v);
		return;
	}
	enter(w, field->member, false);
	visit_number(w, from, "val", PD_FMT_HEX, v);
	visit_bitfields(w, from, field->bitfields, v);
	leave(w);
}

/* Visit "pid" and "tid", or "cpu" and "res": two values of four bytes. */
static void visit_pair(struct visit *w, const struct pd_sample_field *field, const uint8_t *from,
	const uint32_t *pair)
{
	const uint8_t *end = w->c.pos;
	bool is_task = field->bit == PD_SAMPLE_TID;

	w->c.pos = from + 4;
	visit_number(w, from, is_task ? "pid" : "cpu", PD_FMT_SIGNED, pair[0]);
	w->c.pos = end;
	visit_number(w, from + 4, is_task ? "tid" : "res", is_task ? PD_FMT_SIGNED : PD_FMT_HEX,
		pair[1]);
}

static void visit_word(struct visit *w, const char *name, enum pd_field_format format)
{
	const uint8_t *from = w->c.pos;
	uint64_t v = pd_cursor_u64(&w->c);

	visit_number(w, from, name, format, v);
}

static void visit_counter(struct visit *w, uint64_t read_format)
{
	visit_word(w, "value", PD_FMT_DEC);
	if (!(read_format & PD_READ_GROUP)) {
		if (read_format & PD_READ_TIME_ENABLED)
			visit_word(w, "time_enabled", PD_FMT_TIME);
		if (read_format & PD_READ_TIME_RUNNING)
			visit_word(w, "time_running", PD_FMT_TIME);
	}
	if (read_format & PD_READ_ID)
		visit_word(w, "id", PD_FMT_HEX);
	if (read_format & PD_READ_LOST)
		visit_word(w, "lost", PD_FMT_DEC);
}

/* Visit counter values whose length was checked before. */
static void visit_counters(struct visit *w, uint64_t read_format)
{
	if (!(read_format & PD_READ_GROUP)) {
		visit_counter(w, read_format);
		return;
	}
	visit_word(w, "nr", PD_FMT_DEC);
	if (read_format & PD_READ_TIME_ENABLED)
		visit_word(w, "time_enabled", PD_FMT_TIME);
	if (read_format & PD_READ_TIME_RUNNING)
		visit_word(w, "time_running", PD_FMT_TIME);
	enter(w, "values", true);
	while (pd_cursor_left(&w->c)) {
		enter(w, NULL, false);
		visit_counter(w, read_format);
		leave(w);
	}
	leave(w);
}

static void visit_read(
	struct visit *w, const char *name, const struct pd_view *values, uint64_t read_format)
{
	struct visit inner = *w;

	inner.c = pd_view_cursor(values);
	enter(w, name, false);
	visit_counters(&inner, read_format);
	leave(w);
}

static void visit_words(const struct visit *w, const char *name, enum pd_field_format format,
	const struct pd_view *words)
{
	struct pd_value value = {
		.name = name,
		.type = PD_VALUE_UINTS,
		.format = format,
		.at = words->data ? (uint64_t)(words->data - w->base) : 0,
		.size = words->n * words->elem_size,
		.view = *words,
	};

	w->visitor->value(w->visitor->ctx, &value);
}

static void visit_branches(struct visit *w, const uint8_t *from, const struct pd_branches *branches)
{
	const uint8_t *end = w->c.pos;

	enter(w, "branch_stack", false);
	/*
	 * visit_value() takes all bytes up to the cursor for the value, so move the cursor over
	 * one part at a time.
	 */
	w->c.pos = from + 8;
	visit_number(w, from, "nr", PD_FMT_DEC, branches->entries.n);
	w->c.pos = from + 16;
	if (!branches->lacks_hw_idx)
		visit_number(w, from + 8, "hw_idx", PD_FMT_HEX, branches->hw_idx);
	enter(w, "entries", true);
	for (uint64_t i = 0; i < branches->entries.n; i++) {
		const uint8_t *at = branches->entries.data + i * branches->entries.elem_size;
		struct pd_branch branch = pd_branch_get(branches, i);

		enter(w, NULL, false);
		w->c.pos = at + 8;
		visit_number(w, at, "from", PD_FMT_HEX, branch.from);
		w->c.pos = at + 16;
		visit_number(w, at + 8, "to", PD_FMT_HEX, branch.to);
		w->c.pos = at + 24;
		visit_bitfields(w, at + 16, &pd_bitfields_branch_flags, branch.flags);
		leave(w);
	}
	leave(w);
	if (branches->counters.n)
		visit_words(w, "counters", PD_FMT_HEX, &branches->counters);
	leave(w);
	w->c.pos = end;
}

/* Visit register values, with their names if the architecture is known, otherwise by bit number. */
static void visit_reg_values(struct visit *w, const struct pd_regs *regs)
{
	const struct pd_arch *arch = pd_arch_of_abi(w->env.arch, regs->abi);
	const uint8_t *at = regs->values.data;
	char number[16];

	enter(w, "regs", false);
	for (unsigned bit = 0; bit < 64; bit++) {
		const char *name = pd_arch_reg_name(arch, bit);

		if (!(regs->mask >> bit & 1))
			continue;
		snprintf(number, sizeof(number), "reg%u", bit);
		w->c.pos = at + 8;
		visit_number(w, at, name ? name : number, PD_FMT_HEX,
			pd_load_u64(at, regs->values.swap));
		at += 8;
	}
	leave(w);
}

static void visit_regs(
	struct visit *w, const char *name, const uint8_t *from, const struct pd_regs *regs)
{
	const uint8_t *end = w->c.pos;

	enter(w, name, false);
	w->c.pos = from + 8;
	visit_number(w, from, "abi", PD_FMT_REGS_ABI, regs->abi);
	if (regs->values.n)
		visit_reg_values(w, regs);
	leave(w);
	w->c.pos = end;
}

static void visit_stack(struct visit *w, const uint8_t *from, const struct pd_stack *stack)
{
	const uint8_t *end = w->c.pos;
	struct pd_view all = { .data = stack->bytes.data, .elem_size = 1, .n = stack->reserved };

	enter(w, "stack_user", false);
	w->c.pos = from + 8;
	visit_number(w, from, "size", PD_FMT_DEC, stack->reserved);
	if (stack->reserved) {
		visit_bytes(w, "data", all);
		w->c.pos = end;
		visit_number(w, end - 8, "dyn_size", PD_FMT_DEC, stack->dyn_size);
	}
	leave(w);
	w->c.pos = end;
}

static void visit_step(struct visit *w, const struct pd_plan *plan, const struct pd_plan_step *step,
	const void *at, const uint8_t *from)
{
	const struct pd_sample_field *field = pd_plan_field(step);

	switch ((enum pd_sample_kind)step->kind) {
	case PD_SAMPLE_KIND_U64:
		visit_integer(w, field, from, *(const uint64_t *)at);
		break;
	case PD_SAMPLE_KIND_U32_PAIR:
		visit_pair(w, field, from, at);
		break;
	case PD_SAMPLE_KIND_READ:
		visit_read(w, field->member, at, plan->read_format);
		break;
	case PD_SAMPLE_KIND_CALLCHAIN:
		visit_words(w, field->member, PD_FMT_HEX, at);
		break;
	case PD_SAMPLE_KIND_RAW:
	case PD_SAMPLE_KIND_AUX:
		visit_bytes(w, field->member, *(const struct pd_view *)at);
		break;
	case PD_SAMPLE_KIND_BRANCH_STACK:
		visit_branches(w, from, at);
		break;
	case PD_SAMPLE_KIND_REGS_USER:
	case PD_SAMPLE_KIND_REGS_INTR:
		visit_regs(w, field->member, from, at);
		break;
	case PD_SAMPLE_KIND_STACK_USER:
		visit_stack(w, from, at);
		break;
	}
}

/*
 * Only decoding the whole sample shows the layout of its branch stack. So decode it first, then
 * visit the decoded values while a cursor moves over their bytes.
 */
static void visit_sample(struct visit *w, const struct pd_record *rec, const struct pd_plan *plan)
{
	struct pd_sample sample;
	const char *cut_field = NULL;
	enum pd_sample_result result = pd_sample_decode(plan, rec, &sample, &cut_field);

	for (size_t i = 0; i < plan->n_steps; i++) {
		const struct pd_plan_step *step = &plan->steps[i];
		const uint8_t *from = w->c.pos;

		pd_sample_skip(plan, step, &sample, &w->c);
		/* Decoding stopped here at the latest, so sample does not have this field. */
		if (w->c.overrun) {
			visit_damage(w, from, pd_plan_field(step)->name, "ends in this field");
			return;
		}
		visit_step(w, plan, step, (const char *)&sample + step->offset, from);
	}
	if (result == PD_SAMPLE_LEFTOVER)
		w->visitor->damage(w->visitor->ctx, NULL, "longer than its event's attr says");
	visit_rest(w);
}

static void visit_sample_id(struct visit *w, const struct pd_plan *plan)
{
	if (!plan->n_sid_steps)
		return;
	enter(w, "sample_id", false);
	for (size_t i = 0; i < plan->n_sid_steps; i++) {
		const struct pd_plan_step *step = &plan->sid_steps[i];
		const uint8_t *from = w->c.pos;
		union pd_any_struct member;

		pd_plan_follow(plan, step, &w->c, &member);
		visit_step(w, plan, step, &member, from);
	}
	leave(w);
}

/* Visit a READ record: process and thread, then the counter values of the event. */
static void visit_read_record(struct visit *w, const struct pd_plan *plan)
{
	const uint8_t *from = w->c.pos;
	struct pd_view values;

	visit_number((w->c.pos += 4, w), from, "pid", PD_FMT_SIGNED, pd_load_u32(from, w->c.swap));
	visit_number((w->c.pos += 4, w), from + 4, "tid", PD_FMT_SIGNED,
		pd_load_u32(from + 4, w->c.swap));
	struct pd_cursor c = w->c;
	values = pd_read_take(&c, plan->read_format);
	if (c.overrun) {
		visit_damage(w, w->c.pos, "values", "ends in this field");
		return;
	}
	visit_read(w, "values", &values, plan->read_format);
	w->c.pos = c.pos;
	visit_rest(w);
}

static bool visit_fields(struct visit *w, const struct pd_layout *layout);

static void visit_elems(struct visit *w, const struct pd_field *field, const struct pd_list *list)
{
	struct visit inner = *w;

	inner.c = pd_cursor_init(list->data, list->size, list->swap);
	enter(w, field->name, true);
	for (uint64_t i = 0; i < list->n; i++) {
		enter(w, NULL, false);
		bool ok = visit_fields(&inner, field->elem);
		leave(w);
		if (!ok)
			break;
	}
	leave(w);
}

/* Visit an `as` field: by the layout that is selected for it, or as bytes. */
static void visit_as(struct visit *w, const struct pd_field *field, const void *body,
	const struct pd_view *bytes)
{
	const struct pd_layout *layout = field->select ? field->select(body, *bytes) : NULL;
	struct visit inner = *w;

	if (!layout) {
		visit_bytes(w, field->name, *bytes);
		return;
	}
	inner.c = pd_view_cursor(bytes);
	enter(w, field->name, false);
	if (visit_fields(&inner, layout))
		visit_rest(&inner);
	leave(w);
}

static void visit_nested_attr(
	const struct visit *w, const struct pd_field *field, const struct pd_view *bytes)
{
	enter(w, field->name, false);
	pd_visit_attr(*bytes, w->base, w->visitor);
	leave(w);
}

/* Visit a field that was decoded to body. */
static void visit_field(
	struct visit *w, const struct pd_field *field, const void *body, const uint8_t *from)
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
		visit_value(w, from, value);
		break;
	case PD_KIND_str:
	case PD_KIND_text:
	case PD_KIND_chars:
	case PD_KIND_sized_text:
		value.type = PD_VALUE_TEXT;
		value.text = *(const struct pd_str *)at;
		visit_value(w, from, value);
		break;
	case PD_KIND_raw:
		value.type = PD_VALUE_BYTES;
		value.view = (struct pd_view){
			.data = *(const uint8_t *const *)at, .elem_size = 1, .n = field->size
		};
		visit_value(w, from, value);
		break;
	case PD_KIND_build_id:
		value.type = PD_VALUE_BYTES;
		value.view = (struct pd_view){ .data = id->bytes, .elem_size = 1, .n = id->len };
		visit_value(w, from, value);
		break;
	case PD_KIND_array:
	case PD_KIND_bitmap:
	case PD_KIND_all_array:
		value.type = PD_VALUE_UINTS;
		value.view = *(const struct pd_view *)at;
		visit_value(w, from, value);
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
static bool visit_fields(struct visit *w, const struct pd_layout *layout)
{
	union pd_any_struct body = { 0 };

	for (size_t i = 0; i < layout->n_fields; i++) {
		const struct pd_field *field = &layout->fields[i];
		const uint8_t *from = w->c.pos;

		parse_field_decode(field, &w->c, &w->env, &body);
		if (w->c.overrun) {
			visit_damage(w, from, field->name, parse_field_overrun_text(field));
			return false;
		}
		visit_field(w, field, &body, from);
	}
	return true;
}

static struct visit visit_init(struct pd_view bytes, const uint8_t *base,
	const struct pd_layout_env *env, const struct pd_visitor *visitor)
{
	return (struct visit){
		.c = pd_view_cursor(&bytes),
		.base = base,
		.env = env ? *env : (struct pd_layout_env){ 0 },
		.visitor = visitor,
	};
}

void pd_visit_layout(const struct pd_layout *layout, struct pd_view bytes, const uint8_t *base,
	const struct pd_layout_env *env, const struct pd_visitor *visitor)
{
	struct visit w = visit_init(bytes, base, env, visitor);

	if (visit_fields(&w, layout))
		visit_rest(&w);
}

void pd_visit_attr(struct pd_view bytes, const uint8_t *base, const struct pd_visitor *visitor)
{
	struct visit w = visit_init(bytes, base, NULL, visitor);
	enum { FLAGS_AT = 40 };
	struct pd_attr attr;
	size_t n_fields;
	const struct pd_attr_field *fields = pd_attr_fields(&n_fields);
	size_t size = pd_attr_decode(&bytes, &attr);

	if (!size) {
		visit_damage(&w, bytes.data, "attr", "invalid attr size");
		return;
	}
	for (size_t i = 0; i < n_fields; i++) {
		const struct pd_attr_field *field = &fields[i];

		if (field->wire_offset + field->wire_size > size)
			break;
		w.c.pos = bytes.data + field->wire_offset + field->wire_size;
		visit_value(&w, bytes.data + field->wire_offset,
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
			visit_value(&w, bytes.data + FLAGS_AT,
				(struct pd_value){
					.name = "precise_ip",
					.type = PD_VALUE_UINT,
					.format = PD_FMT_PRECISION,
					.number = attr.flags >> PD_ATTR_precise_ip & 3,
				});
	}
	/* The attr of a later kernel has fields that are not in the table: visit them as bytes. */
	w.c.pos = bytes.data + (size < PD_ATTR_KNOWN_BYTES ? size : PD_ATTR_KNOWN_BYTES);
	visit_rest(&w);
}

void pd_visit_record(const struct pd_record *rec, const struct pd_plan *plan,
	const struct pd_layout_env *env, const struct pd_visitor *visitor)
{
	const struct pd_layout *layout = pd_layout_find(rec->type, rec->misc);
	struct pd_cursor body = pd_record_body(rec);
	struct pd_view bytes = pd_cursor_rest(&body);
	struct visit w = visit_init(bytes, rec->bytes, env, visitor);
	bool has_sid = layout && layout->has_sid && plan && plan->sid_bytes <= bytes.n;

	if (!layout) {
		visit_bytes(&w, "unknown", bytes);
		return;
	}
	if (rec->type == PD_RECORD_SAMPLE && plan) {
		visit_sample(&w, rec, plan);
		return;
	}
	w.c.end -= has_sid ? plan->sid_bytes : 0;
	/* The values of READ depend on the event's read_format, which a layout cannot express. */
	if (rec->type == PD_RECORD_READ && plan && pd_cursor_left(&w.c) >= 8)
		visit_read_record(&w, plan);
	else if (visit_fields(&w, layout))
		visit_rest(&w);
	if (!has_sid)
		return;
	w.c = pd_cursor_init(w.c.end, plan->sid_bytes, rec->swap);
	visit_sample_id(&w, plan);
}
