/*
 * Decoder of x86 instructions, as far as they matter to unw_code_find_row(). See
 * unwind/machines/x86_insn.h for the manuals.
 */
#include "unwind/rules/code_analysis.h"

#include <string.h>

#include "base/analyzer.h"

#include "unwind/machines/x86_insn.h"
#include "unwind/machines/x86_writes.h"

/** Registers by their encoding. */
enum { RAX, RCX, RDX, RBX, RSP, N_OLD_REGS = 8 };

enum { REX_W = 8, NOP = 0x90 };

/** Instruction that is applied to the path. */
struct x86 {
	struct unw_code *code;
	bool is_64;
	uint8_t word;
	struct unw_x86_insn insn;
};

/** DWARF number of the register with encoding @p reg. */
static uint8_t dwarf(const struct x86 *x, uint8_t reg)
{
	static const uint8_t numbers[N_OLD_REGS] = { 0, 2, 1, 3, 7, 6, 4, 5 };

	return x->is_64 && reg < N_OLD_REGS ? numbers[reg] : reg;
}

static uint8_t sp(const struct x86 *x)
{
	return x->code->arch->sp;
}

static uint8_t fp(const struct x86 *x)
{
	return x->code->arch->fp;
}

/** Whether the operands are as wide as an address. */
static bool is_full(const struct x86 *x)
{
	return x->is_64 ? x->insn.rex & REX_W : !x->insn.has_operand_size;
}

/** Distance of the operand in memory from a register, whose DWARF number is stored in *base_ret. */
static bool is_simple_memory(const struct x86 *x, uint8_t *base_ret)
{
	const struct unw_x86_insn *insn = &x->insn;

	if (!insn->is_mem || insn->base == UNW_X86_NO_REG || insn->index != UNW_X86_NO_REG ||
		insn->has_segment || insn->has_address_size)
		return false;
	*base_ret = dwarf(x, insn->base);
	return true;
}

/** Whether the instruction loads from a memory operand with an index, as from a table. */
static bool is_table_load(const struct x86 *x)
{
	return x->insn.is_mem && x->insn.index != UNW_X86_NO_REG;
}

static uint32_t bit(uint8_t reg)
{
	return UINT32_C(1) << reg;
}

static void note_table(struct x86 *x, uint8_t reg, bool is_from_table)
{
	x->code->table_regs &= ~bit(reg);
	if (is_from_table)
		x->code->table_regs |= bit(reg);
}

static void clobber(struct x86 *x, uint8_t reg)
{
	note_table(x, reg, false);
	unw_code_clobber(x->code, reg);
}

/** Note that the stack pointer was raised: see unw_code.release. */
static void release(struct x86 *x, enum unw_release release)
{
	bool is_cleanup = x->code->has_arguments && release == UNW_RELEASE_SPACE;

	x->code->has_arguments = false;
	if (!is_cleanup && x->code->release < release)
		x->code->release = release;
}

static void move_sp(struct x86 *x, int64_t by)
{
	unw_code_add(x->code, sp(x), sp(x), by);
	if (by > 0)
		release(x, UNW_RELEASE_SPACE);
	else
		x->code->release = UNW_RELEASE_NONE;
}

/** Size of what a push or pop moves, in bytes. */
static int64_t push_size(const struct x86 *x)
{
	return x->insn.has_operand_size ? 2 : x->word;
}

static void push_unknown(struct x86 *x)
{
	move_sp(x, -push_size(x));
	unw_code_clobber(x->code, x->code->arch->ra);
	unw_code_store(x->code, x->code->arch->ra, sp(x), 0);
}

static void push(struct x86 *x, uint8_t reg)
{
	if (x->insn.has_operand_size || reg == sp(x)) {
		push_unknown(x);
		return;
	}
	move_sp(x, -x->word);
	unw_code_store(x->code, reg, sp(x), 0);
}

static bool is_preserved(const struct x86 *x, uint8_t reg)
{
	const struct unw_arch *arch = x->code->arch;

	for (size_t i = 0; i < arch->defaults.n; i++) {
		if (arch->defaults.data[i].reg == reg &&
			arch->defaults.data[i].rule.kind == UNW_RULE_SAME)
			return true;
	}
	return false;
}

static void pop(struct x86 *x, uint8_t reg)
{
	if (x->insn.has_operand_size) {
		clobber(x, reg);
		move_sp(x, push_size(x));
		return;
	}
	note_table(x, reg, false);
	unw_code_load(x->code, reg, sp(x), 0);
	if (reg == sp(x))
		return;
	move_sp(x, x->word);
	if (is_preserved(x, reg))
		release(x, UNW_RELEASE_REGS);
}

/** Copy the word in memory that is pushed: functions that realign the stack push their caller. */
static void push_memory(struct x86 *x)
{
	uint8_t base;
	uint8_t ra = x->code->arch->ra;

	if (!is_simple_memory(x, &base) || base == sp(x) || x->insn.has_operand_size) {
		push_unknown(x);
		return;
	}
	unw_code_load(x->code, ra, base, x->insn.disp);
	move_sp(x, -x->word);
	unw_code_store(x->code, ra, sp(x), 0);
}

static void leave(struct x86 *x)
{
	unw_code_add(x->code, sp(x), fp(x), 0);
	pop(x, fp(x));
}

static void enter_frame(struct x86 *x)
{
	push(x, fp(x));
	unw_code_add(x->code, fp(x), sp(x), 0);
	move_sp(x, -(x->insn.imm & 0xffff));
	/* Nested procedures copy frame pointers as well. */
	if (x->insn.imm >> 16)
		unw_code_clobber(x->code, sp(x));
}

static void push_all(struct x86 *x)
{
	for (uint8_t reg = 0; reg < N_OLD_REGS; reg++)
		push(x, reg);
}

static void pop_all(struct x86 *x)
{
	for (uint8_t reg = N_OLD_REGS; reg-- > 0;) {
		if (reg == RSP)
			move_sp(x, x->word);
		else
			pop(x, reg);
	}
}

/** Apply an instruction that pushes or pops. Returns false for any other one. */
static bool apply_stack(struct x86 *x)
{
	enum { PUSH_FS = 0xa0, POP_FS = 0xa1, PUSH_GS = 0xa8, POP_GS = 0xa9 };
	const struct unw_x86_insn *insn = &x->insn;
	uint8_t op = insn->opcode;
	uint8_t number = (uint8_t)((op & 7) | (insn->rex & 1 ? 8 : 0));

	if (insn->map == UNW_X86_0F && (op == PUSH_FS || op == PUSH_GS)) {
		push_unknown(x);
		return true;
	}
	if (insn->map == UNW_X86_0F && (op == POP_FS || op == POP_GS)) {
		move_sp(x, push_size(x));
		return true;
	}
	if (insn->map != UNW_X86_ONE_BYTE)
		return false;
	if (op >> 3 == 0x50 >> 3) {
		push(x, dwarf(x, number));
		return true;
	}
	if (op >> 3 == 0x58 >> 3) {
		pop(x, dwarf(x, number));
		return true;
	}
	switch (op) {
	case 0x06: /* push of a segment register */
	case 0x0e:
	case 0x16:
	case 0x1e:
	case 0x68: /* push of an immediate */
	case 0x6a:
	case 0x9c: /* pushf */
		push_unknown(x);
		return true;
	case 0x07: /* pop of a segment register */
	case 0x17:
	case 0x1f:
	case 0x9d: /* popf */
		move_sp(x, push_size(x));
		return true;
	case 0x60:
		push_all(x);
		return true;
	case 0x61:
		pop_all(x);
		return true;
	case 0x8f: /* pop */
		if (insn->is_mem)
			move_sp(x, push_size(x));
		else
			pop(x, dwarf(x, insn->rm));
		return true;
	case 0xc8:
		enter_frame(x);
		return true;
	case 0xc9:
		leave(x);
		return true;
	case 0xff: /* push of memory or a register */
		if ((insn->reg & 7) != 6)
			return false;
		if (insn->is_mem)
			push_memory(x);
		else
			push(x, dwarf(x, insn->rm));
		return true;
	default:
		return false;
	}
}

static void copy_reg(struct x86 *x, uint8_t to, uint8_t from)
{
	note_table(x, to, x->code->table_regs & bit(from));
	if (!is_full(x)) {
		unw_code_clobber(x->code, to);
		return;
	}
	unw_code_add(x->code, to, from, 0);
	if (to == sp(x))
		release(x, UNW_RELEASE_REGS);
}

static void load(struct x86 *x, uint8_t to)
{
	uint8_t base;
	bool is_from_table = is_table_load(x);

	if (is_full(x) && is_simple_memory(x, &base))
		unw_code_load(x->code, to, base, x->insn.disp);
	else
		unw_code_clobber(x->code, to);
	note_table(x, to, is_from_table);
}

static void store(struct x86 *x, uint8_t from)
{
	uint8_t base;

	if (is_full(x) && is_simple_memory(x, &base))
		unw_code_store(x->code, from, base, x->insn.disp);
}

static void load_address(struct x86 *x, uint8_t to)
{
	uint8_t base;

	note_table(x, to, false);
	if (!is_full(x) || !is_simple_memory(x, &base)) {
		unw_code_clobber(x->code, to);
		return;
	}
	if (to == sp(x) && base == sp(x)) {
		move_sp(x, x->insn.disp);
		return;
	}
	unw_code_add(x->code, to, base, x->insn.disp);
	if (to == sp(x))
		release(x, UNW_RELEASE_REGS);
}

/** Add @p by to @p reg, both as full words. */
static void add_constant(struct x86 *x, uint8_t reg, int64_t by)
{
	if (!is_full(x))
		clobber(x, reg);
	else if (reg == sp(x))
		move_sp(x, by);
	else
		unw_code_add(x->code, reg, reg, by);
}

/** Apply addition, subtraction or another operation on two registers. */
static void combine(struct x86 *x, uint8_t to, uint8_t from, uint8_t operation)
{
	enum { ADD = 0x00, SUB = 0x28, XOR = 0x30 };
	struct unw_code *code = x->code;
	bool is_constant = code->reg[from].kind == UNW_VALUE_CONST;
	bool is_from_table = code->table_regs & (bit(to) | bit(from)) && operation == ADD;

	if (operation == ADD && is_full(x)) {
		unw_code_add_reg(code, to, to, from);
		note_table(x, to, is_from_table);
	} else if (operation == SUB && is_full(x) && is_constant) {
		add_constant(x, to, -code->reg[from].off);
	} else if (operation == XOR && to == from) {
		note_table(x, to, false);
		unw_code_set(code, to, 0);
	} else {
		clobber(x, to);
	}
}

/**
 * Apply arithmetic on a register and an immediate (group 1). The stack pointer is realigned by
 * masking it.
 */
static void apply_immediate(struct x86 *x)
{
	enum { ADD = 0, AND = 4, SUB = 5, CMP = 7 };
	uint8_t to = dwarf(x, x->insn.rm);
	uint8_t operation = x->insn.reg & 7;

	if (operation == CMP)
		return;
	if (operation == ADD || operation == SUB)
		add_constant(x, to, operation == ADD ? x->insn.imm : -x->insn.imm);
	else if (operation == AND && to == sp(x) && is_full(x))
		unw_code_realign(x->code);
	else
		clobber(x, to);
}

/**
 * Apply a comparison of the stack pointer with a register, followed by a branch if they differ: at
 * the end of a loop that touches each page of a large frame they are equal.
 */
static void apply_comparison(struct x86 *x, uint8_t one, uint8_t other)
{
	enum { JNE = 0x75 };
	struct unw_code *code = x->code;
	uint8_t limit = one == sp(x) ? other : one;

	if ((one != sp(x) && other != sp(x)) || !is_full(x) || code->n_bytes <= x->insn.len ||
		code->bytes[x->insn.len] != JNE || code->reg[limit].kind != UNW_VALUE_SUM)
		return;
	unw_code_add(code, sp(x), limit, 0);
}

/** Apply an exchange of two registers. */
static void exchange(struct x86 *x, uint8_t one, uint8_t other)
{
	struct unw_value value = x->code->reg[one];

	if (!is_full(x) || one == sp(x) || other == sp(x)) {
		clobber(x, one);
		clobber(x, other);
		return;
	}
	unw_code_add(x->code, one, other, 0);
	x->code->reg[other] = value;
	note_table(x, one, false);
	note_table(x, other, false);
}

/** Apply arithmetic on two registers: opcode bits 5 to 3 are the operation. */
static bool apply_arithmetic(struct x86 *x)
{
	enum { CMP = 0x38, TO_RM = 1, TO_REG = 3 };
	const struct unw_x86_insn *insn = &x->insn;
	uint8_t form = insn->opcode & 7;
	bool is_to_reg = form == TO_REG;
	uint8_t reg = dwarf(x, insn->reg);
	uint8_t rm = dwarf(x, insn->rm);

	if (insn->opcode >= 0x40 || (form != TO_RM && form != TO_REG) || insn->is_mem)
		return false;
	if ((insn->opcode & 0x38) == CMP)
		apply_comparison(x, reg, rm);
	else
		combine(x, is_to_reg ? reg : rm, is_to_reg ? rm : reg, insn->opcode & 0x38);
	return true;
}

/** Apply an instruction that moves or computes words. Returns false for any other one. */
static bool apply_move(struct x86 *x)
{
	const struct unw_x86_insn *insn = &x->insn;
	uint8_t reg = dwarf(x, insn->reg);
	uint8_t rm = dwarf(x, insn->rm);
	bool is_group_1 = insn->opcode == 0x81 || insn->opcode == 0x83;

	if (insn->map != UNW_X86_ONE_BYTE)
		return false;
	if (insn->has_modrm && !insn->is_mem && is_group_1) {
		apply_immediate(x);
		return true;
	}
	switch (insn->opcode) {
	case 0x63: /* movslq */
		if (!x->is_64)
			return false;
		unw_code_clobber(x->code, reg);
		note_table(x, reg, insn->is_mem ? is_table_load(x) : x->code->table_regs & bit(rm));
		return true;
	case 0x87: /* xchg */
		if (insn->is_mem)
			return false;
		exchange(x, reg, rm);
		return true;
	case 0x89: /* mov from a register */
		if (insn->is_mem)
			store(x, reg);
		else
			copy_reg(x, rm, reg);
		return true;
	case 0x8b: /* mov to a register */
		if (insn->is_mem)
			load(x, reg);
		else
			copy_reg(x, reg, rm);
		return true;
	case 0x8d:
		load_address(x, reg);
		return true;
	case NOP:
		return !(insn->rex & 1);
	case 0x98: /* cltq keeps a word of a table */
		unw_code_clobber(x->code, RAX);
		return true;
	case 0xc7: /* mov of an immediate */
		if (insn->is_mem || insn->reg & 7)
			return false;
		note_table(x, rm, false);
		unw_code_set(x->code, rm, insn->imm);
		return true;
	default:
		return apply_arithmetic(x);
	}
}

/** Clobber all registers that the instruction writes. */
static void clobber_results(struct x86 *x)
{
	uint16_t mask = unw_x86_insn_writes(&x->insn);

	for (uint8_t reg = 0; mask; reg++, mask >>= 1) {
		if (mask & 1)
			clobber(x, dwarf(x, reg));
	}
}

static struct unw_insn go(const struct x86 *x, enum unw_flow flow)
{
	return (struct unw_insn){
		.flow = flow,
		.len = x->insn.len,
		.target = x->code->pc + x->insn.len + (uint64_t)x->insn.imm,
	};
}

/**
 * Return. Arguments that the return removes are not counted: like call frame information, rows are
 * about the moment of the call.
 */
static struct unw_insn return_to_caller(struct x86 *x)
{
	uint8_t ra = x->code->arch->ra;

	unw_code_load(x->code, ra, sp(x), 0);
	unw_code_add(x->code, sp(x), sp(x), x->word);
	return (struct unw_insn){ .flow = UNW_FLOW_RETURN, .len = x->insn.len, .reg = ra };
}

/** Read the instruction at the vaddr @p pc. Returns false if it is not known. */
static bool read_at(
	const struct unw_section *text, uint64_t pc, bool is_64, struct unw_x86_insn *ret)
{
	uint64_t off = pc - text->vaddr;

	return off < text->size &&
	       unw_x86_insn_read(text->data + off, text->size - off, is_64, ret);
}

/** Bytes of arguments that the i386 function at @p target removes when it returns. */
static int64_t popped_by(const struct unw_section *text, uint64_t target)
{
	enum { MAX_INSNS = 256, RET = 0xc3, RET_POP = 0xc2, JUMP = 0xe9, SHORT_JUMP = 0xeb };
	uint64_t at = target;
	struct unw_x86_insn insn;

	for (int i = 0; i < MAX_INSNS; i++) {
		if (!read_at(text, at, false, &insn))
			return 0;
		at += insn.len;
		if (insn.map != UNW_X86_ONE_BYTE)
			continue;
		if (insn.opcode == RET)
			return 0;
		if (insn.opcode == RET_POP)
			return insn.imm & 0xffff;
		if (insn.opcode == JUMP || insn.opcode == SHORT_JUMP)
			at += (uint64_t)insn.imm;
	}
	return 0;
}

static struct unw_insn call(struct x86 *x, bool is_direct)
{
	struct unw_insn insn = go(x, UNW_FLOW_CALL);
	const struct unw_arch *arch = x->code->arch;

	/* A call of the next instruction pushes its address for position-independent code. */
	if (is_direct && !x->insn.imm) {
		push_unknown(x);
		return go(x, UNW_FLOW_NEXT);
	}
	for (uint8_t reg = 0; reg < arch->n_regs; reg++) {
		if (reg != arch->sp && !is_preserved(x, reg))
			clobber(x, reg);
	}
	x->code->release = UNW_RELEASE_NONE;
	if (x->is_64)
		return insn;
	if (is_direct)
		unw_code_add(x->code, arch->sp, arch->sp, popped_by(x->code->text, insn.target));
	x->code->has_arguments = true;
	return insn;
}

/**
 * Decode a jump to a computed address. It leaves the function if the address comes from a variable,
 * or if the frame was released before. Otherwise it goes through a table.
 */
static struct unw_insn jump_somewhere(struct x86 *x)
{
	const struct unw_x86_insn *insn = &x->insn;
	bool is_table =
		insn->is_mem ? is_table_load(x) : x->code->table_regs & bit(dwarf(x, insn->rm));
	enum unw_release needed = is_table ? UNW_RELEASE_REGS : UNW_RELEASE_SPACE;

	if (insn->is_mem && !is_table)
		return return_to_caller(x);
	if (!insn->is_notrack && x->code->release >= needed)
		return return_to_caller(x);
	return go(x, UNW_FLOW_SOMEWHERE);
}

/** Decode calls, jumps and pushes of the opcode ff. */
static bool decode_group_5(struct x86 *x, struct unw_insn *ret)
{
	switch (x->insn.reg & 7) {
	case 2:
		*ret = call(x, false);
		return true;
	case 4:
		*ret = jump_somewhere(x);
		return true;
	case 3: /* far calls and jumps */
	case 5:
	case 7:
		*ret = go(x, UNW_FLOW_STOP);
		return true;
	default:
		return false;
	}
}

/** Decode an instruction after which another one may follow than the next. */
static bool decode_flow(struct x86 *x, struct unw_insn *ret)
{
	const struct unw_x86_insn *insn = &x->insn;
	enum { FAST_FAIL = 0x29 };

	if (insn->is_vex || insn->map > UNW_X86_0F)
		return false;
	*ret = go(x, UNW_FLOW_STOP);
	if (insn->map == UNW_X86_0F) {
		/* ud2, sysenter, sysexit, sysret, rsm, ud1, ud0 */
		static const uint8_t stops[] = { 0x0b, 0x34, 0x35, 0x07, 0xaa, 0xb9, 0xff };

		ret->flow = insn->opcode >> 4 == 8 ? UNW_FLOW_BRANCH : UNW_FLOW_STOP;
		return insn->opcode >> 4 == 8 || memchr(stops, insn->opcode, sizeof(stops));
	}
	switch (insn->opcode) {
	case 0xc2:
	case 0xc3:
		*ret = return_to_caller(x);
		return true;
	case 0xe0: /* loops count down rcx */
	case 0xe1:
	case 0xe2:
		clobber(x, dwarf(x, RCX));
		ret->flow = UNW_FLOW_BRANCH;
		return true;
	case 0xe3: /* jrcxz */
		ret->flow = UNW_FLOW_BRANCH;
		return true;
	case 0xe8:
		*ret = call(x, true);
		return true;
	case 0xe9:
	case 0xeb:
		ret->flow = UNW_FLOW_JUMP;
		return true;
	case 0x9a: /* far calls, jumps and returns */
	case 0xca:
	case 0xcb:
	case 0xcf:
	case 0xea:
	case 0xcc: /* int3, into, int1, hlt */
	case 0xce:
	case 0xf1:
	case 0xf4:
		return true;
	case 0xcd: /* system calls return; fast fails do not */
		return (insn->imm & 0xff) == FAST_FAIL;
	case 0xff:
		return decode_group_5(x, ret);
	default:
		ret->flow = UNW_FLOW_BRANCH;
		return insn->opcode >> 4 == 7;
	}
}

struct unw_insn unw_x86_decode(struct unw_code *code)
{
	struct x86 x = { .code = code, .word = code->arch->arch->word };
	struct unw_insn insn;

	x.is_64 = x.word == 8;
	if (!unw_x86_insn_read(code->bytes, code->n_bytes, x.is_64, &x.insn))
		return (struct unw_insn){ .flow = UNW_FLOW_STOP };
	if (decode_flow(&x, &insn))
		return insn;
	bool is_applied = !x.insn.is_vex && (apply_stack(&x) || apply_move(&x));
	if (!is_applied)
		clobber_results(&x);
	return (struct unw_insn){ .flow = UNW_FLOW_NEXT, .len = x.insn.len };
}

/** Whether the bytes from @p off of @p text are @p bytes. */
static bool has_bytes(const struct unw_section *text, uint64_t off, const uint8_t *bytes, size_t n)
{
	return off <= text->size && n <= text->size - off &&
	       memcmp(text->data + off, bytes, n) == 0;
}

/**
 * Functions set rbp to rsp and then push further registers. So among these pushes, rbp is known by
 * the stack pointer.
 */
static void note_copied_sp(const struct unw_section *text, struct unw_code *code)
{
	enum { PUSH = 0x50, PUSH_R8 = 0x41, MAX_PUSHES = 6 };
	static const uint8_t copies[][3] = { { 0x48, 0x89, 0xe5 }, { 0x48, 0x8b, 0xec } };
	bool is_64 = code->arch->arch->word == 8;
	uint64_t off = code->pc - text->vaddr;
	size_t len = is_64 ? 3 : 2;
	int n_pushes = 0;

	while (n_pushes < MAX_PUSHES && off && text->data[off - 1] >> 3 == PUSH >> 3) {
		n_pushes++;
		off -= is_64 && off > 1 && text->data[off - 2] == PUSH_R8 ? 2 : 1;
	}
	for (size_t i = 0; i < 2 && off >= len; i++) {
		if (has_bytes(text, off - len, copies[i] + !is_64, len))
			unw_code_add(code, code->arch->fp, code->arch->sp,
				n_pushes * (int64_t)code->arch->arch->word);
	}
}

/** Find the target of a direct call that ends at @p next. */
static bool find_call_target(
	const struct unw_section *text, uint64_t next, bool is_64, uint64_t *ret)
{
	enum { CALL = 0xe8, CALL_BYTES = 5 };
	struct unw_x86_insn insn;

	if (!read_at(text, next - CALL_BYTES, is_64, &insn) || insn.map != UNW_X86_ONE_BYTE ||
		insn.opcode != CALL || insn.len != CALL_BYTES)
		return false;
	*ret = next + (uint64_t)insn.imm;
	return true;
}

bool unw_x86_begin_code(const struct unw_section *text, struct unw_code *code, bool is_at_call)
{
	bool is_64 = code->arch->arch->word == 8;
	uint64_t target;

	if (!is_at_call)
		note_copied_sp(text, code);
	else if (!is_64 && find_call_target(text, code->pc, is_64, &target))
		unw_code_add(code, code->arch->sp, code->arch->sp, popped_by(text, target));
	return true;
}

/**
 * Whether a function may begin at @p pc: they begin at multiples of 16 bytes, after instructions
 * without effect.
 */
static bool may_begin_function(const struct unw_section *text, uint64_t pc, bool is_64)
{
	enum { ALIGN = 16, LONG_NOP = 0x1f, INT3 = 0xcc };
	struct unw_x86_insn insn;

	for (; pc % ALIGN; pc += insn.len) {
		if (!read_at(text, pc, is_64, &insn))
			return false;
		bool is_nop = insn.map == UNW_X86_0F ? insn.opcode == LONG_NOP
						     : insn.opcode == NOP || insn.opcode == INT3;
		if (!is_nop)
			return false;
	}
	return true;
}

/**
 * Whether some path from @p pc leads to a return without any call, which proves that the function
 * there returns. Only a few instructions are tried.
 */
static bool is_sure_to_return(const struct unw_section *text, uint64_t pc, bool is_64)
{
	enum { MAX_INSNS = 24, MAX_PATHS = 4 };
	enum {
		RET = 0xc3,
		RET_POP = 0xc2,
		CALL = 0xe8,
		JUMP = 0xe9,
		SHORT_JUMP = 0xeb,
		HLT = 0xf4
	};
	uint64_t paths[MAX_PATHS] = { pc };
	struct unw_x86_insn insn = { 0 };
	int n_paths = 1;

	for (int i = 0; i < MAX_INSNS && n_paths; i++) {
		uint64_t *at = &paths[n_paths - 1];
		bool is_known = read_at(text, *at, is_64, &insn);
		uint8_t op = insn.map == UNW_X86_ONE_BYTE ? insn.opcode : 0;
		bool is_branch = op >> 4 == 7 || (insn.map == UNW_X86_0F && insn.opcode >> 4 == 8);

		if (is_known && (op == RET || op == RET_POP))
			return true;
		*at += insn.len;
		if (!is_known || op == CALL || op == HLT || op == 0xff ||
			(insn.map == UNW_X86_0F && insn.opcode == 0x0b))
			n_paths--;
		else if (op == JUMP || op == SHORT_JUMP)
			*at += (uint64_t)insn.imm;
		else if (is_branch && n_paths < MAX_PATHS)
			paths[n_paths++] = *at + (uint64_t)insn.imm;
	}
	return false;
}

enum unw_last unw_x86_is_last(
	const struct unw_arch *arch, const struct unw_section *text, uint64_t next)
{
	bool is_64 = arch->arch->word == 8;
	uint64_t target;

	if (!may_begin_function(text, next, is_64))
		return UNW_LAST_NO;
	bool is_sure = find_call_target(text, next, is_64, &target) &&
		       is_sure_to_return(text, target, is_64);
	return is_sure ? UNW_LAST_NO : UNW_LAST_MAYBE;
}

uint8_t unw_x86_read_reference(const struct unw_arch *arch, const struct unw_section *text,
	uint64_t pc, uint64_t *target_ret)
{
	enum { CALL = 0xe8, LEA = 0x8d, PUSH = 0x68, MOV_TO_REG = 0xb8, MOV = 0xc7 };
	struct unw_x86_insn insn;

	if (!read_at(text, pc, arch->arch->word == 8, &insn))
		return 1;
	uint8_t op = insn.map == UNW_X86_ONE_BYTE ? insn.opcode : 0;
	if (op == CALL)
		*target_ret = pc + insn.len + (uint64_t)insn.imm;
	else if (op == LEA && insn.is_pc_relative)
		*target_ret = pc + insn.len + (uint64_t)(int64_t)insn.disp;
	/* Other numbers are constants rather than functions, which are aligned. */
	else if ((op == PUSH || op == MOV || (op & 0xf8) == MOV_TO_REG) && !(insn.imm & 15))
		*target_ret = (uint32_t)insn.imm;
	return insn.len;
}

enum unw_call unw_x86_call_before(const struct unw_arch *arch, const struct unw_section *text,
	uint64_t next, uint64_t *target_ret)
{
	enum { GROUP = 0xff, CALL = 2, MIN_BYTES = 2, MAX_BYTES = 9 };
	bool is_64 = arch->arch->word == 8;
	struct unw_x86_insn insn;

	/* The last bytes of a direct call are rarely an indirect one. */
	for (uint8_t len = MIN_BYTES; len <= MAX_BYTES; len++) {
		if (read_at(text, next - len, is_64, &insn) && insn.map == UNW_X86_ONE_BYTE &&
			insn.opcode == GROUP && (insn.reg & 7) == CALL && insn.len == len)
			return UNW_CALL_INDIRECT;
	}
	return find_call_target(text, next, is_64, target_ret) ? UNW_CALL_DIRECT : UNW_CALL_NONE;
}
