#include <pdconv/sample.h>

#include <pdconv/cursor.h>

#include "base/array.h"
#include "parse/attr_store.h"

/*
 * The macro needs an offset for every row, but only trailer fields have a member in struct pd_sid.
 */
#define SID_OFFSET_true(member) offsetof(struct pd_sid, member)
#define SID_OFFSET_false(member) 0
#define SAMPLE_BITFIELDS_none NULL
#define SAMPLE_BITFIELDS_data_src &pd_bitfields_data_src
#define SAMPLE_BITFIELDS_transaction &pd_bitfields_transaction
#define SAMPLE_BITFIELDS_weight_struct &pd_bitfields_weight_struct
#define SAMPLE_FIELD(bit_, name_, kind_, member_, format_, bitfields_, in_sid_, meaning_) \
	{ .name = #name_, \
		.member = #member_, \
		.bit = bit_, \
		.kind = PD_SAMPLE_KIND_##kind_, \
		.format = PD_FMT_##format_, \
		.bitfields = SAMPLE_BITFIELDS_##bitfields_, \
		.offset = offsetof(struct pd_sample, member_), \
		.in_sid = in_sid_, \
		.sid_offset = SID_OFFSET_##in_sid_(member_), \
		.meaning = meaning_ },
static const struct pd_sample_field sample_fields[] = { PD_SAMPLE_FIELDS(SAMPLE_FIELD) };

enum { N_FIELDS = PD_ARRAY_LEN(sample_fields) };

static bool has_bit(uint64_t bits, unsigned bit)
{
	return bits >> bit & 1;
}

/*
 * Position of a field before READ in samples. It is fixed because fields up to PERIOD have 8 bytes
 * each.
 */
static uint16_t fixed_position(uint64_t sample_type, enum pd_sample_bit wanted)
{
	uint16_t at = PD_RECORD_HEADER_BYTES;

	if (!has_bit(sample_type, wanted))
		return PD_PLAN_ABSENT;
	for (size_t i = 0; sample_fields[i].bit != wanted; i++) {
		if (has_bit(sample_type, sample_fields[i].bit))
			at += 8;
	}
	return at;
}

static void add_sid_step(struct pd_plan *plan, const struct pd_sample_field *field)
{
	plan->sid_steps[plan->n_sid_steps++] = (struct pd_plan_step){ .kind = field->kind,
		.field = (uint8_t)(field - sample_fields),
		.offset = field->sid_offset };
}

/* Compile the trailer: its fields in sample order, except that IDENTIFIER is last. */
static void compile_sid(uint64_t sample_type, struct pd_plan *plan)
{
	const struct pd_sample_field *identifier = &sample_fields[0];

	for (size_t i = 1; i < N_FIELDS; i++) {
		if (sample_fields[i].in_sid && has_bit(sample_type, sample_fields[i].bit))
			add_sid_step(plan, &sample_fields[i]);
	}
	if (has_bit(sample_type, identifier->bit))
		add_sid_step(plan, identifier);
	plan->sid_bytes = plan->n_sid_steps * 8;

	/*
	 * Time and id are read without decoding the body, whose length varies, so they are located
	 * from the end of the record. If the trailer has both ID and IDENTIFIER, the latter is
	 * used.
	 */
	for (size_t i = 0; i < plan->n_sid_steps; i++) {
		uint16_t from_end = (uint16_t)(plan->sid_bytes - i * 8);

		if (plan->sid_steps[i].offset == offsetof(struct pd_sid, time))
			plan->sid_time_from_end = from_end;
		if (plan->sid_steps[i].offset == offsetof(struct pd_sid, id))
			plan->sid_id_from_end = from_end;
	}
}

void pd_plan_compile(const struct pd_attr *attr, struct pd_plan *ret)
{
	uint64_t known = 0;
	/* WEIGHT and WEIGHT_STRUCT are two views of one field, so only one of them is decoded. */
	uint64_t type = attr->sample_type;

	if (has_bit(type, PD_SAMPLE_WEIGHT_STRUCT))
		type &= ~((uint64_t)1 << PD_SAMPLE_WEIGHT);
	*ret = (struct pd_plan){
		.fixed_period = parse_attr_fixed_period(attr),
		.read_format = attr->read_format,
		.regs_user_mask = attr->sample_regs_user,
		.regs_intr_mask = attr->sample_regs_intr,
		.branch_sample_type = attr->branch_sample_type,
		.sid_time_from_end = PD_PLAN_ABSENT,
		.sid_id_from_end = PD_PLAN_ABSENT,
		.sample_time_at = fixed_position(type, PD_SAMPLE_TIME),
	};
	if (!ret->fixed_period)
		ret->fixed_period = 1;
	ret->sample_id_at = fixed_position(type, PD_SAMPLE_IDENTIFIER);
	if (ret->sample_id_at == PD_PLAN_ABSENT)
		ret->sample_id_at = fixed_position(type, PD_SAMPLE_ID);

	for (size_t i = 0; i < N_FIELDS; i++) {
		const struct pd_sample_field *field = &sample_fields[i];

		known |= (uint64_t)1 << field->bit;
		if (has_bit(type, field->bit))
			ret->steps[ret->n_steps++] = (struct pd_plan_step){
				.kind = field->kind,
				.field = (uint8_t)i,
				.offset = field->offset,
			};
	}
	ret->has_branch_stack = has_bit(type, PD_SAMPLE_BRANCH_STACK);
	ret->has_opaque_tail = type & ~known;
	if (pd_attr_has(attr, PD_ATTR_sample_id_all))
		compile_sid(type, ret);
}

struct pd_view pd_read_take(struct pd_cursor *c, uint64_t read_format)
{
	uint32_t n_times =
		!!(read_format & PD_READ_TIME_ENABLED) + !!(read_format & PD_READ_TIME_RUNNING);
	uint32_t value_words = 1 + !!(read_format & PD_READ_ID) + !!(read_format & PD_READ_LOST);
	const uint8_t *start = c->pos;

	if (read_format & PD_READ_GROUP) {
		uint64_t nr = pd_cursor_u64(c);

		pd_cursor_bytes(c, n_times * 8);
		pd_view_take(c, value_words * 8, nr);
	} else {
		pd_cursor_bytes(c, (value_words + n_times) * 8);
	}
	return (struct pd_view){
		.data = start, .elem_size = 1, .swap = c->swap, .n = (uint64_t)(c->pos - start)
	};
}

/* Take a branch stack with the layout type: branch_sample_type, or the one that fits the sample. */
static struct pd_branches take_branches(struct pd_cursor *c, uint64_t type)
{
	struct pd_branches branches = {
		.lacks_hw_idx = !(type & PD_BRANCH_HW_INDEX),
		.has_counters = type & PD_BRANCH_COUNTERS,
	};
	uint64_t nr = pd_cursor_u64(c);

	if (!branches.lacks_hw_idx)
		branches.hw_idx = pd_cursor_u64(c);
	branches.entries = pd_view_take(c, 24, nr);
	if (branches.has_counters)
		branches.counters = pd_view_take(c, 8, nr);
	return branches;
}

static struct pd_regs take_regs(struct pd_cursor *c, uint64_t mask)
{
	struct pd_regs regs = { .abi = pd_cursor_u64(c), .mask = mask };

	if (regs.abi != PD_REGS_ABI_NONE)
		regs.values = pd_view_take(c, 8, (uint64_t)__builtin_popcountll(mask));
	return regs;
}

static struct pd_stack take_stack(struct pd_cursor *c)
{
	struct pd_stack stack = { .reserved = pd_cursor_u64(c) };

	/*
	 * With size 0 the kernel omits dyn_size (perf_output_sample_ustack() in
	 * kernel/events/core.c).
	 */
	if (!stack.reserved)
		return stack;
	stack.bytes = pd_view_take(c, 1, stack.reserved);
	stack.dyn_size = pd_cursor_u64(c);
	if (stack.dyn_size < stack.bytes.n)
		stack.bytes.n = stack.dyn_size;
	return stack;
}

static void take_u32_pair(struct pd_cursor *c, uint32_t *to)
{
	to[0] = pd_cursor_u32(c);
	to[1] = pd_cursor_u32(c);
}

const struct pd_sample_field *pd_plan_field(const struct pd_plan_step *step)
{
	return &sample_fields[step->field];
}

void pd_plan_follow(
	const struct pd_plan *plan, const struct pd_plan_step *step, struct pd_cursor *c, void *to)
{
	switch ((enum pd_sample_kind)step->kind) {
	case PD_SAMPLE_KIND_U64:
		*(uint64_t *)to = pd_cursor_u64(c);
		break;
	case PD_SAMPLE_KIND_U32_PAIR:
		take_u32_pair(c, to);
		break;
	case PD_SAMPLE_KIND_READ:
		*(struct pd_view *)to = pd_read_take(c, plan->read_format);
		break;
	case PD_SAMPLE_KIND_CALLCHAIN:
		*(struct pd_view *)to = pd_view_take(c, 8, pd_cursor_u64(c));
		break;
	case PD_SAMPLE_KIND_RAW:
		/*
		 * The only 32-bit count. The kernel pads the data so that both together fill u64
		 * words.
		 */
		*(struct pd_view *)to = pd_view_take(c, 1, pd_cursor_u32(c));
		break;
	case PD_SAMPLE_KIND_BRANCH_STACK:
		*(struct pd_branches *)to = take_branches(c, plan->branch_sample_type);
		break;
	case PD_SAMPLE_KIND_REGS_USER:
		*(struct pd_regs *)to = take_regs(c, plan->regs_user_mask);
		break;
	case PD_SAMPLE_KIND_STACK_USER:
		*(struct pd_stack *)to = take_stack(c);
		break;
	case PD_SAMPLE_KIND_REGS_INTR:
		*(struct pd_regs *)to = take_regs(c, plan->regs_intr_mask);
		break;
	case PD_SAMPLE_KIND_AUX:
		*(struct pd_view *)to = pd_view_take(c, 1, pd_cursor_u64(c));
		break;
	}
}

/* Zeros that make the size of a record a multiple of 8 (parse/write/padding.h). */
static bool is_padding(const struct pd_cursor *c)
{
	static const uint8_t zeros[7];

	return pd_cursor_left(c) <= sizeof(zeros) && !memcmp(c->pos, zeros, pd_cursor_left(c));
}

static enum pd_sample_result follow_plan(struct pd_cursor *c, const struct pd_plan *plan,
	uint64_t branch_type, struct pd_sample *ret, const char **field_ret)
{
	for (size_t i = 0; i < plan->n_steps; i++) {
		const struct pd_plan_step *step = &plan->steps[i];
		void *to = (char *)ret + step->offset;

		if (step->kind == PD_SAMPLE_KIND_BRANCH_STACK)
			ret->branch_stack = take_branches(c, branch_type);
		else
			pd_plan_follow(plan, step, c, to);
		if (c->overrun) {
			*field_ret = pd_plan_field(step)->name;
			return PD_SAMPLE_SHORT;
		}
	}
	return is_padding(c) || plan->has_opaque_tail ? PD_SAMPLE_OK : PD_SAMPLE_LEFTOVER;
}

/*
 * Alternative layout of the branch stack. Kernels without branch data write a count of 0 and omit
 * hw_idx, and counters are present if any event of the group requests them. Nothing in the stack
 * shows the layout, but only the right one makes decoding end at the end of the record.
 */
static uint64_t other_branch_type(const struct pd_plan *plan, const struct pd_sample *sample)
{
	if (sample->branch_stack.entries.n)
		return plan->branch_sample_type ^ PD_BRANCH_COUNTERS;
	return plan->branch_sample_type & ~(uint64_t)PD_BRANCH_HW_INDEX;
}

enum pd_sample_result pd_sample_decode(const struct pd_plan *plan, const struct pd_record *rec,
	struct pd_sample *ret, const char **field_ret)
{
	struct pd_cursor start = pd_record_body(rec);
	struct pd_cursor c = start;

	*ret = (struct pd_sample){ .period = plan->fixed_period };
	enum pd_sample_result result =
		follow_plan(&c, plan, plan->branch_sample_type, ret, field_ret);
	/* The attr does not fully determine the branch stack, see other_branch_type(). */
	if (result != PD_SAMPLE_OK && plan->has_branch_stack) {
		uint64_t branch_type = other_branch_type(plan, ret);
		struct pd_sample other = { .period = plan->fixed_period };
		const char *other_field;

		c = start;
		if (follow_plan(&c, plan, branch_type, &other, &other_field) == PD_SAMPLE_OK) {
			*ret = other;
			return PD_SAMPLE_OK;
		}
	}
	return result;
}

void pd_sample_skip(const struct pd_plan *plan, const struct pd_plan_step *step,
	const struct pd_sample *sample, struct pd_cursor *c)
{
	const struct pd_branches *branches = &sample->branch_stack;
	uint64_t type = 0;
	union pd_any_struct member;

	if (step->kind != PD_SAMPLE_KIND_BRANCH_STACK) {
		pd_plan_follow(plan, step, c, &member);
		return;
	}
	type |= branches->lacks_hw_idx ? 0 : PD_BRANCH_HW_INDEX;
	type |= branches->has_counters ? PD_BRANCH_COUNTERS : 0;
	take_branches(c, type);
}

struct pd_sid pd_sid_decode(const struct pd_plan *plan, const struct pd_record *rec)
{
	struct pd_sid sid = { 0 };

	if (rec->size < (uint32_t)PD_RECORD_HEADER_BYTES + plan->sid_bytes)
		return sid;
	struct pd_cursor c = pd_cursor_init(
		rec->bytes + rec->size - plan->sid_bytes, plan->sid_bytes, rec->swap);
	for (size_t i = 0; i < plan->n_sid_steps; i++) {
		const struct pd_plan_step *step = &plan->sid_steps[i];

		pd_plan_follow(plan, step, &c, (char *)&sid + step->offset);
	}
	return sid;
}

struct pd_branch pd_branch_get(const struct pd_branches *branches, uint64_t i)
{
	const uint8_t *at = branches->entries.data + i * branches->entries.elem_size;
	bool swap = branches->entries.swap;
	struct pd_branch branch = {
		.from = pd_load_u64(at, swap),
		.to = pd_load_u64(at + 8, swap),
		.flags = pd_load_u64(at + 16, swap),
	};

	if (pd_is_big_endian(swap))
		branch.flags =
			pd_bitfields_byteswap(&pd_bitfields_branch_flags, branch.flags, true);
	return branch;
}

static void encode_words(const struct pd_view *words, uint64_t n, struct pd_bytes *out)
{
	if (words->swap == out->swap) {
		pd_bytes_put(out, words->data, n * 8);
		return;
	}
	for (uint64_t i = 0; i < n; i++)
		pd_bytes_u64(out, pd_view_u64(words, i));
}

static void encode_counted(const struct pd_view *words, struct pd_bytes *out)
{
	pd_bytes_u64(out, words->n);
	encode_words(words, words->n, out);
}

static void encode_branches(
	const struct pd_plan *plan, const struct pd_branches *branches, struct pd_bytes *out)
{
	pd_bytes_u64(out, branches->entries.n);
	if (plan->branch_sample_type & PD_BRANCH_HW_INDEX && !branches->lacks_hw_idx)
		pd_bytes_u64(out, branches->hw_idx);
	for (uint64_t i = 0; i < branches->entries.n; i++) {
		struct pd_branch branch = pd_branch_get(branches, i);

		if (pd_is_big_endian(out->swap))
			branch.flags = pd_bitfields_byteswap(
				&pd_bitfields_branch_flags, branch.flags, false);
		pd_bytes_u64(out, branch.from);
		pd_bytes_u64(out, branch.to);
		pd_bytes_u64(out, branch.flags);
	}
	if (branches->counters.n)
		encode_words(&branches->counters, branches->counters.n, out);
}

static void encode_regs(const struct pd_regs *regs, struct pd_bytes *out)
{
	pd_bytes_u64(out, regs->abi);
	if (regs->abi != PD_REGS_ABI_NONE)
		encode_words(&regs->values, regs->values.n, out);
}

static void encode_stack(const struct pd_stack *stack, struct pd_bytes *out)
{
	pd_bytes_u64(out, stack->reserved);
	if (!stack->reserved)
		return;
	pd_bytes_put(out, stack->bytes.data, stack->reserved);
	pd_bytes_u64(out, stack->dyn_size);
}

static void encode_step(const struct pd_plan *plan, const struct pd_plan_step *step,
	const void *from, struct pd_bytes *out)
{
	const struct pd_view *view = from;

	switch ((enum pd_sample_kind)step->kind) {
	case PD_SAMPLE_KIND_U64:
		pd_bytes_u64(out, *(const uint64_t *)from);
		break;
	case PD_SAMPLE_KIND_U32_PAIR:
		pd_bytes_u32(out, ((const uint32_t *)from)[0]);
		pd_bytes_u32(out, ((const uint32_t *)from)[1]);
		break;
	case PD_SAMPLE_KIND_READ:
		/* All values are u64, whatever read_format is. */
		encode_words(view, view->n / 8, out);
		break;
	case PD_SAMPLE_KIND_CALLCHAIN:
		encode_counted(view, out);
		break;
	case PD_SAMPLE_KIND_RAW:
		pd_bytes_u32(out, (uint32_t)view->n);
		pd_bytes_put(out, view->data, view->n);
		break;
	case PD_SAMPLE_KIND_BRANCH_STACK:
		encode_branches(plan, from, out);
		break;
	case PD_SAMPLE_KIND_REGS_USER:
	case PD_SAMPLE_KIND_REGS_INTR:
		encode_regs(from, out);
		break;
	case PD_SAMPLE_KIND_STACK_USER:
		encode_stack(from, out);
		break;
	case PD_SAMPLE_KIND_AUX:
		pd_bytes_u64(out, view->n);
		pd_bytes_put(out, view->data, view->n);
		break;
	}
}

bool pd_sample_encode(const struct pd_plan *plan, uint16_t misc, const struct pd_sample *sample,
	struct pd_bytes *out)
{
	size_t start = pd_record_begin(PD_RECORD_SAMPLE, misc, out);

	for (size_t i = 0; i < plan->n_steps; i++) {
		const struct pd_plan_step *step = &plan->steps[i];

		encode_step(plan, step, (const char *)sample + step->offset, out);
	}
	return pd_record_end(start, out);
}

void pd_sid_encode(const struct pd_plan *plan, const struct pd_sid *sid, struct pd_bytes *out)
{
	for (size_t i = 0; i < plan->n_sid_steps; i++) {
		const struct pd_plan_step *step = &plan->sid_steps[i];

		encode_step(plan, step, (const char *)sid + step->offset, out);
	}
}
