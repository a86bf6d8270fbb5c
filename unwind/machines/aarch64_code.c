/*
 * Decoder of AArch64 instructions, as far as they matter to unw_code_find_row(). Encodings: Arm
 * Architecture Reference Manual for A-profile architecture, chapters C4 and C6.
 */
#include "unwind/rules/code_analysis.h"

#include <pdconv/cursor.h>

#include "unwind/rules/arch_rules.h"

enum {
	REG_X0 = 0,
	REG_X16 = 16,
	REG_X17 = 17,
	REG_LR = 30,
	REG_SP = 31,
	LEN = 4,
	NOP = 0xd503201f
};

/** Fields that most instructions have. */
static uint8_t rd_of(uint32_t w)
{
	return w & 31;
}

static uint8_t rn_of(uint32_t w)
{
	return w >> 5 & 31;
}

static uint8_t rm_of(uint32_t w)
{
	return w >> 16 & 31;
}

static int64_t sign_extend(uint32_t value, unsigned int n_bits)
{
	uint32_t sign = UINT32_C(1) << (n_bits - 1);

	value &= 2 * sign - 1;
	return (int64_t)(int32_t)((value ^ sign) - sign);
}

static struct unw_insn go(const struct unw_code *code, enum unw_flow flow, int64_t by)
{
	return (struct unw_insn){ .flow = flow, .len = LEN, .target = code->pc + (uint64_t)by };
}

/** Clobber a register in an operand where number 31 is the zero register. */
static void clobber(struct unw_code *code, uint8_t reg)
{
	if (reg != REG_SP)
		unw_code_clobber(code, reg);
}

/** Apply an addition or subtraction of an immediate. Those that set flags cannot write sp. */
static void apply_add(struct unw_code *code, uint32_t w)
{
	bool is_64 = w >> 31;
	bool sets_flags = w >> 29 & 1;
	int64_t imm = (int64_t)(w >> 10 & 0xfff) << (w >> 22 & 1 ? 12 : 0);

	if (sets_flags && rd_of(w) == REG_SP)
		return;
	if (is_64)
		unw_code_add(code, rd_of(w), rn_of(w), w >> 30 & 1 ? -imm : imm);
	else
		unw_code_clobber(code, rd_of(w));
}

/** Apply an operation of bits with an immediate: the stack pointer is realigned by it. */
static void apply_bits(struct unw_code *code, uint32_t w)
{
	bool sets_flags = (w >> 29 & 3) == 3;

	if (rd_of(w) == REG_SP && !sets_flags)
		unw_code_realign(code);
	else
		clobber(code, rd_of(w));
}

/** Apply movz, movn and movk. */
static void apply_move_wide(struct unw_code *code, uint32_t w)
{
	enum { MOVN = 0, MOVZ = 2 };
	unsigned int shift = 16 * (w >> 21 & 3);
	uint64_t imm = (uint64_t)(w >> 5 & 0xffff) << shift;
	uint64_t mask = w >> 31 ? UINT64_MAX : UINT32_MAX;
	uint8_t rd = rd_of(w);
	const struct unw_value *value = &code->reg[rd];

	if (rd == REG_SP)
		return;
	if ((w >> 29 & 3) == MOVZ)
		unw_code_set(code, rd, (int64_t)imm);
	else if ((w >> 29 & 3) == MOVN)
		unw_code_set(code, rd, (int64_t)(~imm & mask));
	else if (value->kind == UNW_VALUE_CONST)
		unw_code_set(code, rd,
			(int64_t)(((uint64_t)value->off & ~(UINT64_C(0xffff) << shift)) | imm));
	else
		unw_code_clobber(code, rd);
}

/** Apply instructions with an immediate. */
static bool apply_immediate(struct unw_code *code, uint32_t w)
{
	switch (w >> 23 & 7) {
	case 2: /* add, sub */
		apply_add(code, w);
		return true;
	case 4: /* and, orr, eor */
		apply_bits(code, w);
		return true;
	case 5:
		apply_move_wide(code, w);
		return true;
	case 3: /* addg, subg: the stack is tagged */
		if (rd_of(w) == REG_SP || rn_of(w) == REG_SP)
			unw_code_clobber(code, rd_of(w));
		else
			clobber(code, rd_of(w));
		return true;
	default: /* adr, adrp; bit fields */
		clobber(code, rd_of(w));
		return true;
	}
}

/** Apply an addition or subtraction of two registers, of which the first may be sp if extended. */
static void apply_add_reg(struct unw_code *code, uint32_t w)
{
	bool is_extended = w >> 21 & 1;
	bool is_plain = is_extended ? (w >> 10 & 0x3f) == 3 << 3 : !(w >> 10 & 0x3f);
	bool is_sub = w >> 30 & 1;
	bool sets_flags = w >> 29 & 1;
	bool uses_zero = rm_of(w) == REG_SP || (!is_extended && rn_of(w) == REG_SP);
	const struct unw_value *rm = &code->reg[rm_of(w)];

	if (rd_of(w) == REG_SP && (sets_flags || !is_extended))
		return;
	if (!(w >> 31) || !is_plain || uses_zero || (is_sub && rm->kind != UNW_VALUE_CONST))
		unw_code_clobber(code, rd_of(w));
	else if (is_sub)
		unw_code_add(code, rd_of(w), rn_of(w), -rm->off);
	else
		unw_code_add_reg(code, rd_of(w), rn_of(w), rm_of(w));
}

/** Apply instructions with registers. */
static bool apply_registers(struct unw_code *code, uint32_t w)
{
	enum { MOV = 0xaa0003e0, SIGN_MASK = 0xffffc000, SIGN = 0xdac10000 };
	bool is_compare = (w & 0x3fe00000) == 0x3a400000;

	if ((w & 0xffe0ffe0) == MOV && rd_of(w) != REG_SP) {
		if (rm_of(w) == REG_SP)
			unw_code_set(code, rd_of(w), 0);
		else
			unw_code_add(code, rd_of(w), rm_of(w), 0);
	} else if ((w & 0x1f000000) == 0x0b000000) {
		apply_add_reg(code, w);
	} else if ((w & SIGN_MASK) == SIGN && rd_of(w) == REG_LR) {
		/* A signature keeps the address: see unw_arch.ra_mask. */
		return true;
	} else if (!is_compare) {
		clobber(code, rd_of(w));
	}
	return true;
}

/** Load or store general register @p reg, a double word if @p is_double, at @p rn + @p off. */
static void move(
	struct unw_code *code, uint8_t reg, uint8_t rn, int64_t off, bool is_load, bool is_double)
{
	if (reg == REG_SP)
		return;
	if (is_load && is_double)
		unw_code_load(code, reg, rn, off);
	else if (is_load)
		unw_code_clobber(code, reg);
	else if (is_double)
		unw_code_store(code, reg, rn, off);
}

/** Apply ldp, stp and the like. */
static void apply_pair(struct unw_code *code, uint32_t w)
{
	enum { POST = 1, PRE = 3 };
	uint8_t size = w >> 30;
	bool is_vector = w >> 26 & 1;
	uint8_t mode = w >> 23 & 3;
	bool is_load = w >> 22 & 1;
	unsigned int scale = is_vector ? 2 + size : (size == 2 ? 3 : 2);
	/* stgp stores tags as well. */
	bool is_tagged = !is_vector && size == 1 && !is_load;
	int64_t off = sign_extend(w >> 15, 7) * (INT64_C(1) << (is_tagged ? 4 : scale));
	int64_t at = mode == POST ? 0 : off;
	bool is_double = size == 2 || is_tagged;

	if (mode == PRE) {
		unw_code_add(code, rn_of(w), rn_of(w), off);
		at = 0;
	}
	if (!is_vector) {
		move(code, rd_of(w), rn_of(w), at, is_load, is_double);
		move(code, w >> 10 & 31, rn_of(w), at + 8, is_load, is_double);
	}
	if (mode == POST)
		unw_code_add(code, rn_of(w), rn_of(w), off);
}

/** Apply a load or store of one register with an offset that does not depend on its size. */
static void apply_unscaled(struct unw_code *code, uint32_t w, bool is_load)
{
	enum { POST = 1, PRE = 3 };
	uint8_t mode = w >> 10 & 3;
	int64_t off = sign_extend(w >> 12, 9);
	bool is_vector = w >> 26 & 1;

	if (mode == PRE)
		unw_code_add(code, rn_of(w), rn_of(w), off);
	if (!is_vector)
		move(code, rd_of(w), rn_of(w), mode == 0 || mode == 2 ? off : 0, is_load,
			w >> 30 == 3);
	if (mode == POST)
		unw_code_add(code, rn_of(w), rn_of(w), off);
}

/** Apply atomic operations, and loads with an index or a signed address. */
static void apply_other_single(struct unw_code *code, uint32_t w)
{
	enum { WITH_INDEX = 2 };
	bool is_store = (w >> 10 & 3) == WITH_INDEX && !(w >> 22 & 3);
	bool is_signed = w >> 10 & 1;

	if (!(w >> 26 & 1) && !is_store)
		clobber(code, rd_of(w));
	if (is_signed && w >> 11 & 1)
		unw_code_clobber(code, rn_of(w));
}

/** Apply a load or store of one register. */
static void apply_single(struct unw_code *code, uint32_t w)
{
	uint8_t size = w >> 30;
	uint8_t operation = w >> 22 & 3;
	bool is_load = operation != 0;
	bool is_vector = w >> 26 & 1;
	bool is_prefetch = size == 3 && operation == 2 && !is_vector;

	if (is_prefetch)
		return;
	if (!(w >> 24 & 1)) {
		if (w >> 21 & 1)
			apply_other_single(code, w);
		else
			apply_unscaled(code, w, is_load);
	} else if (!is_vector) {
		move(code, rd_of(w), rn_of(w), (int64_t)(w >> 10 & 0xfff) << size, is_load,
			size == 3);
	}
}

/** Apply exclusive and ordered loads and stores, and comparisons with swap. */
static void apply_exclusive(struct unw_code *code, uint32_t w)
{
	clobber(code, rm_of(w));
	if (w >> 22 & 1) {
		clobber(code, rd_of(w));
		clobber(code, w >> 10 & 31);
	}
}

/** Apply stores of memory tags, which may move the stack pointer. */
static void apply_tags(struct unw_code *code, uint32_t w)
{
	enum { OTHER = 0, OFFSET = 2 };
	uint8_t mode = w >> 10 & 3;

	if (mode == OTHER)
		clobber(code, rd_of(w));
	else if (mode != OFFSET)
		unw_code_add(code, rn_of(w), rn_of(w), 16 * sign_extend(w >> 12, 9));
}

/** Apply loads and stores. Returns false for an unknown one. */
static bool apply_memory(struct unw_code *code, uint32_t w)
{
	uint8_t kind = w >> 24 & 0x3f;

	if ((w & 0xff200000) == 0xd9200000) {
		apply_tags(code, w);
	} else if ((kind & 0x3a) == 0x28) {
		apply_pair(code, w);
	} else if ((kind & 0x3a) == 0x38) {
		apply_single(code, w);
	} else if (kind == 0x08) {
		apply_exclusive(code, w);
	} else if ((kind & 0x3b) == 0x18 || kind == 0x19) {
		/* literals; ordered loads with an offset */
		if (!(w >> 26 & 1))
			clobber(code, rd_of(w));
	} else if ((kind & 0x3e) == 0x0c) {
		/* vectors, with an address that may be incremented */
		if (w >> 23 & 1)
			unw_code_clobber(code, rn_of(w));
	} else {
		return false;
	}
	return true;
}

/** Apply floating-point and vector instructions, of which some write general registers. */
static bool apply_vector(struct unw_code *code, uint32_t w)
{
	uint8_t operation = w >> 16 & 7;
	bool is_conversion = (w & 0x5f20fc00) == 0x1e200000;
	bool is_fixed_point = (w & 0x5f200000) == 0x1e000000;
	bool is_element = (w & 0xbfe0fc00) == 0x0e003c00 || (w & 0xbfe0fc00) == 0x0e002c00;
	bool is_from_general = operation == 2 || operation == 3 || operation == 7;

	if (((is_conversion || is_fixed_point) && !is_from_general) || is_element)
		clobber(code, rd_of(w));
	return true;
}

/** Apply scalable vector instructions. Those that move the stack pointer by their size end it. */
static bool apply_scalable(struct unw_code *code, uint32_t w)
{
	bool adds_size = (w & 0xff20f000) == 0x04205000;

	if (adds_size)
		unw_code_clobber(code, rd_of(w));
	else if (w >> 24 == 0x04 || w >> 24 == 0x25)
		clobber(code, rd_of(w));
	return true;
}

/** Apply an instruction that is not a branch. Returns false for an unknown one. */
static bool apply(struct unw_code *code, uint32_t w)
{
	switch (w >> 25 & 15) {
	case 2:
		return apply_scalable(code, w);
	case 8:
	case 9:
		return apply_immediate(code, w);
	case 5:
	case 13:
		return apply_registers(code, w);
	case 7:
	case 15:
		return apply_vector(code, w);
	case 4:
	case 6:
	case 12:
	case 14:
		return apply_memory(code, w);
	default:
		return false;
	}
}

/**
 * Decode a jump to a register, with or without a signature. Linkers and compilers leave functions
 * by x16 and x17.
 */
static struct unw_insn jump_to_reg(const struct unw_code *code, uint32_t w)
{
	enum { JUMP = 0, CALL = 1, RETURN = 2 };
	uint8_t reg = rn_of(w);

	switch (w >> 21 & 3) {
	case CALL:
		return go(code, UNW_FLOW_CALL, 0);
	case RETURN:
		/* retaa names no register. */
		return (struct unw_insn){
			.flow = UNW_FLOW_RETURN, .len = LEN, .reg = reg == REG_SP ? REG_LR : reg
		};
	case JUMP:
		if (reg == REG_X16 || reg == REG_X17)
			return (struct unw_insn){
				.flow = UNW_FLOW_RETURN, .len = LEN, .reg = REG_LR
			};
		return go(code, UNW_FLOW_SOMEWHERE, 0);
	default:
		return go(code, UNW_FLOW_STOP, 0);
	}
}

/** Decode system calls, breakpoints, hints and access to system registers. */
static struct unw_insn decode_system(struct unw_code *code, uint32_t w)
{
	bool is_system_call = (w & 0xffe0001f) == 0xd4000001;

	if (is_system_call)
		unw_code_clobber(code, REG_X0);
	else if (w >> 24 == 0xd4)
		return go(code, UNW_FLOW_STOP, 0);
	else if ((w & 0xfff00000) == 0xd5300000)
		clobber(code, rd_of(w));
	return go(code, UNW_FLOW_NEXT, 0);
}

static struct unw_insn decode_branch(struct unw_code *code, uint32_t w)
{
	if ((w & 0x7c000000) == 0x14000000)
		return go(code, w >> 31 ? UNW_FLOW_CALL : UNW_FLOW_JUMP, 4 * sign_extend(w, 26));
	if ((w & 0x7e000000) == 0x36000000)
		return go(code, UNW_FLOW_BRANCH, 4 * sign_extend(w >> 5, 14));
	if ((w & 0x7e000000) == 0x34000000 || w >> 24 == 0x54)
		return go(code, UNW_FLOW_BRANCH, 4 * sign_extend(w >> 5, 19));
	if (w >> 25 == 0xd6 >> 1)
		return jump_to_reg(code, w);
	if (w >> 24 == 0xd4 || w >> 24 == 0xd5)
		return decode_system(code, w);
	return go(code, UNW_FLOW_STOP, 0);
}

/** Read the instruction at @p bytes, which is little-endian on all machines. */
static uint32_t read_insn(const uint8_t *bytes, size_t n)
{
	struct pd_cursor c = pd_cursor_init(bytes, n, pd_is_big_endian(false));
	uint32_t w = pd_cursor_u32(&c);

	return c.overrun ? 0 : w;
}

struct unw_insn unw_aarch64_decode(struct unw_code *code)
{
	enum { BRANCHES = 10, BRANCHES_64 = 11 };
	uint32_t w = read_insn(code->bytes, code->n_bytes);
	uint8_t group = w >> 25 & 15;

	if (group == BRANCHES || group == BRANCHES_64)
		return decode_branch(code, w);
	return go(code, apply(code, w) ? UNW_FLOW_NEXT : UNW_FLOW_STOP, 0);
}

static uint32_t insn_at(const struct unw_section *text, uint64_t pc)
{
	uint64_t off = pc - text->vaddr;

	return off < text->size ? read_insn(text->data + off, text->size - off) : 0;
}

/**
 * Functions begin at multiples of 16 bytes, after nops. Those that sign their return address have
 * to do so before they call, so another one begins where that follows a call.
 */
enum unw_last unw_aarch64_is_last(
	const struct unw_arch *arch, const struct unw_section *text, uint64_t next)
{
	enum { ALIGN = 16, PACIASP = 0xd503233f, PACIBSP = 0xd503237f, BTI_C = 0xd503245f };

	(void)arch;
	while (next % ALIGN && insn_at(text, next) == NOP)
		next += LEN;
	uint32_t insn = insn_at(text, next);
	if (insn == PACIASP || insn == PACIBSP || insn == BTI_C)
		return UNW_LAST_YES;
	return next % ALIGN ? UNW_LAST_NO : UNW_LAST_MAYBE;
}

/** Find what bl calls, or what adrp and add make the address of. */
uint8_t unw_aarch64_read_reference(const struct unw_arch *arch, const struct unw_section *text,
	uint64_t pc, uint64_t *target_ret)
{
	enum { PAGE = 4096, ADRP_MASK = 0x9f000000, ADRP = 0x90000000, ADD_MASK = 0xffc00000 };
	enum { ADD = 0x91000000 };
	uint32_t w = insn_at(text, pc);
	uint32_t after = insn_at(text, pc + LEN);

	(void)arch;
	if ((w & 0xfc000000) == 0x94000000) {
		*target_ret = pc + (uint64_t)(4 * sign_extend(w, 26));
	} else if ((w & ADRP_MASK) == ADRP && (after & ADD_MASK) == ADD &&
		   rn_of(after) == rd_of(w)) {
		int64_t pages = sign_extend((w >> 5 & 0x7ffff) << 2 | (w >> 29 & 3), 21);

		*target_ret = pc / PAGE * PAGE + (uint64_t)(pages * PAGE) + (after >> 10 & 0xfff);
	}
	return LEN;
}
