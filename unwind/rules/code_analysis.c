#include "unwind/rules/code_analysis.h"

#include <string.h>

#include "base/limit.h"

enum {
	/** Instructions on all paths together. */
	MAX_STEPS = PD_LIMIT_CODE_STEPS,
	MAX_BRANCHES = PD_LIMIT_CODE_BRANCHES,
	PASSED_BITS = 13,
	N_PASSED = 1 << PASSED_BITS,
};

static const struct unw_value unknown;

static struct unw_value sum(struct unw_value value, int64_t imm)
{
	if (value.kind == UNW_VALUE_MEMORY)
		return imm ? unknown : value;
	value.off += imm;
	return value;
}

static bool is_same(const struct unw_value *a, const struct unw_value *b)
{
	return a->kind == b->kind && a->base == b->base && a->off == b->off;
}

/**
 * Make a stack pointer that was loaded from memory the base of further values. Functions that
 * realign their stack restore it so.
 */
static struct unw_value loaded_sp(struct unw_code *code, struct unw_value value, int64_t imm)
{
	if (code->loaded_from.kind != UNW_VALUE_UNKNOWN && !is_same(&code->loaded_from, &value))
		return unknown;
	code->loaded_from = value;
	return (struct unw_value){ .kind = UNW_VALUE_SUM, .base = UNW_BASE_LOADED, .off = imm };
}

void unw_code_add(struct unw_code *code, uint8_t rd, uint8_t rs, int64_t imm)
{
	const struct unw_value *value = &code->reg[rs];
	bool is_loaded_sp = rd == code->arch->sp && value->kind == UNW_VALUE_MEMORY;

	code->reg[rd] = is_loaded_sp ? loaded_sp(code, *value, imm) : sum(*value, imm);
}

void unw_code_realign(struct unw_code *code)
{
	code->reg[code->arch->sp] =
		(struct unw_value){ .kind = UNW_VALUE_SUM, .base = UNW_BASE_REALIGNED };
}

void unw_code_add_reg(struct unw_code *code, uint8_t rd, uint8_t rs, uint8_t rt)
{
	if (code->reg[rt].kind == UNW_VALUE_CONST)
		code->reg[rd] = sum(code->reg[rs], code->reg[rt].off);
	else if (code->reg[rs].kind == UNW_VALUE_CONST)
		code->reg[rd] = sum(code->reg[rt], code->reg[rs].off);
	else
		code->reg[rd] = unknown;
}

void unw_code_set(struct unw_code *code, uint8_t rd, int64_t value)
{
	code->reg[rd] = (struct unw_value){ .kind = UNW_VALUE_CONST, .off = value };
}

void unw_code_clobber(struct unw_code *code, uint8_t rd)
{
	code->reg[rd] = unknown;
}

void unw_code_load(struct unw_code *code, uint8_t rd, uint8_t rs, int64_t imm)
{
	struct unw_value addr = sum(code->reg[rs], imm);

	code->reg[rd] = unknown;
	if (addr.kind != UNW_VALUE_SUM)
		return;
	for (size_t i = code->n_slots; i-- > 0;) {
		if (is_same(&code->slots[i].addr, &addr)) {
			code->reg[rd] = code->slots[i].value;
			return;
		}
	}
	code->reg[rd] =
		(struct unw_value){ .kind = UNW_VALUE_MEMORY, .base = addr.base, .off = addr.off };
	if (rd == code->arch->sp)
		code->reg[rd] = loaded_sp(code, code->reg[rd], 0);
}

void unw_code_store(struct unw_code *code, uint8_t rd, uint8_t rs, int64_t imm)
{
	const struct unw_value *sp = &code->reg[code->arch->sp];
	struct unw_value addr = sum(code->reg[rs], imm);
	size_t i = 0;

	/* Functions save registers on the stack only. */
	if (addr.kind != UNW_VALUE_SUM ||
		(addr.base != code->arch->sp && addr.base != code->arch->fp &&
			!(sp->kind == UNW_VALUE_SUM && addr.base == sp->base)))
		return;
	while (i < code->n_slots && !is_same(&code->slots[i].addr, &addr))
		i++;
	if (i == UNW_CODE_SLOTS)
		return;
	code->slots[i].addr = addr;
	code->slots[i].value = code->reg[rd];
	code->n_slots += i == code->n_slots;
}

/** Rule for a register of the caller with value @p value, if its stack pointer is @p sp. */
static struct unw_rule rule_of(const struct unw_code *code, const struct unw_value *value,
	uint8_t number, const struct unw_value *sp)
{
	if (value->kind == UNW_VALUE_SUM && value->base == number && !value->off)
		return (struct unw_rule){ .kind = UNW_RULE_SAME };
	if (value->kind == UNW_VALUE_SUM && value->base < UNW_CODE_REGS && !value->off)
		return (struct unw_rule){ .kind = UNW_RULE_REGISTER, .reg = value->base };
	if (value->kind != UNW_VALUE_MEMORY)
		return (struct unw_rule){ .kind = UNW_RULE_UNSPECIFIED };
	if (value->base == sp->base)
		return (struct unw_rule){
			.kind = UNW_RULE_OFFSET,
			.off = value->off - sp->off - code->arch->cfa_above_sp,
		};
	/* The frame and its CFA are apart if the stack was realigned between them. */
	if (value->base == code->arch->sp || value->base == code->arch->fp)
		return (struct unw_rule){ .kind = UNW_RULE_AT_REGISTER,
			.at = { value->base, value->off } };
	return (struct unw_rule){ .kind = UNW_RULE_UNSPECIFIED };
}

/** Set the CFA of @p row for a caller with stack pointer @p sp. Returns false if it is unknown. */
static bool set_cfa(const struct unw_code *code, const struct unw_value *sp, struct unw_row *row)
{
	const struct unw_arch *arch = code->arch;
	int64_t least = unw_arch_has_link(arch) ? 0 : arch->arch->word;

	/* The caller's stack pointer cannot be below the current one. */
	if (sp->kind != UNW_VALUE_SUM || (sp->base == arch->sp && sp->off < least))
		return false;
	row->cfa_reg = sp->base;
	row->cfa_off = sp->off + arch->cfa_above_sp;
	if (sp->base < UNW_CODE_REGS)
		return true;
	if (sp->base != UNW_BASE_LOADED || row->cfa_off || code->loaded_from.base >= UNW_CODE_REGS)
		return false;
	row->cfa_reg = code->loaded_from.base;
	row->cfa_off = code->loaded_from.off;
	row->is_cfa_in_memory = true;
	return true;
}

/** Make the row for @p code at a return to @p ra. Returns false if the caller remains unknown. */
static bool make_row(const struct unw_code *code, const struct unw_value *ra, struct unw_row *ret)
{
	const struct unw_arch *arch = code->arch;
	const struct unw_value *sp = &code->reg[arch->sp];
	struct unw_rule ra_rule = rule_of(code, ra, arch->ra, sp);

	unw_arch_default_row(arch, ret);
	if (!set_cfa(code, sp, ret) || ra_rule.kind == UNW_RULE_UNSPECIFIED)
		return false;
	for (uint8_t reg = 0; reg < arch->n_regs && reg < UNW_CODE_REGS; reg++) {
		enum unw_rule_kind kind = ret->regs[reg].kind;

		/* Helpers that prologues call preserve more registers than the ABI demands. */
		if (kind == UNW_RULE_SAME ||
			(kind == UNW_RULE_UNSPECIFIED && unw_arch_has_link(arch)))
			ret->regs[reg] = rule_of(code, &code->reg[reg], reg, sp);
	}
	ret->ra_column = arch->ra;
	ret->regs[arch->ra] = ra_rule;
	ret->is_guess = true;
	return true;
}

/** Search for a path to the return. */
struct search {
	const struct unw_section *text;
	struct unw_code code;
	unsigned int n_steps;
	struct unw_code branches[MAX_BRANCHES];
	unsigned int n_branches;
	/**
	 * Hash table of instructions that a path has passed, as offsets in the section + 1. Every
	 * path has the same stack there, so none is followed twice. It is larger than MAX_STEPS, so
	 * some slot is always free.
	 */
	uint32_t passed[N_PASSED];
};

/** Mark the current instruction as passed. Returns false if it was before. */
static bool pass(struct search *s)
{
	uint32_t off = (uint32_t)(s->code.pc - s->text->vaddr) + 1;
	uint32_t i = off * UINT32_C(2654435761) >> (32 - PASSED_BITS);

	while (s->passed[i] && s->passed[i] != off)
		i = (i + 1) % N_PASSED;
	if (s->passed[i])
		return false;
	s->passed[i] = off;
	return true;
}

/** Count a step. Returns false if there were too many: then the frame pointer is followed. */
static bool may_step(struct search *s)
{
	return s->n_steps++ < MAX_STEPS;
}

static bool enter(const struct unw_section *text, struct unw_code *code, uint64_t pc)
{
	uint64_t off = pc - text->vaddr;

	if (off >= text->size)
		return false;
	code->pc = pc;
	code->bytes = text->data + off;
	code->n_bytes = text->size - off;
	return true;
}

/** Try a path from @p pc later. Returns false if there are too many paths or @p pc is outside. */
static bool defer(struct search *s, uint64_t pc)
{
	if (s->n_branches == MAX_BRANCHES)
		return false;
	struct unw_code *branch = &s->branches[s->n_branches];
	*branch = s->code;
	bool is_inside = enter(s->text, branch, pc);
	s->n_branches += is_inside;
	return is_inside;
}

/** Go on with the last deferred path of those that have passed the fewest calls. */
static bool resume(struct search *s)
{
	unsigned int best = 0;

	if (!s->n_branches)
		return false;
	for (unsigned int i = 1; i < s->n_branches; i++) {
		if (s->branches[i].n_calls <= s->branches[best].n_calls)
			best = i;
	}
	s->code = s->branches[best];
	s->n_branches--;
	memmove(&s->branches[best], &s->branches[best + 1],
		(s->n_branches - best) * sizeof(s->branches[0]));
	return true;
}

/** Whether the call before @p next is the last instruction of its function. */
static enum unw_last is_last(
	const struct unw_section *text, const struct unw_arch *arch, uint64_t next)
{
	return arch->calls.is_last ? arch->calls.is_last(arch, text, next) : UNW_LAST_NO;
}

/**
 * Note that the path passes a call, which returns to @p next if it returns. Returns false if it
 * does not.
 */
static bool pass_call(struct search *s, uint64_t next)
{
	struct unw_code *code = &s->code;
	const struct unw_arch *arch = code->arch;

	unw_code_clobber(code, arch->ra);
	if (!code->n_calls++)
		code->sp_at_call = code->reg[arch->sp];
	enum unw_last last = is_last(s->text, arch, next);
	code->may_have_left |= last == UNW_LAST_MAYBE;
	return last != UNW_LAST_YES;
}

/** Continue after @p insn. Returns false if the path ends. */
static bool follow(struct search *s, const struct unw_insn *insn)
{
	struct unw_code *code = &s->code;
	uint64_t next = code->pc + insn->len;

	if (insn->flow == UNW_FLOW_STOP)
		return false;
	if (insn->flow == UNW_FLOW_CALL && (!pass_call(s, next) || defer(s, next)))
		return false;
	/* With too many branches the rest is not tried: the search may fail but stays bounded. */
	if (insn->flow == UNW_FLOW_BRANCH)
		defer(s, insn->target);
	return enter(s->text, code, insn->flow == UNW_FLOW_JUMP ? insn->target : next);
}

/**
 * Whether a jump is a tail call of another function, which returns to the caller. A jump to a
 * register is one if the return address was restored before it. Otherwise it goes through a table,
 * and the next instruction is taken for one of its targets.
 */
static bool leaves(const struct search *s, const struct unw_insn *insn)
{
	const struct unw_code *code = &s->code;

	if (insn->flow == UNW_FLOW_SOMEWHERE)
		return code->reg[code->arch->ra].kind == UNW_VALUE_MEMORY;
	return insn->flow == UNW_FLOW_JUMP && insn->target - s->text->vaddr >= s->text->size;
}

/** Make the row for a jump that leaves the function. */
static bool make_row_of_jump(struct unw_code *code, struct unw_row *ret)
{
	const struct unw_arch *arch = code->arch;

	/* The function that is jumped to returns. */
	if (!unw_arch_has_link(arch)) {
		unw_code_load(code, arch->ra, arch->sp, 0);
		unw_code_add(code, arch->sp, arch->sp, arch->arch->word);
	}
	return make_row(code, &code->reg[arch->ra], ret);
}

/** Follow a path to its end. Returns true if that is a return from which a row can be made. */
static bool run(struct search *s, struct unw_row *ret)
{
	struct unw_code *code = &s->code;

	while (pass(s) && may_step(s)) {
		struct unw_insn insn = code->arch->code.decode(code);

		if (insn.flow == UNW_FLOW_RETURN)
			return make_row(code, &code->reg[insn.reg], ret);
		if (leaves(s, &insn))
			return make_row_of_jump(code, ret);
		if (!follow(s, &insn))
			return false;
	}
	return false;
}

/**
 * Whether @p row agrees with the alignment that the ABI demands of the stack pointer at calls. It
 * does not if a call never returns, so that the path went on into another function.
 */
static bool is_aligned(const struct unw_code *code, const struct unw_row *row)
{
	const struct unw_value *sp = &code->sp_at_call;

	return !code->arch->calls.align || !code->n_calls || row->is_cfa_in_memory ||
	       sp->kind != UNW_VALUE_SUM || sp->base != row->cfa_reg ||
	       (row->cfa_off - sp->off) % code->arch->calls.align == 0;
}

/** Prepare a search from @p pc. Returns false if that is not in @p text. */
static bool begin(
	struct search *s, const struct unw_section *text, const struct unw_arch *arch, uint64_t pc)
{
	/* The branches are large and need no initialization, so set the other members only. */
	s->text = text;
	s->code = (struct unw_code){ .arch = arch, .text = text };
	s->n_steps = s->n_branches = 0;
	memset(s->passed, 0, sizeof(s->passed));
	if (!enter(text, &s->code, pc))
		return false;
	for (uint8_t reg = 0; reg < UNW_CODE_REGS; reg++)
		s->code.reg[reg] = (struct unw_value){ .kind = UNW_VALUE_SUM, .base = reg };
	return true;
}

enum unw_code_result unw_code_find_row(const struct unw_section *text, const struct unw_arch *arch,
	uint64_t addr, bool is_at_call, struct unw_row *ret)
{
	enum unw_code_result result = UNW_CODE_NONE;
	struct unw_row row;
	struct search s;

	if (!arch->code.decode || !text->data || !begin(&s, text, arch, addr + is_at_call))
		return UNW_CODE_NONE;
	if (is_at_call && !pass_call(&s, s.code.pc))
		return UNW_CODE_NONE;
	if (arch->code.begin && !arch->code.begin(text, &s.code, is_at_call))
		return UNW_CODE_NONE;
	do {
		if (!run(&s, &row))
			continue;
		bool has_left = s.code.may_have_left;
		if (is_aligned(&s.code, &row)) {
			*ret = row;
			return has_left ? UNW_CODE_DOUBTFUL : UNW_CODE_ROW;
		}
		/* Not all code that is written by hand aligns the stack. */
		if (result == UNW_CODE_NONE && !has_left) {
			*ret = row;
			result = UNW_CODE_DOUBTFUL;
		}
	} while (resume(&s));
	return result;
}

/**
 * Follow a path from the start of a function to @p pc or, with @p is_at_call, to the call that ends
 * there. Returns true if it gets there.
 */
static bool reach(struct search *s, uint64_t pc, bool is_at_call, enum unw_code_trust trust)
{
	struct unw_code *code = &s->code;
	uint8_t sp = code->arch->sp;

	while ((trust == UNW_CODE_ANY_CALL || !code->may_have_left) && pass(s) && may_step(s)) {
		struct unw_value sp_before = code->reg[sp];

		if (!is_at_call && code->pc == pc)
			return true;
		struct unw_insn insn = code->arch->code.decode(code);
		if (is_at_call && insn.flow == UNW_FLOW_CALL && code->pc + insn.len == pc) {
			/* State at the call, which may remove arguments. */
			code->reg[sp] = code->sp_at_call = sp_before;
			code->n_calls = 1;
			unw_code_clobber(code, code->arch->ra);
			return true;
		}
		if (insn.flow == UNW_FLOW_RETURN || leaves(s, &insn) || !follow(s, &insn))
			return false;
	}
	return false;
}

/** Whether the slot at @p addr is in the frame. Slots below the stack pointer were released. */
static bool is_in_frame(const struct unw_code *code, const struct unw_value *addr)
{
	const struct unw_value *sp = &code->reg[code->arch->sp];

	return addr->base == code->arch->sp &&
	       (sp->kind != UNW_VALUE_SUM || sp->base != addr->base || addr->off >= sp->off);
}

/**
 * Rule for register @p reg, which may be saved in a slot. The CFA is @p above the first stack
 * pointer. A slot is right even if another path to the same place has changed the register.
 */
static struct unw_rule saved_rule(const struct unw_code *code, uint8_t reg, int64_t above)
{
	const struct unw_value at_start = { .kind = UNW_VALUE_SUM, .base = reg };
	bool is_same_reg = is_same(&code->reg[reg], &at_start);

	for (size_t i = 0; i < code->n_slots; i++) {
		const struct unw_value *addr = &code->slots[i].addr;

		if (is_in_frame(code, addr) && is_same(&code->slots[i].value, &at_start))
			return (struct unw_rule){ .kind = UNW_RULE_OFFSET,
				.off = addr->off - above };
	}
	return (struct unw_rule){ .kind = is_same_reg ? UNW_RULE_SAME : UNW_RULE_UNSPECIFIED };
}

/** Whether the stack pointer is aligned at a call. The CFA is @p above the first stack pointer. */
static bool is_aligned_from_start(const struct unw_code *code, int64_t above)
{
	const struct unw_value *sp = &code->sp_at_call;

	return !code->arch->calls.align || !code->n_calls || sp->kind != UNW_VALUE_SUM ||
	       sp->base != code->arch->sp || (above - sp->off) % code->arch->calls.align == 0;
}

/** Make the row for @p code, which was followed from the start of the function. */
static bool make_row_from_start(
	const struct unw_code *code, enum unw_code_trust trust, struct unw_row *ret)
{
	const struct unw_arch *arch = code->arch;
	bool has_link = unw_arch_has_link(arch);
	int64_t above = has_link ? arch->cfa_above_sp : arch->arch->word;
	uint8_t base = arch->sp;

	if (code->reg[base].kind != UNW_VALUE_SUM || code->reg[base].base != arch->sp)
		base = arch->fp;
	if (code->reg[base].kind != UNW_VALUE_SUM || code->reg[base].base != arch->sp)
		return false;
	unw_arch_default_row(arch, ret);
	ret->cfa_reg = base;
	ret->cfa_off = above - code->reg[base].off;
	ret->ra_column = arch->ra;
	ret->is_guess = true;
	for (uint8_t reg = 0; reg < arch->n_regs && reg < UNW_CODE_REGS; reg++) {
		if (ret->regs[reg].kind == UNW_RULE_SAME)
			ret->regs[reg] = saved_rule(code, reg, above);
	}
	if (!has_link)
		ret->regs[arch->ra] = (struct unw_rule){ .kind = UNW_RULE_OFFSET, .off = -above };
	return ret->regs[arch->ra].kind != UNW_RULE_UNSPECIFIED &&
	       (trust == UNW_CODE_ANY_STACK || is_aligned_from_start(code, above));
}

bool unw_code_find_row_from(const struct unw_section *text, const struct unw_arch *arch,
	uint64_t start, uint64_t addr, bool is_at_call, enum unw_code_trust trust,
	struct unw_row *ret)
{
	struct search s;

	if (!arch->code.decode || !text->data || !begin(&s, text, arch, start))
		return false;
	do {
		if (reach(&s, addr + is_at_call, is_at_call, trust) &&
			make_row_from_start(&s.code, trust, ret))
			return true;
	} while (resume(&s));
	return false;
}

/** Whether execution may continue at the vaddr @p next, which follows the instruction @p insn. */
static bool falls_through(const struct unw_section *text, const struct unw_arch *arch,
	struct unw_insn insn, uint64_t next)
{
	switch (insn.flow) {
	case UNW_FLOW_CALL:
		return is_last(text, arch, next) == UNW_LAST_NO;
	case UNW_FLOW_NEXT:
	case UNW_FLOW_BRANCH:
		return true;
	default:
		return false;
	}
}

uint64_t unw_code_find_end(
	const struct unw_section *text, const struct unw_arch *arch, uint64_t start, uint64_t size)
{
	struct unw_code code = { .arch = arch, .text = text };
	uint64_t farthest = start, limit = start + size;

	if (!arch->code.decode || !text->data || !enter(text, &code, start) ||
		(arch->code.begin && !arch->code.begin(text, &code, false)))
		return limit;
	while (code.pc < limit) {
		struct unw_insn insn = arch->code.decode(&code);
		uint64_t next = code.pc + insn.len;
		bool has_target = insn.flow == UNW_FLOW_BRANCH || insn.flow == UNW_FLOW_JUMP;

		if (has_target && insn.target > farthest && insn.target < limit)
			farthest = insn.target;
		if (!insn.len)
			return limit;
		if ((next > farthest && !falls_through(text, arch, insn, next)) ||
			!enter(text, &code, next))
			return next;
	}
	return limit;
}
