/*
 * Decoder of 32-bit ARM instructions, as far as they matter to unw_code_find_row(). Encodings: ARM
 * Architecture Reference Manual ARMv7-A, A5 (ARM) and A6 (Thumb). Conditional instructions other
 * than branches are assumed not to be executed.
 */
#include "unwind/rules/code_analysis.h"

#include <string.h>

#include <pdconv/cursor.h>

#include "base/lower_bound.h"

enum { REG_IP = 12, REG_SP = 13, REG_LR = 14, REG_PC = 15, N_REGS = 16 };

/** Bits @p hi to @p lo of @p word. */
static uint32_t bits(uint32_t word, unsigned int hi, unsigned int lo)
{
	return (word >> lo) & ((UINT32_C(2) << (hi - lo)) - 1);
}

static bool bit(uint32_t word, unsigned int i)
{
	return word >> i & 1;
}

static int64_t sign_extend(uint32_t value, unsigned int n_bits)
{
	uint32_t sign = UINT32_C(1) << (n_bits - 1);

	return (int64_t)(int32_t)((value ^ sign) - sign);
}

/** Control flow with a target @p by bytes from the instruction. */
static struct unw_insn go(const struct unw_code *code, enum unw_flow flow, int64_t by)
{
	return (struct unw_insn){ .flow = flow, .target = code->pc + (uint64_t)by, .reg = REG_LR };
}

static struct unw_insn next(const struct unw_code *code)
{
	return go(code, UNW_FLOW_NEXT, 0);
}

/** Jump to the address in @p reg. */
static struct unw_insn go_to_reg(const struct unw_code *code, uint8_t reg)
{
	return go(code, reg == REG_LR ? UNW_FLOW_RETURN : UNW_FLOW_SOMEWHERE, 0);
}

/** Control flow after a load: loading the program counter is a return. */
static struct unw_insn after_load(struct unw_code *code, bool loads_pc)
{
	if (!loads_pc)
		return next(code);
	struct unw_insn insn = go(code, UNW_FLOW_RETURN, 0);
	insn.reg = REG_PC;
	return insn;
}

/** LDM, STM, PUSH or POP. */
struct multiple {
	/** Base register. */
	uint8_t rn;
	/** Mask of the registers to be loaded or stored. */
	uint32_t list;
	bool is_load;
	/** Addresses increase from the base, else decrease. */
	bool is_up;
	/** The first address is next to the base, not at it. */
	bool is_before;
	bool writes_back;
};

static struct unw_insn do_multiple(struct unw_code *code, const struct multiple *m)
{
	int n_bytes = 4 * __builtin_popcount(m->list);
	int64_t off = m->is_up ? 0 : -n_bytes;
	struct unw_value base = code->reg[m->rn];

	off += m->is_up == m->is_before ? 4 : 0;
	for (uint8_t reg = 0; reg < N_REGS; reg++) {
		if (!bit(m->list, reg))
			continue;
		struct unw_value before = code->reg[m->rn];

		/* The list may contain the base, whose old value all accesses use. */
		code->reg[m->rn] = base;
		if (m->is_load)
			unw_code_load(code, reg, m->rn, off);
		else
			unw_code_store(code, reg, m->rn, off);
		if (reg != m->rn)
			code->reg[m->rn] = before;
		off += 4;
	}
	if (m->writes_back) {
		code->reg[m->rn] = base;
		unw_code_add(code, m->rn, m->rn, m->is_up ? n_bytes : -n_bytes);
	}
	/* Jumps through tables never use LDM, so this is a return. */
	return after_load(code, m->is_load && bit(m->list, REG_PC));
}

/** LDM and STM with the fields that ARM and 32-bit Thumb have in common. */
static struct unw_insn do_multiple_bits(struct unw_code *code, uint32_t w)
{
	const struct multiple m = {
		.rn = (uint8_t)bits(w, 19, 16),
		.list = bits(w, 15, 0),
		.is_load = bit(w, 20),
		.is_up = bit(w, 23),
		.is_before = bit(w, 24),
		.writes_back = bit(w, 21),
	};

	return do_multiple(code, &m);
}

/** Load or store of one or two words. */
struct access {
	bool is_load;
	uint8_t rn;
	int64_t off;
	/** Pre-indexed: the access uses the offset, not only the write-back. */
	bool is_before;
	bool writes_back;
};

/** Load or store @p n words: the first with @p rt, the second with @p rt2. */
static struct unw_insn do_words(
	struct unw_code *code, const struct access *access, uint8_t rt, uint8_t rt2, int n)
{
	int64_t off = access->is_before ? access->off : 0;
	bool is_stack = access->rn == REG_SP;

	/* Unpredictable by the architecture, so this is not code. */
	if (access->writes_back && !access->is_before && access->is_load && rt == access->rn)
		return go(code, UNW_FLOW_STOP, 0);
	for (int i = 0; i < n; i++, off += 4) {
		uint8_t reg = i ? rt2 : rt;

		if (access->is_load)
			unw_code_load(code, reg, access->rn, off);
		else
			unw_code_store(code, reg, access->rn, off);
	}
	if (access->writes_back)
		unw_code_add(code, access->rn, access->rn, access->off);
	/* Stubs of linkers load pc with write-back to ip; other such loads jump through tables. */
	if (access->is_load && rt == REG_PC && !is_stack)
		return access->rn == REG_IP && access->writes_back ? go(code, UNW_FLOW_RETURN, 0)
								   : next(code);
	return after_load(code, access->is_load && rt == REG_PC);
}

/** VLDM, VSTM, VPUSH and VPOP: only the write-back matters. ARM and Thumb have the same bits. */
static struct unw_insn do_coprocessor(struct unw_code *code, uint32_t w)
{
	uint8_t rn = (uint8_t)bits(w, 19, 16);
	int64_t off = 4 * (int64_t)bits(w, 7, 0);

	if (bits(w, 27, 25) == 6 && bit(w, 21))
		unw_code_add(code, rn, rn, bit(w, 23) ? off : -off);
	/* Moves from a coprocessor. */
	if (bits(w, 27, 24) == 0xe && bit(w, 4) && bit(w, 20))
		unw_code_clobber(code, (uint8_t)bits(w, 15, 12));
	return next(code);
}

enum operation { ADD, SUB, MOVE, OTHER };

/** Data processing with a constant. */
static struct unw_insn do_constant(
	struct unw_code *code, enum operation what, uint8_t rd, uint8_t rn, int64_t imm)
{
	if (rd == REG_PC)
		return go(code, UNW_FLOW_STOP, 0);
	if (what == MOVE)
		unw_code_set(code, rd, imm);
	else if (what == OTHER || rn == REG_PC)
		unw_code_clobber(code, rd);
	else
		unw_code_add(code, rd, rn, what == ADD ? imm : -imm);
	return next(code);
}

/* ARM */

/** Multiplications, loads and stores of half and double words, and synchronization. */
static struct unw_insn arm_extra(struct unw_code *code, uint32_t w)
{
	uint8_t rt = (uint8_t)bits(w, 15, 12);
	int64_t off = bits(w, 11, 8) << 4 | bits(w, 3, 0);
	const struct access access = {
		.is_load = !bit(w, 5),
		.rn = (uint8_t)bits(w, 19, 16),
		.off = bit(w, 23) ? off : -off,
		.is_before = bit(w, 24),
		.writes_back = !bit(w, 24) || bit(w, 21),
	};
	bool is_double = !bit(w, 20) && bit(w, 22) && bits(w, 7, 6) == 3;

	if (is_double && rt != REG_LR)
		return do_words(code, &access, rt, rt + 1, 2);
	unw_code_clobber(code, rt == REG_PC ? 0 : rt);
	/* Multiplications have their result in the other register field. */
	if (bits(w, 7, 4) == 9 && !bit(w, 24))
		unw_code_clobber(code, access.rn == REG_PC ? 0 : access.rn);
	return next(code);
}

static struct unw_insn arm_data_reg(struct unw_code *code, uint32_t w)
{
	enum { ADD_OP = 4, MOV_OP = 13 };
	uint32_t op = bits(w, 24, 21);
	uint8_t rd = (uint8_t)bits(w, 15, 12);
	uint8_t rm = (uint8_t)bits(w, 3, 0);
	bool is_plain = bits(w, 11, 4) == 0;

	if ((w & 0x0ffffff0) == 0x012fff10)
		return go_to_reg(code, rm);
	if ((w & 0x0ffffff0) == 0x012fff30)
		return go(code, UNW_FLOW_CALL, 0);
	/* Comparisons only set flags. */
	if (op >= 8 && op < 12)
		return next(code);
	/* Other operations on pc are computed jumps through tables. */
	if (rd == REG_PC)
		return go_to_reg(code, op == MOV_OP && is_plain ? rm : 0);
	if (op == MOV_OP && is_plain && rm != REG_PC)
		unw_code_add(code, rd, rm, 0);
	else if (op == ADD_OP && is_plain)
		unw_code_add_reg(code, rd, (uint8_t)bits(w, 19, 16), rm);
	else
		unw_code_clobber(code, rd);
	return next(code);
}

static struct unw_insn arm_data_imm(struct unw_code *code, uint32_t w)
{
	uint32_t op = bits(w, 24, 21);
	uint8_t rd = (uint8_t)bits(w, 15, 12);
	unsigned int rotation = 2 * bits(w, 11, 8);
	uint32_t imm = bits(w, 7, 0);

	if (rotation)
		imm = imm >> rotation | imm << (32 - rotation);
	if (bits(w, 27, 20) == 0x30) /* movw */
		return do_constant(code, MOVE, rd, 0, bits(w, 19, 16) << 12 | bits(w, 11, 0));
	if (op >= 8 && op < 12) /* comparisons, hints; movt */
		return bits(w, 27, 20) == 0x34 ? do_constant(code, OTHER, rd, 0, 0) : next(code);
	return do_constant(code,
		op == 4	   ? ADD
		: op == 2  ? SUB
		: op == 13 ? MOVE
			   : OTHER,
		rd, (uint8_t)bits(w, 19, 16), imm);
}

/** LDR and STR of words and bytes. */
static struct unw_insn arm_word(struct unw_code *code, uint32_t w)
{
	uint8_t rt = (uint8_t)bits(w, 15, 12);
	bool is_byte = bit(w, 22);
	bool is_load = bit(w, 20);
	bool has_reg = bit(w, 25);
	int64_t off = bits(w, 11, 0);
	const struct access access = {
		.is_load = is_load,
		.rn = (uint8_t)bits(w, 19, 16),
		.off = bit(w, 23) ? off : -off,
		.is_before = bit(w, 24),
		.writes_back = !bit(w, 24) || bit(w, 21),
	};

	/*
	 * Registers are saved as whole words at a constant offset. A load relative to pc reads a
	 * constant.
	 */
	if (!has_reg && !is_byte && access.rn != REG_PC)
		return do_words(code, &access, rt, 0, 1);
	if (access.writes_back && access.rn == REG_SP)
		return go(code, UNW_FLOW_STOP, 0);
	/*
	 * With a register offset and bit 4 set, this is a media instruction, which writes a
	 * register (ARM Architecture Reference Manual for ARMv7, A5.4).
	 */
	if (is_load || (has_reg && bit(w, 4)))
		unw_code_clobber(code, rt == REG_PC ? 0 : rt);
	return next(code);
}

/* Instructions of stubs by which linkers reach functions that are far away. The last ones jump. */
enum {
	STUB_LDR_IP = 0xe59fc000,	/* ldr ip, [pc] */
	STUB_LDR_IP_4 = 0xe59fc004,	/* ldr ip, [pc, #4] */
	STUB_ADD_IP_PC = 0xe08fc00c,	/* add ip, pc, ip */
	STUB_ADD_IP_IP_PC = 0xe08cc00f, /* add ip, ip, pc */
	STUB_ADD_PC = 0xe08ff00c,	/* add pc, pc, ip */
	STUB_ADD_PC_IP = 0xe08cf00f,	/* add pc, ip, pc */
	STUB_BX_IP = 0xe12fff1c,	/* bx ip */
};

static bool is_stub(uint32_t w)
{
	return w == STUB_LDR_IP || w == STUB_LDR_IP_4 || w == STUB_ADD_IP_PC ||
	       w == STUB_ADD_IP_IP_PC || w == STUB_ADD_PC || w == STUB_ADD_PC_IP || w == STUB_BX_IP;
}

static struct unw_insn decode_arm(struct unw_code *code, uint32_t w)
{
	enum { ALWAYS = 14, NO_CONDITION = 15 };
	uint32_t condition = bits(w, 31, 28);
	int64_t by = sign_extend(bits(w, 23, 0), 24) * 4 + 8;

	/* The function that the stub jumps to returns to the caller of the stub. */
	if (w == STUB_ADD_PC || w == STUB_ADD_PC_IP || w == STUB_BX_IP)
		return go(code, UNW_FLOW_RETURN, 0);
	if (condition == NO_CONDITION)
		return go(code, bits(w, 27, 25) == 5 ? UNW_FLOW_CALL : UNW_FLOW_NEXT, 0);
	if (bits(w, 27, 24) == 0xb)
		return go(code, UNW_FLOW_CALL, 0);
	if (bits(w, 27, 24) == 0xa)
		return go(code, condition == ALWAYS ? UNW_FLOW_JUMP : UNW_FLOW_BRANCH, by);
	if (condition != ALWAYS)
		return next(code);
	switch (bits(w, 27, 25)) {
	case 0:
		return bit(w, 7) && bit(w, 4) ? arm_extra(code, w) : arm_data_reg(code, w);
	case 1:
		return arm_data_imm(code, w);
	case 2:
		return arm_word(code, w);
	case 3: /* 0xe7f...f. is permanently undefined */
		if (bits(w, 27, 20) == 0x7f && bits(w, 7, 4) == 0xf)
			return go(code, UNW_FLOW_STOP, 0);
		return arm_word(code, w);
	case 4:
		return do_multiple_bits(code, w);
	default:
		return do_coprocessor(code, w);
	}
}

/* Thumb, 16 bits */

static struct unw_insn thumb_push(struct unw_code *code, uint32_t w)
{
	const struct multiple push = {
		.rn = REG_SP,
		.list = bits(w, 7, 0) | bits(w, 8, 8) << REG_LR,
		.is_before = true,
		.writes_back = true,
	};

	return do_multiple(code, &push);
}

static struct unw_insn thumb_pop(struct unw_code *code, uint32_t w)
{
	const struct multiple pop = {
		.rn = REG_SP,
		.list = bits(w, 7, 0) | bits(w, 8, 8) << REG_PC,
		.is_load = true,
		.is_up = true,
		.writes_back = true,
	};

	return do_multiple(code, &pop);
}

/** 0xb...: changes of the stack pointer, and others. */
static struct unw_insn thumb_misc(struct unw_code *code, uint32_t w)
{
	int64_t imm = 4 * (int64_t)bits(w, 6, 0);

	switch (bits(w, 11, 8)) {
	case 0x0: /* add and sub of sp */
		return do_constant(code, bit(w, 7) ? SUB : ADD, REG_SP, REG_SP, imm);
	case 0x1: /* cbz and cbnz */
	case 0x3:
	case 0x9:
	case 0xb:
		return go(code, UNW_FLOW_BRANCH, (bits(w, 9, 9) << 6 | bits(w, 7, 3) << 1) + 4);
	case 0x4: /* push */
	case 0x5:
		return thumb_push(code, w);
	case 0xc: /* pop */
	case 0xd:
		return thumb_pop(code, w);
	case 0xe: /* bkpt */
		return go(code, UNW_FLOW_STOP, 0);
	case 0xf: /* it, and hints */
		if (bits(w, 3, 0))
			code->n_conditional = (uint8_t)(4 - __builtin_ctz(w & 0xf));
		return next(code);
	default: /* extensions, and rev */
		unw_code_clobber(code, (uint8_t)bits(w, 2, 0));
		return next(code);
	}
}

/** STMIA and LDMIA. A load that includes the base does not write it back. */
static struct unw_insn thumb_multiple(struct unw_code *code, uint32_t w)
{
	uint8_t rn = (uint8_t)bits(w, 10, 8);
	const struct multiple m = {
		.rn = rn,
		.list = bits(w, 7, 0),
		.is_load = bit(w, 11),
		.is_up = true,
		.writes_back = !bit(w, 11) || !bit(w, rn),
	};

	return do_multiple(code, &m);
}

/** 0x44.. to 0x47..: operations with registers above r7. */
static struct unw_insn thumb_high(struct unw_code *code, uint32_t w)
{
	uint8_t rd = (uint8_t)(bits(w, 2, 0) | bits(w, 7, 7) << 3);
	uint8_t rm = (uint8_t)bits(w, 6, 3);

	switch (bits(w, 9, 8)) {
	case 0: /* add */
		if (rd == REG_PC)
			return go_to_reg(code, rm);
		if (rm == REG_PC)
			return do_constant(code, OTHER, rd, 0, 0);
		unw_code_add_reg(code, rd, rd, rm);
		return next(code);
	case 1: /* cmp */
		return next(code);
	case 2: /* mov */
		if (rd == REG_PC)
			return go_to_reg(code, rm);
		if (rm == REG_PC)
			unw_code_clobber(code, rd);
		else
			unw_code_add(code, rd, rm, 0);
		return next(code);
	default: /* bx and blx */
		return bit(w, 7) ? go(code, UNW_FLOW_CALL, 0) : go_to_reg(code, rm);
	}
}

/** 0xd...: conditional branches, and system calls. */
static struct unw_insn thumb_branch(const struct unw_code *code, uint32_t w)
{
	enum { UNDEFINED = 14, SYSTEM_CALL = 15 };

	switch (bits(w, 11, 8)) {
	case UNDEFINED:
		return go(code, UNW_FLOW_STOP, 0);
	case SYSTEM_CALL:
		return next(code);
	default:
		return go(code, UNW_FLOW_BRANCH, sign_extend(bits(w, 7, 0), 8) * 2 + 4);
	}
}

static struct unw_insn decode_thumb(struct unw_code *code, uint32_t w)
{
	uint8_t low = (uint8_t)bits(w, 2, 0);
	uint8_t middle = (uint8_t)bits(w, 10, 8);
	int64_t imm = bits(w, 7, 0);
	struct access access = {
		.is_load = bit(w, 11),
		.rn = (uint8_t)bits(w, 5, 3),
		.off = 4 * (int64_t)bits(w, 10, 6),
		.is_before = true,
	};

	switch (bits(w, 15, 11)) {
	case 0x3: /* add and sub of two registers, or one and three bits */
		if (!bit(w, 10))
			return do_constant(code, OTHER, low, 0, 0);
		return do_constant(code, bit(w, 9) ? SUB : ADD, low, access.rn, bits(w, 8, 6));
	case 0x4:
		return do_constant(code, MOVE, middle, 0, imm);
	case 0x5: /* cmp */
		return next(code);
	case 0x6:
	case 0x7:
		return do_constant(code, bit(w, 11) ? SUB : ADD, middle, middle, imm);
	case 0x8:
		return bit(w, 10) ? thumb_high(code, w) : do_constant(code, OTHER, low, 0, 0);
	case 0x9: /* ldr from a literal pool; adr */
	case 0x14:
		return do_constant(code, OTHER, middle, 0, 0);
	case 0xc: /* str and ldr of words */
	case 0xd:
		return do_words(code, &access, low, 0, 1);
	case 0x12: /* str and ldr of words, relative to sp */
	case 0x13:
		access.rn = REG_SP;
		access.off = 4 * imm;
		return do_words(code, &access, middle, 0, 1);
	case 0x15:
		return do_constant(code, ADD, middle, REG_SP, 4 * imm);
	case 0x16:
	case 0x17:
		return thumb_misc(code, w);
	case 0x18: /* stm and ldm */
	case 0x19:
		return thumb_multiple(code, w);
	case 0x1a:
	case 0x1b:
		return thumb_branch(code, w);
	case 0x1c:
		return go(code, UNW_FLOW_JUMP, sign_extend(bits(w, 10, 0), 11) * 2 + 4);
	default: /* shifts; loads and stores of less than a word or with a register offset */
		return do_constant(code, OTHER, low, 0, 0);
	}
}

/* Thumb, 32 bits: w has the first halfword in its upper half. */

static struct unw_insn wide_branch(const struct unw_code *code, uint32_t w)
{
	enum { UNDEFINED = 0xf7f0a000 };
	uint32_t sign = bits(w, 26, 26);
	uint32_t j1 = bits(w, 13, 13);
	uint32_t j2 = bits(w, 11, 11);
	uint32_t low = bits(w, 10, 0) << 1;

	if (bit(w, 14))
		return go(code, UNW_FLOW_CALL, 0);
	if (bit(w, 12))
		return go(code, UNW_FLOW_JUMP,
			sign_extend(sign << 24 | (j1 == sign) << 23 | (j2 == sign) << 22 |
					    bits(w, 25, 16) << 12 | low,
				25) +
				4);
	if (bits(w, 25, 23) == 7) /* no condition: barriers, hints and status registers */
		return go(code, (w & 0xfff0f000) == UNDEFINED ? UNW_FLOW_STOP : UNW_FLOW_NEXT, 0);
	return go(code, UNW_FLOW_BRANCH,
		sign_extend(sign << 20 | j2 << 19 | j1 << 18 | bits(w, 21, 16) << 12 | low, 21) +
			4);
}

/** Expand a modified immediate constant of 12 bits. */
static uint32_t expand(uint32_t imm)
{
	uint32_t byte = imm & 0xff;
	unsigned int rotation = imm >> 7;

	switch (imm >> 8) {
	case 0:
		return byte;
	case 1:
		return byte | byte << 16;
	case 2:
		return byte << 8 | byte << 24;
	case 3:
		return byte * 0x01010101;
	default:
		byte = (byte & 0x7f) | 0x80;
		return byte >> rotation | byte << (32 - rotation);
	}
}

static struct unw_insn wide_constant(struct unw_code *code, uint32_t w)
{
	uint32_t op = bits(w, 24, 21);
	uint8_t rn = (uint8_t)bits(w, 19, 16);
	uint8_t rd = (uint8_t)bits(w, 11, 8);
	uint32_t imm = bits(w, 26, 26) << 11 | bits(w, 14, 12) << 8 | bits(w, 7, 0);

	if (rd == REG_PC) /* comparisons */
		return next(code);
	if (bit(w, 25)) { /* plain constants: addw, subw, movw, and others */
		op = bits(w, 24, 20);
		if (op == 4)
			return do_constant(code, MOVE, rd, 0, rn << 12 | imm);
		return do_constant(code, op == 0 ? ADD : op == 10 ? SUB : OTHER, rd, rn, imm);
	}
	if (op == 2 && rn == REG_PC)
		return do_constant(code, MOVE, rd, 0, expand(imm));
	return do_constant(code, op == 8 ? ADD : op == 13 ? SUB : OTHER, rd, rn, expand(imm));
}

/** TBB and TBH: a table of distances in halfwords follows. Go on at the first one's target. */
static struct unw_insn table_branch(const struct unw_code *code, bool has_halfwords)
{
	enum { LEN = 4 };
	struct pd_cursor c = pd_cursor_init(code->bytes, code->n_bytes, unw_arch_swap(code->arch));

	pd_cursor_bytes(&c, LEN);
	int64_t distance = has_halfwords ? pd_cursor_u16(&c) : pd_cursor_u8(&c);
	return go(code, c.overrun ? UNW_FLOW_STOP : UNW_FLOW_JUMP, LEN + 2 * distance);
}

/** LDRD, STRD, synchronization, and jumps through tables. */
static struct unw_insn wide_double(struct unw_code *code, uint32_t w)
{
	int64_t off = 4 * (int64_t)bits(w, 7, 0);
	uint8_t rt = (uint8_t)bits(w, 15, 12);
	const struct access access = {
		.is_load = bit(w, 20),
		.rn = (uint8_t)bits(w, 19, 16),
		.off = bit(w, 23) ? off : -off,
		.is_before = bit(w, 24),
		.writes_back = bit(w, 21),
	};

	if ((w & 0xfff0ffe0) == 0xe8d0f000)
		return table_branch(code, bit(w, 4));
	if (!access.is_before && !access.writes_back)
		return rt == REG_PC ? next(code) : do_constant(code, OTHER, rt, 0, 0);
	return do_words(code, &access, rt, (uint8_t)bits(w, 11, 8), 2);
}

/** LDR, STR and the like. */
static struct unw_insn wide_single(struct unw_code *code, uint32_t w)
{
	enum { WORD = 2 };
	uint8_t rt = (uint8_t)bits(w, 15, 12);
	bool is_load = bit(w, 20);
	bool is_long = bit(w, 23);
	bool has_reg = !is_long && !bit(w, 11);
	int64_t off = is_long ? bits(w, 11, 0) : bits(w, 7, 0);
	const struct access access = {
		.is_load = is_load,
		.rn = (uint8_t)bits(w, 19, 16),
		.off = is_long || bit(w, 9) ? off : -off,
		.is_before = is_long || bit(w, 10),
		.writes_back = !is_long && bit(w, 8),
	};

	if (bits(w, 22, 21) == WORD && !has_reg && access.rn != REG_PC)
		return do_words(code, &access, rt, 0, 1);
	/* Bytes and halfwords hold no saved register, but the access may still move its base. */
	if (!has_reg && access.writes_back && access.rn != REG_PC)
		unw_code_add(code, access.rn, access.rn, access.off);
	if (is_load && rt != REG_PC)
		unw_code_clobber(code, rt);
	return next(code);
}

static struct unw_insn wide_other(struct unw_code *code, uint32_t w)
{
	uint8_t rd = (uint8_t)bits(w, 11, 8);
	bool is_long_product = bits(w, 31, 23) == 0x1f7;

	if (is_long_product)
		unw_code_clobber(code, (uint8_t)bits(w, 15, 12));
	return rd == REG_PC ? next(code) : do_constant(code, OTHER, rd, 0, 0);
}

static struct unw_insn decode_thumb_wide(struct unw_code *code, uint32_t w)
{
	if (bits(w, 31, 27) == 0x1e && bit(w, 15))
		return wide_branch(code, w);
	if (bits(w, 31, 27) == 0x1e)
		return wide_constant(code, w);
	if (bits(w, 31, 26) == 0x3b || bits(w, 31, 26) == 0x3f)
		return do_coprocessor(code, w);
	if (bits(w, 31, 25) == 0x7c)
		return wide_single(code, w);
	if (bits(w, 31, 25) != 0x74)
		return wide_other(code, w);
	if (bit(w, 22))
		return wide_double(code, w);
	return do_multiple_bits(code, w);
}

/** Decode a Thumb instruction of 16 or 32 bits. Its effect is undone if it is conditional. */
static struct unw_insn step_thumb(struct unw_code *code, struct pd_cursor *c)
{
	uint32_t w = pd_cursor_u16(c);
	bool is_wide = w >= 0xe800;
	struct unw_value before[N_REGS];
	bool is_conditional = code->n_conditional > 0;
	struct unw_insn insn;

	if (is_wide)
		w = w << 16 | pd_cursor_u16(c);
	/* Assume that conditional instructions are not executed: the other path is a branch. */
	memcpy(before, code->reg, sizeof(before));
	if (is_conditional)
		code->n_conditional--;
	insn = is_wide ? decode_thumb_wide(code, w) : decode_thumb(code, w);
	insn.len = is_wide ? 4 : 2;
	if (is_conditional) {
		memcpy(code->reg, before, sizeof(before));
		insn.flow = insn.flow == UNW_FLOW_JUMP ? UNW_FLOW_BRANCH : UNW_FLOW_NEXT;
	}
	return insn;
}

struct unw_insn unw_arm_decode(struct unw_code *code)
{
	struct pd_cursor c = pd_cursor_init(code->bytes, code->n_bytes, unw_arch_swap(code->arch));
	struct unw_insn insn;

	/* The decoder only reads pc after an instruction has loaded it. */
	code->reg[REG_PC] = (struct unw_value){ 0 };
	if (code->is_thumb) {
		insn = step_thumb(code, &c);
	} else {
		insn = decode_arm(code, pd_cursor_u32(&c));
		insn.len = 4;
	}
	if (c.overrun)
		insn.flow = UNW_FLOW_STOP;
	return insn;
}

/** Whether a Thumb call ends at @p off. */
static bool ends_thumb_call(const struct unw_section *text, uint64_t off)
{
	uint32_t w = pd_load_u32(text->data + off - 4, unw_arch_swap(&unw_arch_arm));
	uint32_t first = bits(w, 15, 0);
	uint32_t second = bits(w, 31, 16);

	/* bl and blx with an immediate, or blx with a register. */
	return ((first & 0xf800) == 0xf000 && (second & 0xc000) == 0xc000) ||
	       (second & 0xff80) == 0x4780;
}

/** Read the word at @p off, which is a multiple of 4. Returns 0 outside the section. */
static uint32_t word_at(const struct unw_section *text, uint64_t off)
{
	if (off >= text->size || text->size - off < 4)
		return 0;
	return pd_load_u32(text->data + off, unw_arch_swap(&unw_arch_arm));
}

/**
 * Whether the word at @p off looks like an ARM instruction. Most are unconditional or belong to
 * NEON. The others are usually between instructions with the same or the opposite condition. Two
 * halfwords of Thumb look like that only by chance.
 */
static bool looks_like_arm(const struct unw_section *text, uint64_t off)
{
	enum { ALWAYS = 14, NEON_DATA = 0xf2, PRELOAD = 0xf5 };
	uint32_t w = word_at(text, off);
	uint32_t condition = w >> 28;

	if (condition >= ALWAYS)
		return condition == ALWAYS || (w >> 24 >= NEON_DATA && w >> 24 <= PRELOAD);
	return off >= 4 && (word_at(text, off - 4) >> 28 ^ condition) <= 1 &&
	       (word_at(text, off + 4) >> 28 ^ condition) <= 1;
}

/** Whether the code around @p off is Thumb: less than half of the words look like ARM. */
static bool looks_like_thumb(const struct unw_section *text, uint64_t off)
{
	enum { N_WORDS = 48 };
	uint64_t first = off & ~UINT64_C(3);
	unsigned int n = 0;
	unsigned int n_arm = 0;

	first -= first < 2 * N_WORDS ? first : 2 * N_WORDS;
	for (; n < N_WORDS && first + 4 * n + 4 <= text->size; n++)
		n_arm += looks_like_arm(text, first + 4 * n);
	return 2 * n_arm < n;
}

bool unw_arm_begin_code(const struct unw_section *text, struct unw_code *code, bool is_at_call)
{
	const uint64_t *marks = text->mapping_symbols.data;
	uint64_t off = code->pc - text->vaddr;
	uint64_t inside = (code->pc - is_at_call) | 1;
	size_t n = base_lower_bound(text->mapping_symbols.n, i, marks[i] <= inside);

	if (code->pc % 4)
		code->is_thumb = true;
	else if (is_stub(word_at(text, off)))
		code->is_thumb = false;
	else if (n)
		code->is_thumb = marks[n - 1] & 1;
	else if (is_at_call && off >= 4)
		code->is_thumb = ends_thumb_call(text, off);
	else
		code->is_thumb = looks_like_thumb(text, off);
	return true;
}
