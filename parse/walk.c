#include <pdconv/walk.h>

#include <stdio.h>

#include "base/arch.h"
#include "parse/layout_private.h"

/* The bytes that are walked, and who looks. */
struct walk {
	struct pd_cursor c;
	const uint8_t *base;
	struct pd_layout_env env;
	const struct pd_visitor *visitor;
};

static void enter(const struct walk *w, const char *name, bool is_list)
{
	w->visitor->enter(w->visitor->ctx, name, is_list);
}

static void leave(const struct walk *w)
{
	w->visitor->leave(w->visitor->ctx);
}

/* A value from @p from to the cursor. */
static void tell(const struct walk *w, const uint8_t *from, struct pd_value value)
{
	value.at = (uint64_t)(from - w->base);
	value.size = (uint64_t)(w->c.pos - from);
	value.swap = w->c.swap;
	w->visitor->value(w->visitor->ctx, &value);
}

static void tell_bytes(const struct walk *w, const char *name, struct pd_view bytes)
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
	while (n && !*bytes)
		bytes++, n--;
	return !n;
}

/* What no field accounts for; zeros are padding. */
static void tell_rest(struct walk *w)
{
	struct pd_view rest = { .data = w->c.pos, .elem_size = 1, .n = pd_cursor_left(&w->c) };

	if (!is_zero(rest.data, rest.n))
		tell_bytes(w, "rest", rest);
	w->c.pos = w->c.end;
}

static void tell_damage(struct walk *w, const uint8_t *from, const char *name, const char *message)
{
	w->visitor->damage(w->visitor->ctx, name, message);
	w->c.pos = from;
	w->c.overrun = false;
	tell_rest(w);
}

static bool walk_fields(struct walk *w, const struct pd_layout *layout);

static void walk_elems(struct walk *w, const struct pd_field *field, const struct pd_list *list)
{
	struct walk inner = *w;

	inner.c = pd_cursor_init(list->data, list->size, w->c.swap);
	enter(w, field->name, true);
	for (uint64_t i = 0; i < list->n; i++) {
		enter(w, NULL, false);
		bool ok = walk_fields(&inner, field->elem);
		leave(w);
		if (!ok)
			break;
	}
	leave(w);
}

/* Bytes that another layout describes, or nobody knows which. */
static void walk_as(
	struct walk *w, const struct pd_field *field, const void *body, const struct pd_view *bytes)
{
	const struct pd_layout *layout =
		field->select ? field->select(body, *bytes, w->c.swap) : NULL;
	struct walk inner = *w;

	if (!layout) {
		tell_bytes(w, field->name, *bytes);
		return;
	}
	inner.c = pd_cursor_init(bytes->data, bytes->n, w->c.swap);
	enter(w, field->name, false);
	if (walk_fields(&inner, layout))
		tell_rest(&inner);
	leave(w);
}

static void walk_nested_attr(
	const struct walk *w, const struct pd_field *field, const struct pd_view *bytes)
{
	enter(w, field->name, false);
	pd_walk_attr(*bytes, w->base, w->c.swap, w->visitor);
	leave(w);
}

/* The field is decoded, in body: tell what it holds. */
static void tell_field(
	struct walk *w, const struct pd_field *field, const void *body, const uint8_t *from)
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
		tell(w, from, value);
		break;
	case PD_KIND_str:
	case PD_KIND_text:
	case PD_KIND_chars:
	case PD_KIND_sized_text:
		value.type = PD_VALUE_TEXT;
		value.text = *(const struct pd_str *)at;
		tell(w, from, value);
		break;
	case PD_KIND_raw:
		value.type = PD_VALUE_BYTES;
		value.view = (struct pd_view){ *(const uint8_t *const *)at, 1, field->size };
		tell(w, from, value);
		break;
	case PD_KIND_build_id:
		value.type = PD_VALUE_BYTES;
		value.view = (struct pd_view){ id->bytes, 1, id->len };
		tell(w, from, value);
		break;
	case PD_KIND_array:
	case PD_KIND_bitmap:
	case PD_KIND_all_array:
		value.type = PD_VALUE_UINTS;
		value.view = *(const struct pd_view *)at;
		tell(w, from, value);
		break;
	case PD_KIND_bytes:
	case PD_KIND_sized:
		walk_as(w, field, body, at);
		break;
	case PD_KIND_list:
	case PD_KIND_all:
	case PD_KIND_cpus:
		walk_elems(w, field, at);
		break;
	case PD_KIND_attr:
		walk_nested_attr(w, field, at);
		break;
	}
}

/* False: it does not decode, which is told. */
static bool walk_fields(struct walk *w, const struct pd_layout *layout)
{
	union pd_any_struct body = { 0 };

	for (size_t i = 0; i < layout->n_fields; i++) {
		const struct pd_field *field = &layout->fields[i];
		const uint8_t *from = w->c.pos;

		pd_field_decode(field, &w->c, &w->env, &body);
		if (w->c.overrun) {
			tell_damage(w, from, field->name, pd_field_overrun_text(field));
			return false;
		}
		tell_field(w, field, &body, from);
	}
	return true;
}

static struct walk walk_init(struct pd_view bytes, const uint8_t *base, bool swap,
	const struct pd_layout_env *env, const struct pd_visitor *visitor)
{
	return (struct walk){
		.c = pd_cursor_init(bytes.data, bytes.n, swap),
		.base = base,
		.env = env ? *env : (struct pd_layout_env){ 0 },
		.visitor = visitor,
	};
}

void pd_walk_layout(const struct pd_layout *layout, struct pd_view bytes, const uint8_t *base,
	bool swap, const struct pd_layout_env *env, const struct pd_visitor *visitor)
{
	struct walk w = walk_init(bytes, base, swap, env, visitor);

	if (walk_fields(&w, layout))
		tell_rest(&w);
}

void pd_walk_attr(
	struct pd_view bytes, const uint8_t *base, bool swap, const struct pd_visitor *visitor)
{
	struct walk w = walk_init(bytes, base, swap, NULL, visitor);
	enum { FLAGS_AT = 40 };
	struct pd_attr attr;
	size_t n_fields;
	const struct pd_attr_field *fields = pd_attr_fields(&n_fields);
	size_t size = pd_attr_decode(bytes.data, bytes.n, swap, &attr);

	if (!size) {
		tell_damage(&w, bytes.data, "attr", "its size makes no sense");
		return;
	}
	for (size_t i = 0; i < n_fields; i++) {
		const struct pd_attr_field *field = &fields[i];

		if (field->wire_offset + field->wire_size > size)
			break;
		w.c.pos = bytes.data + field->wire_offset + field->wire_size;
		tell(&w, bytes.data + field->wire_offset,
			(struct pd_value){
				.name = field->name,
				.type = field->names ? PD_VALUE_MASK : PD_VALUE_UINT,
				.format = field->format,
				.number = pd_attr_field_get(field, &attr),
				.names = field->names ? field->names->names : NULL,
				.n_names = field->names ? field->names->n : 0,
			});
		if (field->wire_offset == FLAGS_AT)
			tell(&w, bytes.data + FLAGS_AT,
				(struct pd_value){
					.name = "precise_ip",
					.type = PD_VALUE_UINT,
					.number = attr.flags >> PD_ATTR_precise_ip & 3,
				});
	}
	w.c.pos = bytes.data + (size < PD_ATTR_KNOWN_BYTES ? size : PD_ATTR_KNOWN_BYTES);
	tell_rest(&w);
}

static void tell_number(const struct walk *w, const uint8_t *from, const char *name,
	enum pd_field_format format, uint64_t number)
{
	tell(w, from,
		(struct pd_value){
			.name = name,
			.type = PD_VALUE_UINT,
			.format = format,
			.number = number,
		});
}

static void tell_parts(
	const struct walk *w, const uint8_t *from, const struct pd_parts *parts, uint64_t whole)
{
	static const enum pd_value_type types[] = { PD_VALUE_UINT, PD_VALUE_MASK, PD_VALUE_ENUM };

	for (size_t i = 0; i < parts->n; i++) {
		const struct pd_int_part *part = &parts->parts[i];

		tell(w, from,
			(struct pd_value){
				.name = part->name,
				.type = types[part->type],
				.number = pd_part_get(part, whole),
				.names = part->names,
				.n_names = part->n_names,
			});
	}
}

static void tell_integer(
	const struct walk *w, const struct pd_sample_field *field, const uint8_t *from, uint64_t v)
{
	if (!field->parts) {
		tell_number(w, from, field->member, field->format, v);
		return;
	}
	enter(w, field->member, false);
	tell_number(w, from, "val", PD_FMT_HEX, v);
	tell_parts(w, from, field->parts, v);
	leave(w);
}

/* "pid" and "tid", or "cpu" and "res": two values of four bytes. */
static void tell_pair(struct walk *w, const struct pd_sample_field *field, const uint8_t *from,
	const uint32_t *pair)
{
	const uint8_t *end = w->c.pos;
	bool is_task = field->bit == PD_SAMPLE_TID;

	w->c.pos = from + 4;
	tell_number(w, from, is_task ? "pid" : "cpu", PD_FMT_SIGNED, pair[0]);
	w->c.pos = end;
	tell_number(w, from + 4, is_task ? "tid" : "res", is_task ? PD_FMT_SIGNED : PD_FMT_HEX,
		pair[1]);
}

static void walk_word(struct walk *w, const char *name, enum pd_field_format format)
{
	const uint8_t *from = w->c.pos;
	uint64_t v = pd_cursor_u64(&w->c);

	tell_number(w, from, name, format, v);
}

static void walk_counter(struct walk *w, uint64_t read_format)
{
	walk_word(w, "value", PD_FMT_DEC);
	if (!(read_format & PD_READ_GROUP)) {
		if (read_format & PD_READ_TIME_ENABLED)
			walk_word(w, "time_enabled", PD_FMT_TIME);
		if (read_format & PD_READ_TIME_RUNNING)
			walk_word(w, "time_running", PD_FMT_TIME);
	}
	if (read_format & PD_READ_ID)
		walk_word(w, "id", PD_FMT_HEX);
	if (read_format & PD_READ_LOST)
		walk_word(w, "lost", PD_FMT_DEC);
}

/* Counter values, whose length has been checked. */
static void walk_counters(struct walk *w, uint64_t read_format)
{
	if (!(read_format & PD_READ_GROUP)) {
		walk_counter(w, read_format);
		return;
	}
	walk_word(w, "nr", PD_FMT_DEC);
	if (read_format & PD_READ_TIME_ENABLED)
		walk_word(w, "time_enabled", PD_FMT_TIME);
	if (read_format & PD_READ_TIME_RUNNING)
		walk_word(w, "time_running", PD_FMT_TIME);
	enter(w, "values", true);
	while (pd_cursor_left(&w->c)) {
		enter(w, NULL, false);
		walk_counter(w, read_format);
		leave(w);
	}
	leave(w);
}

static void walk_read(
	struct walk *w, const char *name, const struct pd_view *values, uint64_t read_format)
{
	struct walk inner = *w;

	inner.c = pd_cursor_init(values->data, values->n, w->c.swap);
	enter(w, name, false);
	walk_counters(&inner, read_format);
	leave(w);
}

static void tell_words(const struct walk *w, const char *name, enum pd_field_format format,
	const struct pd_view *words)
{
	struct pd_value value = {
		.name = name,
		.type = PD_VALUE_UINTS,
		.format = format,
		.at = words->data ? (uint64_t)(words->data - w->base) : 0,
		.size = words->n * words->elem_size,
		.view = *words,
		.swap = w->c.swap,
	};

	w->visitor->value(w->visitor->ctx, &value);
}

static void tell_branches(struct walk *w, const uint8_t *from, const struct pd_branches *branches)
{
	const uint8_t *end = w->c.pos;

	enter(w, "branch_stack", false);
	w->c.pos = from + 8;
	tell_number(w, from, "nr", PD_FMT_DEC, branches->entries.n);
	w->c.pos = from + 16;
	if (!branches->lacks_hw_idx)
		tell_number(w, from + 8, "hw_idx", PD_FMT_HEX, branches->hw_idx);
	enter(w, "entries", true);
	for (uint64_t i = 0; i < branches->entries.n; i++) {
		const uint8_t *at = branches->entries.data + i * branches->entries.elem_size;
		struct pd_branch branch = pd_branch_get(branches, i, w->c.swap);

		enter(w, NULL, false);
		w->c.pos = at + 8;
		tell_number(w, at, "from", PD_FMT_HEX, branch.from);
		w->c.pos = at + 16;
		tell_number(w, at + 8, "to", PD_FMT_HEX, branch.to);
		w->c.pos = at + 24;
		tell_parts(w, at + 16, &pd_parts_branch_flags, branch.flags);
		leave(w);
	}
	leave(w);
	if (branches->counters.n)
		tell_words(w, "counters", PD_FMT_HEX, &branches->counters);
	leave(w);
	w->c.pos = end;
}

/* By name where the recording says which machine it is of, by bit of the mask otherwise. */
static void tell_reg_values(struct walk *w, const struct pd_regs *regs)
{
	const uint8_t *at = regs->values.data;
	char number[16];

	enter(w, "regs", false);
	for (unsigned bit = 0; bit < 64; bit++) {
		const char *name = pd_arch_reg_name(w->env.arch, bit);

		if (!(regs->mask >> bit & 1))
			continue;
		snprintf(number, sizeof(number), "reg%u", bit);
		w->c.pos = at + 8;
		tell_number(w, at, name ? name : number, PD_FMT_HEX, pd_load_u64(at, w->c.swap));
		at += 8;
	}
	leave(w);
}

static void tell_regs(
	struct walk *w, const char *name, const uint8_t *from, const struct pd_regs *regs)
{
	const uint8_t *end = w->c.pos;

	enter(w, name, false);
	w->c.pos = from + 8;
	tell_number(w, from, "abi", PD_FMT_DEC, regs->abi);
	if (regs->values.n)
		tell_reg_values(w, regs);
	leave(w);
	w->c.pos = end;
}

static void tell_stack(struct walk *w, const uint8_t *from, const struct pd_stack *stack)
{
	const uint8_t *end = w->c.pos;
	struct pd_view all = { .data = stack->bytes.data, .elem_size = 1, .n = stack->reserved };

	enter(w, "stack_user", false);
	w->c.pos = from + 8;
	tell_number(w, from, "size", PD_FMT_DEC, stack->reserved);
	if (stack->reserved) {
		tell_bytes(w, "data", all);
		w->c.pos = end;
		tell_number(w, end - 8, "dyn_size", PD_FMT_DEC, stack->dyn_size);
	}
	leave(w);
	w->c.pos = end;
}

static void tell_step(struct walk *w, const struct pd_plan *plan, const struct pd_plan_step *step,
	const void *at, const uint8_t *from)
{
	const struct pd_sample_field *field = pd_plan_field(step);

	switch ((enum pd_sample_kind)step->kind) {
	case PD_SAMPLE_KIND_U64:
		tell_integer(w, field, from, *(const uint64_t *)at);
		break;
	case PD_SAMPLE_KIND_U32_PAIR:
		tell_pair(w, field, from, at);
		break;
	case PD_SAMPLE_KIND_READ:
		walk_read(w, field->member, at, plan->read_format);
		break;
	case PD_SAMPLE_KIND_CALLCHAIN:
		tell_words(w, field->member, PD_FMT_HEX, at);
		break;
	case PD_SAMPLE_KIND_RAW:
	case PD_SAMPLE_KIND_AUX:
		tell_bytes(w, field->member, *(const struct pd_view *)at);
		break;
	case PD_SAMPLE_KIND_BRANCH_STACK:
		tell_branches(w, from, at);
		break;
	case PD_SAMPLE_KIND_REGS_USER:
	case PD_SAMPLE_KIND_REGS_INTR:
		tell_regs(w, field->member, from, at);
		break;
	case PD_SAMPLE_KIND_STACK_USER:
		tell_stack(w, from, at);
		break;
	}
}

/*
 * How a sample's branch stack is laid out shows in the decoding of the whole only: so that is done
 * first, and its values are told while a cursor follows.
 */
static void walk_sample(struct walk *w, const struct pd_record *rec, const struct pd_plan *plan)
{
	struct pd_sample sample;
	const char *cut_field = NULL;
	enum pd_sample_result result = pd_sample_decode(plan, rec, w->c.swap, &sample, &cut_field);

	for (size_t i = 0; i < plan->n_steps; i++) {
		const struct pd_plan_step *step = &plan->steps[i];
		const uint8_t *from = w->c.pos;

		pd_sample_skip(plan, step, &sample, &w->c);
		if (w->c.overrun) {
			tell_damage(w, from, pd_plan_field(step)->name, "ends in this field");
			return;
		}
		tell_step(w, plan, step, (const char *)&sample + step->offset, from);
	}
	if (result == PD_SAMPLE_LEFTOVER)
		w->visitor->damage(w->visitor->ctx, NULL, "holds more than its event says");
	tell_rest(w);
}

static void walk_sample_id(struct walk *w, const struct pd_plan *plan)
{
	if (!plan->n_sid_steps)
		return;
	enter(w, "sample_id", false);
	for (size_t i = 0; i < plan->n_sid_steps; i++) {
		const struct pd_plan_step *step = &plan->sid_steps[i];
		const uint8_t *from = w->c.pos;
		union pd_any_struct member;

		pd_plan_follow(plan, step, &w->c, &member);
		tell_step(w, plan, step, &member, from);
	}
	leave(w);
}

/* Counters of the event itself, in a READ, after the process and thread. */
static void walk_read_record(struct walk *w, const struct pd_plan *plan)
{
	const uint8_t *from = w->c.pos;
	struct pd_view values;

	tell_number((w->c.pos += 4, w), from, "pid", PD_FMT_SIGNED, pd_load_u32(from, w->c.swap));
	tell_number((w->c.pos += 4, w), from + 4, "tid", PD_FMT_SIGNED,
		pd_load_u32(from + 4, w->c.swap));
	struct pd_cursor c = w->c;
	values = pd_read_take(&c, plan->read_format);
	if (c.overrun) {
		tell_damage(w, w->c.pos, "values", "ends in this field");
		return;
	}
	walk_read(w, "values", &values, plan->read_format);
	w->c.pos = c.pos;
	tell_rest(w);
}

void pd_walk_record(const struct pd_record *rec, const struct pd_plan *plan, bool swap,
	const struct pd_layout_env *env, const struct pd_visitor *visitor)
{
	const struct pd_layout *layout = pd_layout_find(rec->type, rec->misc);
	struct pd_view bytes = {
		.data = rec->bytes + PD_RECORD_HEADER_BYTES,
		.elem_size = 1,
		.n = rec->size - PD_RECORD_HEADER_BYTES,
	};
	struct walk w = walk_init(bytes, rec->bytes, swap, env, visitor);
	bool has_sid = layout && layout->has_sid && plan && plan->sid_bytes <= bytes.n;

	if (!layout) {
		tell_bytes(&w, "unknown", bytes);
		return;
	}
	if (rec->type == PD_RECORD_SAMPLE && plan) {
		walk_sample(&w, rec, plan);
		return;
	}
	w.c.end -= has_sid ? plan->sid_bytes : 0;
	if (rec->type == PD_RECORD_READ && plan && pd_cursor_left(&w.c) >= 8)
		walk_read_record(&w, plan);
	else if (walk_fields(&w, layout))
		tell_rest(&w);
	if (!has_sid)
		return;
	w.c = pd_cursor_init(w.c.end, plan->sid_bytes, swap);
	walk_sample_id(&w, plan);
}
