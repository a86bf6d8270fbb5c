#include "unwind/code.h"

#include <string.h>

enum {
	/** Instructions on all paths together. */
	MAX_STEPS = 4096,
	MAX_BRANCHES = 48,
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

void unw_code_add(struct unw_code *code, uint8_t rd, uint8_t rs, int64_t imm)
{
	code->reg[rd] = sum(code->reg[rs], imm);
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
static struct unw_rule rule_of(
	const struct unw_value *value, uint8_t number, const struct unw_value *sp)
{
	if (value->kind == UNW_VALUE_SUM && value->base == number && !value->off)
		return (struct unw_rule){ .kind = UNW_RULE_SAME };
	if (value->kind == UNW_VALUE_SUM && !value->off)
		return (struct unw_rule){ .kind = UNW_RULE_REGISTER, .reg = value->base };
	if (value->kind == UNW_VALUE_MEMORY && value->base == sp->base)
		return (struct unw_rule){ .kind = UNW_RULE_OFFSET, .off = value->off - sp->off };
	return (struct unw_rule){ .kind = UNW_RULE_UNSPECIFIED };
}

/** Make the row for @p code at a return to @p ra. Returns false if the caller remains unknown. */
static bool make_row(const struct unw_code *code, const struct unw_value *ra, struct unw_row *ret)
{
	const struct unw_arch *arch = code->arch;
	const struct unw_value *sp = &code->reg[arch->sp];
	struct unw_rule ra_rule = rule_of(ra, arch->ra, sp);

	/* The caller's stack pointer cannot be below the current one. */
	if (sp->kind != UNW_VALUE_SUM || (sp->base == arch->sp && sp->off < 0) ||
		ra_rule.kind == UNW_RULE_UNSPECIFIED)
		return false;
	unw_arch_default_row(arch, ret);
	for (uint8_t reg = 0; reg < arch->n_regs && reg < UNW_CODE_REGS; reg++) {
		enum unw_rule_kind kind = ret->regs[reg].kind;

		/* Helpers that prologues call preserve more registers than the ABI demands. */
		if (kind == UNW_RULE_SAME || kind == UNW_RULE_UNSPECIFIED)
			ret->regs[reg] = rule_of(&code->reg[reg], reg, sp);
	}
	ret->cfa_reg = sp->base;
	ret->cfa_off = sp->off + arch->cfa_above_sp;
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

/** Continue after @p insn. Returns false if the path ends. */
static bool follow(struct search *s, const struct unw_insn *insn)
{
	struct unw_code *code = &s->code;

	if (insn->flow == UNW_FLOW_STOP)
		return false;
	if (insn->flow == UNW_FLOW_CALL)
		unw_code_clobber(code, code->arch->ra);
	/* With too many branches the rest is not tried: the search may fail but stays bounded. */
	if (insn->flow == UNW_FLOW_BRANCH && s->n_branches < MAX_BRANCHES) {
		struct unw_code *branch = &s->branches[s->n_branches];

		*branch = *code;
		s->n_branches += enter(s->text, branch, insn->target);
	}
	bool jumps = insn->flow == UNW_FLOW_JUMP;
	return enter(s->text, code, jumps ? insn->target : code->pc + insn->len);
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

/** Follow a path to its end. Returns true if that is a return from which a row can be made. */
static bool run(struct search *s, struct unw_row *ret)
{
	struct unw_code *code = &s->code;

	while (pass(s) && s->n_steps++ < MAX_STEPS) {
		struct unw_insn insn = code->arch->decode(code);

		if (insn.flow == UNW_FLOW_RETURN)
			return make_row(code, &code->reg[insn.reg], ret);
		if (leaves(s, &insn))
			return make_row(code, &code->reg[code->arch->ra], ret);
		if (!follow(s, &insn))
			return false;
	}
	return false;
}

bool unw_code_find_row(const struct unw_section *text, const struct unw_arch *arch, uint64_t addr,
	bool is_at_call, struct unw_row *ret)
{
	struct search s;
	struct unw_row row;

	if (!arch->decode || !text->data)
		return false;
	/*
	 * The branches are large and need no initialization, so set the other members one by one.
	 */
	s.text = text;
	s.code = (struct unw_code){ .arch = arch };
	s.n_steps = s.n_branches = 0;
	memset(s.passed, 0, sizeof(s.passed));
	if (!enter(text, &s.code, addr + is_at_call))
		return false;
	for (uint8_t reg = 0; reg < UNW_CODE_REGS; reg++)
		s.code.reg[reg] = (struct unw_value){ .kind = UNW_VALUE_SUM, .base = reg };
	/* The call has overwritten the link register. */
	if (is_at_call)
		unw_code_clobber(&s.code, arch->ra);
	if (arch->begin_code && !arch->begin_code(text, &s.code, is_at_call))
		return false;
	bool is_found = run(&s, &row);
	while (!is_found && s.n_branches) {
		s.code = s.branches[--s.n_branches];
		is_found = run(&s, &row);
	}
	if (is_found)
		*ret = row;
	return is_found;
}
