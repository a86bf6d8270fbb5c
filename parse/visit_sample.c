/* Visiting samples, trailers and counter values. */
#include <stdio.h>

#include "base/arch.h"
#include "parse/visit_private.h"

static void visit_bitfields(const struct pd_visit *w, const uint8_t *from,
	const struct pd_bitfields *fields, uint64_t whole)
{
	static const enum pd_value_type types[] = { PD_VALUE_UINT, PD_VALUE_MASK, PD_VALUE_ENUM };

	for (size_t i = 0; i < fields->n; i++) {
		const struct pd_bitfield *field = &fields->fields[i];

		pd_visit_value(w, from,
			(struct pd_value){
				.name = field->name,
				.type = types[field->type],
				.number = pd_bitfield_get(field, whole),
				.names = field->names,
				.n_names = field->n_names,
			});
	}
}

static void visit_integer(const struct pd_visit *w, const struct pd_sample_field *field,
	const uint8_t *from, uint64_t v)
{
	if (!field->bitfields) {
		pd_visit_number(w, from, field->member, field->format, v);
		return;
	}
	pd_visit_enter(w, field->member, false);
	pd_visit_number(w, from, "val", PD_FMT_HEX, v);
	visit_bitfields(w, from, field->bitfields, v);
	pd_visit_leave(w);
}

/* Visit "pid" and "tid", or "cpu" and "res": two values of four bytes. */
static void visit_pair(struct pd_visit *w, const struct pd_sample_field *field, const uint8_t *from,
	const uint32_t *pair)
{
	const uint8_t *end = w->c.pos;
	bool is_task = field->bit == PD_SAMPLE_TID;

	w->c.pos = from + 4;
	pd_visit_number(w, from, is_task ? "pid" : "cpu", PD_FMT_SIGNED, pair[0]);
	w->c.pos = end;
	pd_visit_number(w, from + 4, is_task ? "tid" : "res", is_task ? PD_FMT_SIGNED : PD_FMT_HEX,
		pair[1]);
}

static void visit_word(struct pd_visit *w, const char *name, enum pd_field_format format)
{
	const uint8_t *from = w->c.pos;
	uint64_t v = pd_cursor_u64(&w->c);

	pd_visit_number(w, from, name, format, v);
}

static void visit_counter(struct pd_visit *w, uint64_t read_format)
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
static void visit_counters(struct pd_visit *w, uint64_t read_format)
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
	pd_visit_enter(w, "values", true);
	while (pd_cursor_left(&w->c)) {
		pd_visit_enter(w, NULL, false);
		visit_counter(w, read_format);
		pd_visit_leave(w);
	}
	pd_visit_leave(w);
}

static void visit_read(
	struct pd_visit *w, const char *name, const struct pd_view *values, uint64_t read_format)
{
	struct pd_visit inner = *w;

	inner.c = pd_view_cursor(values);
	pd_visit_enter(w, name, false);
	visit_counters(&inner, read_format);
	pd_visit_leave(w);
}

static void visit_words(const struct pd_visit *w, const char *name, enum pd_field_format format,
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

static void visit_branches(
	struct pd_visit *w, const uint8_t *from, const struct pd_branches *branches)
{
	const uint8_t *end = w->c.pos;

	pd_visit_enter(w, "branch_stack", false);
	/*
	 * pd_visit_value() takes all bytes up to the cursor for the value, so move the cursor over
	 * one part at a time.
	 */
	w->c.pos = from + 8;
	pd_visit_number(w, from, "nr", PD_FMT_DEC, branches->entries.n);
	w->c.pos = from + 16;
	if (!branches->lacks_hw_idx)
		pd_visit_number(w, from + 8, "hw_idx", PD_FMT_HEX, branches->hw_idx);
	pd_visit_enter(w, "entries", true);
	for (uint64_t i = 0; i < branches->entries.n; i++) {
		const uint8_t *at = branches->entries.data + i * branches->entries.elem_size;
		struct pd_branch branch = pd_branch_get(branches, i);

		pd_visit_enter(w, NULL, false);
		w->c.pos = at + 8;
		pd_visit_number(w, at, "from", PD_FMT_HEX, branch.from);
		w->c.pos = at + 16;
		pd_visit_number(w, at + 8, "to", PD_FMT_HEX, branch.to);
		w->c.pos = at + 24;
		visit_bitfields(w, at + 16, &pd_bitfields_branch_flags, branch.flags);
		pd_visit_leave(w);
	}
	pd_visit_leave(w);
	if (branches->counters.n)
		visit_words(w, "counters", PD_FMT_HEX, &branches->counters);
	pd_visit_leave(w);
	w->c.pos = end;
}

/* Visit register values, with their names if the architecture is known, otherwise by bit number. */
static void visit_reg_values(struct pd_visit *w, const struct pd_regs *regs)
{
	const struct pd_arch *arch = pd_arch_of_abi(w->env.arch, regs->abi);
	const uint8_t *at = regs->values.data;
	char number[16];

	pd_visit_enter(w, "regs", false);
	for (unsigned bit = 0; bit < 64; bit++) {
		const char *name = pd_arch_reg_name(arch, bit);

		if (!(regs->mask >> bit & 1))
			continue;
		snprintf(number, sizeof(number), "reg%u", bit);
		w->c.pos = at + 8;
		pd_visit_number(w, at, name ? name : number, PD_FMT_HEX,
			pd_load_u64(at, regs->values.swap));
		at += 8;
	}
	pd_visit_leave(w);
}

static void visit_regs(
	struct pd_visit *w, const char *name, const uint8_t *from, const struct pd_regs *regs)
{
	const uint8_t *end = w->c.pos;

	pd_visit_enter(w, name, false);
	w->c.pos = from + 8;
	pd_visit_number(w, from, "abi", PD_FMT_REGS_ABI, regs->abi);
	if (regs->values.n)
		visit_reg_values(w, regs);
	pd_visit_leave(w);
	w->c.pos = end;
}

static void visit_stack(struct pd_visit *w, const uint8_t *from, const struct pd_stack *stack)
{
	const uint8_t *end = w->c.pos;
	struct pd_view all = { .data = stack->bytes.data, .elem_size = 1, .n = stack->reserved };

	pd_visit_enter(w, "stack_user", false);
	w->c.pos = from + 8;
	pd_visit_number(w, from, "size", PD_FMT_DEC, stack->reserved);
	if (stack->reserved) {
		pd_visit_bytes(w, "data", all);
		w->c.pos = end;
		pd_visit_number(w, end - 8, "dyn_size", PD_FMT_DEC, stack->dyn_size);
	}
	pd_visit_leave(w);
	w->c.pos = end;
}

static void visit_step(struct pd_visit *w, const struct pd_plan *plan,
	const struct pd_plan_step *step, const void *at, const uint8_t *from)
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
		pd_visit_bytes(w, field->member, *(const struct pd_view *)at);
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
void pd_visit_sample(struct pd_visit *w, const struct pd_record *rec, const struct pd_plan *plan)
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
			pd_visit_damage(w, from, pd_plan_field(step)->name, "ends in this field");
			return;
		}
		visit_step(w, plan, step, (const char *)&sample + step->offset, from);
	}
	if (result == PD_SAMPLE_LEFTOVER)
		w->visitor->damage(w->visitor->ctx, NULL, "longer than its event's attr says");
	pd_visit_rest(w);
}

void pd_visit_sample_id(struct pd_visit *w, const struct pd_plan *plan)
{
	if (!plan->n_sid_steps)
		return;
	pd_visit_enter(w, "sample_id", false);
	for (size_t i = 0; i < plan->n_sid_steps; i++) {
		const struct pd_plan_step *step = &plan->sid_steps[i];
		const uint8_t *from = w->c.pos;
		union pd_any_struct member;

		pd_plan_follow(plan, step, &w->c, &member);
		visit_step(w, plan, step, &member, from);
	}
	pd_visit_leave(w);
}

/* Visit a READ record: process and thread, then the counter values of the event. */
void pd_visit_read_record(struct pd_visit *w, const struct pd_plan *plan)
{
	const uint8_t *from = w->c.pos;
	struct pd_view values;

	pd_visit_number(
		(w->c.pos += 4, w), from, "pid", PD_FMT_SIGNED, pd_load_u32(from, w->c.swap));
	pd_visit_number((w->c.pos += 4, w), from + 4, "tid", PD_FMT_SIGNED,
		pd_load_u32(from + 4, w->c.swap));
	struct pd_cursor c = w->c;
	values = pd_read_take(&c, plan->read_format);
	if (c.overrun) {
		pd_visit_damage(w, w->c.pos, "values", "ends in this field");
		return;
	}
	visit_read(w, "values", &values, plan->read_format);
	w->c.pos = c.pos;
	pd_visit_rest(w);
}
