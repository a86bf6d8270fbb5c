/*
 * Decoder of z/Architecture instructions, as far as they matter to unw_code_find_row(). Encodings:
 * z/Architecture Principles of Operation, appendix B.
 */
#include "unwind/rules/code_analysis.h"

#include <pdconv/cursor.h>

#include "unwind/rules/arch_rules.h"

enum {
	R2 = 2,
	R14 = 14,
	SP = 15,
	F0 = 16,
	/** The program counter, which is not tracked, serves as a temporary register. */
	PC = 65,
	/** Where a caller lets its callee save the stack pointer, above its own one. */
	SAVED_SP = 8 * SP,
	MAX_LEN = 6,
};

/** Instruction as a number of 48 bits, of which a shorter one has the highest. */
struct insn {
	struct unw_code *code;
	uint64_t bits;
	uint8_t len;
	/** First byte, and the rest of the opcode of instructions that have one elsewhere. */
	uint8_t op;
	/** First two registers. */
	uint8_t r1;
	uint8_t r2;
};

/** Bits @p first to @p first + @p n - 1, counted from the highest one as in the manual. */
static uint32_t field(const struct insn *insn, unsigned int first, unsigned int n)
{
	return (uint32_t)(insn->bits >> (48 - first - n) & ((UINT64_C(1) << n) - 1));
}

static int64_t sign_extend(uint32_t value, unsigned int n_bits)
{
	uint32_t sign = UINT32_C(1) << (n_bits - 1);

	return (int64_t)(int32_t)((value ^ sign) - sign);
}

static int64_t signed_field(const struct insn *insn, unsigned int first, unsigned int n)
{
	return sign_extend(field(insn, first, n), n);
}

/** Signed displacement of 20 bits, whose high byte comes last. */
static int64_t long_displacement(const struct insn *insn)
{
	return sign_extend(field(insn, 32, 8) << 12 | field(insn, 20, 12), 20);
}

/** DWARF number of floating-point register @p n: f0, f2, f4, f6, f1, f3, f5, f7, f8, f10, ... */
static uint8_t float_reg(uint8_t n)
{
	return (uint8_t)(F0 + (n & 8) + (n >> 1 & 3) + (n & 1 ? 4 : 0));
}

static struct unw_insn go(const struct insn *insn, enum unw_flow flow, int64_t by)
{
	return (struct unw_insn){
		.flow = flow, .len = insn->len, .target = insn->code->pc + (uint64_t)by
	};
}

/** Whether the operand in memory is at a register plus a distance, without an index. */
static bool has_base_only(const struct insn *insn, uint8_t *base_ret)
{
	uint8_t index = (uint8_t)field(insn, 12, 4);
	uint8_t base = (uint8_t)field(insn, 16, 4);

	/* Base and index are added, so either may be the only one. */
	if ((index != 0) == (base != 0))
		return false;
	*base_ret = base ? base : index;
	return true;
}

static void clobber_range(struct unw_code *code, uint8_t first, uint8_t last)
{
	for (uint8_t reg = first;; reg = (reg + 1) & 15) {
		unw_code_clobber(code, reg);
		if (reg == last)
			return;
	}
}

/** Apply lmg. The stack pointer is found where the ABI lets functions save it. */
static void load_multiple(struct insn *insn, uint8_t base, int64_t off)
{
	struct unw_code *code = insn->code;

	/* The base may be one of the registers that are loaded. */
	unw_code_add(code, PC, base, 0);
	for (uint8_t reg = insn->r1;; reg = (reg + 1) & 15, off += 8) {
		if (reg == SP)
			unw_code_add(code, SP, PC, off - SAVED_SP);
		else
			unw_code_load(code, reg, PC, off);
		if (reg == insn->r2)
			break;
	}
	unw_code_clobber(code, PC);
}

static void store_multiple(struct insn *insn, uint8_t base, int64_t off)
{
	for (uint8_t reg = insn->r1;; reg = (reg + 1) & 15, off += 8) {
		unw_code_store(insn->code, reg, base, off);
		if (reg == insn->r2)
			return;
	}
}

/** Apply loads and stores of several registers, and shifts (opcode eb). */
static void apply_eb(struct insn *insn)
{
	enum { LMG = 0x04, STMG = 0x24, STMH = 0x26, STMY = 0x90, LMH = 0x96, LMY = 0x98 };
	uint8_t base = (uint8_t)field(insn, 16, 4);
	uint8_t op = (uint8_t)field(insn, 40, 8);
	bool is_on_memory =
		(op >= 0x50 && op < 0x58) || op == 0x6a || op == 0x6e || op == 0x7a || op == 0x7e;
	bool is_store = op == STMH || op == STMY || op == 0x2c || op == 0x2d || op == 0xe3 ||
			op == 0xf3 || op == 0xe1;
	bool is_compare = op == 0x20 || op == 0x21 || op == 0x23 || op == 0x2b;

	if (op == LMG)
		load_multiple(insn, base, long_displacement(insn));
	else if (op == STMG)
		store_multiple(insn, base, long_displacement(insn));
	else if (op == LMH || op == LMY)
		clobber_range(insn->code, insn->r1, insn->r2);
	else if (!is_on_memory && !is_store && !is_compare)
		unw_code_clobber(insn->code, insn->r1);
}

/** Apply loads and stores of one register with a long displacement (opcode e3). */
static void apply_e3(struct insn *insn)
{
	enum { LG = 0x04, STG = 0x24, LAY = 0x71, LPQ = 0x8f, MLG = 0x86, DLG = 0x87 };
	static const uint8_t others[] = { 0x50, 0x70, 0x72, 0x3e, 0x2f, 0x3f, 0x8e, 0x25, 0x26,
		0x20, 0x21, 0x30, 0x31, 0x59, 0x55, 0x79, 0x34, 0x36, 0xc3, 0xc7, 0xcb, 0xcd, 0xcf,
		0x49 };
	uint8_t op = (uint8_t)field(insn, 40, 8);
	int64_t off = long_displacement(insn);
	uint8_t base = 0;
	bool is_simple = has_base_only(insn, &base);

	if (op == STG) {
		if (is_simple)
			unw_code_store(insn->code, insn->r1, base, off);
		return;
	}
	for (size_t i = 0; i < sizeof(others); i++) {
		if (op == others[i])
			return;
	}
	if (op == LG && is_simple)
		unw_code_load(insn->code, insn->r1, base, off);
	else if (op == LAY && is_simple)
		unw_code_add(insn->code, insn->r1, base, off);
	else
		unw_code_clobber(insn->code, insn->r1);
	if (op == LPQ || op == MLG || op == DLG || op == 0x96 || op == 0x97 || op == 0x0d ||
		op == 0x1d)
		unw_code_clobber(insn->code, (insn->r1 + 1) & 15);
}

/** Apply instructions on registers (opcode b9). */
static void apply_b9(struct insn *insn)
{
	enum { LGR = 0x04, AGRK = 0xe8, SGRK = 0xe9, AGR = 0x08, SGR = 0x09 };
	static const uint8_t compares[] = { 0x20, 0x21, 0x30, 0x31, 0xcd, 0xdd, 0x60, 0x61, 0x72,
		0x73 };
	uint8_t op = (uint8_t)field(insn, 8, 8);
	uint8_t r1 = (uint8_t)field(insn, 24, 4);
	uint8_t r2 = (uint8_t)field(insn, 28, 4);
	const struct unw_value *value = &insn->code->reg[r2];
	bool is_test = op == 0x02 && r1 == r2;

	for (size_t i = 0; i < sizeof(compares); i++) {
		if (op == compares[i])
			return;
	}
	if (is_test)
		return;
	if (op == LGR)
		unw_code_add(insn->code, r1, r2, 0);
	else if (op == AGR)
		unw_code_add_reg(insn->code, r1, r1, r2);
	else if (op == SGR && value->kind == UNW_VALUE_CONST)
		unw_code_add(insn->code, r1, r1, -value->off);
	else
		unw_code_clobber(insn->code, r1);
	/* mlgr, dlgr, dlr and the like write a pair. */
	if (op == 0x86 || op == 0x87 || op == 0x96 || op == 0x97 || op == 0x0d || op == 0x1d)
		unw_code_clobber(insn->code, (r1 + 1) & 15);
}

/** Apply floating-point instructions on registers (opcode b3). */
static void apply_b3(struct insn *insn)
{
	enum { LDGR = 0xc1, LGDR = 0xcd };
	uint8_t op = (uint8_t)field(insn, 8, 8);
	uint8_t r1 = (uint8_t)field(insn, 24, 4);
	uint8_t r2 = (uint8_t)field(insn, 28, 4);
	bool is_to_general = (op >= 0x98 && op <= 0x9f) || (op >= 0xa8 && op <= 0xaf) ||
			     (op >= 0xb8 && op <= 0xbb) || (op >= 0xc8 && op <= 0xcb) ||
			     (op >= 0xe1 && op <= 0xe7) || op == 0x8c;

	if (op == LDGR)
		unw_code_add(insn->code, float_reg(r1), r2, 0);
	else if (op == LGDR)
		unw_code_add(insn->code, r1, float_reg(r2), 0);
	else if (is_to_general)
		unw_code_clobber(insn->code, r1);
	else
		unw_code_clobber(insn->code, float_reg(r1));
}

/** Apply instructions with an immediate of 16 bits (opcode a7). */
static void apply_a7(struct insn *insn)
{
	enum { LHI = 8, LGHI = 9, AGHI = 11, CHI = 14, CGHI = 15 };
	uint8_t op = (uint8_t)field(insn, 12, 4);
	int64_t imm = signed_field(insn, 16, 16);

	if (op < LHI || op == CHI || op == CGHI)
		return;
	if (op == LGHI)
		unw_code_set(insn->code, insn->r1, imm);
	else if (op == AGHI)
		unw_code_add(insn->code, insn->r1, insn->r1, imm);
	else
		unw_code_clobber(insn->code, insn->r1);
}

/** Apply instructions with an immediate of 32 bits (opcodes c0 and c2). */
static void apply_c0_c2(struct insn *insn)
{
	enum { LGFI = 1, SLGFI = 4, AGFI = 8, ALGFI = 10, CGFI = 12 };
	uint8_t op = (uint8_t)field(insn, 12, 4);
	int64_t imm = signed_field(insn, 16, 32);

	if (insn->op == 0xc0 && op == LGFI)
		unw_code_set(insn->code, insn->r1, imm);
	else if (insn->op == 0xc2 && op == AGFI)
		unw_code_add(insn->code, insn->r1, insn->r1, imm);
	else if (insn->op == 0xc2 && (op == ALGFI || op == SLGFI))
		unw_code_add(insn->code, insn->r1, insn->r1,
			(op == SLGFI ? -1 : 1) * (int64_t)field(insn, 16, 32));
	else if (insn->op == 0xc0 || op < CGFI)
		unw_code_clobber(insn->code, insn->r1);
}

/** Apply instructions on registers and immediates (opcode ec). */
static void apply_ec(struct insn *insn)
{
	enum { AGHIK = 0xd9 };
	uint8_t op = (uint8_t)field(insn, 40, 8);
	bool is_trap = op >= 0x70 && op <= 0x73;
	bool is_only_tested = op == 0x54 || op == 0x56 || op == 0x57;

	if (op == AGHIK)
		unw_code_add(insn->code, insn->r1, insn->r2, signed_field(insn, 16, 16));
	else if (!is_trap && !(is_only_tested && field(insn, 16, 1)))
		unw_code_clobber(insn->code, insn->r1);
}

/** Apply la and the loads and stores of floating-point registers. */
static void apply_short(struct insn *insn)
{
	enum { LA = 0x41, STD = 0x60, LD = 0x68 };
	int64_t off = field(insn, 20, 12);
	uint8_t base = 0;
	bool is_simple = has_base_only(insn, &base);

	if (insn->op == LA && is_simple)
		unw_code_add(insn->code, insn->r1, base, off);
	else if (insn->op == LA)
		unw_code_clobber(insn->code, insn->r1);
	else if (insn->op == STD && is_simple)
		unw_code_store(insn->code, float_reg(insn->r1), base, off);
	else if (insn->op == LD && is_simple)
		unw_code_load(insn->code, float_reg(insn->r1), base, off);
	else if (insn->op == LD)
		unw_code_clobber(insn->code, float_reg(insn->r1));
}

/** Whether an opcode that is not applied otherwise only writes memory, flags or vectors. */
static bool writes_no_general(const struct insn *insn)
{
	uint8_t op = insn->op;
	uint8_t half = (uint8_t)field(insn, 12, 4);

	/* stores and comparisons of 32 bits; logical operations on memory; moves in memory */
	if (op == 0x40 || op == 0x42 || op == 0x49 || op == 0x50 || op == 0x55 || op == 0x59 ||
		op == 0x44 || (op >= 0x69 && op <= 0x7f) || (op >= 0x90 && op <= 0x97) ||
		op == 0x15 || op == 0x19 || (op >= 0x20 && op <= 0x3f) || op == 0x04)
		return true;
	if ((op >= 0xd0 && op <= 0xdf) || op == 0xe5 || op == 0xe6 || op == 0xed)
		return true;
	/* vectors, except for vlgv */
	if (op == 0xe7)
		return field(insn, 40, 8) != 0x21;
	if (op == 0xc4)
		return half == 7 || half == 11 || half == 15;
	return op == 0xc6 || op == 0x0a || (op == 0xc8 && half < 4);
}

/** Apply an instruction that is not a branch. */
static void apply(struct insn *insn)
{
	switch (insn->op) {
	case 0x41:
	case 0x60:
	case 0x68:
		apply_short(insn);
		return;
	case 0xa7:
		apply_a7(insn);
		return;
	case 0xb3:
		apply_b3(insn);
		return;
	case 0xb9:
		apply_b9(insn);
		return;
	case 0xc0:
	case 0xc2:
		apply_c0_c2(insn);
		return;
	case 0xe3:
		apply_e3(insn);
		return;
	case 0xeb:
		apply_eb(insn);
		return;
	case 0xec:
		apply_ec(insn);
		return;
	case 0x0e: /* moves and comparisons of long fields write two pairs */
	case 0x0f:
		clobber_range(insn->code, insn->r2, insn->r2 | 1);
		clobber_range(insn->code, insn->r1, insn->r1 | 1);
		return;
	case 0x98:
		clobber_range(insn->code, insn->r1, insn->r2);
		return;
	case 0xb2: /* registers are in the last byte */
		unw_code_clobber(insn->code, (uint8_t)field(insn, 24, 4));
		return;
	}
	if (!writes_no_general(insn))
		unw_code_clobber(insn->code, insn->r1);
	/* products and quotients are in pairs */
	if (insn->op == 0x1c || insn->op == 0x1d || insn->op == 0x5c || insn->op == 0x5d ||
		(insn->op >= 0x8c && insn->op <= 0x8f))
		unw_code_clobber(insn->code, insn->r1 | 1);
}

/** Decode a branch to the address in a register, with condition @p mask. */
static struct unw_insn branch_to_reg(const struct insn *insn, uint8_t mask, uint8_t reg)
{
	enum { ALWAYS = 15 };

	if (mask != ALWAYS || !reg)
		return go(insn, UNW_FLOW_NEXT, 0);
	if (reg == R14)
		return (struct unw_insn){ .flow = UNW_FLOW_RETURN, .len = insn->len, .reg = reg };
	return go(insn, UNW_FLOW_SOMEWHERE, 0);
}

/** Decode a call with link register @p link. With others than r14 it only loads an address. */
static struct unw_insn call(const struct insn *insn, uint8_t link, int64_t by)
{
	if (link == R14)
		return go(insn, UNW_FLOW_CALL, by);
	unw_code_clobber(insn->code, link);
	return go(insn, by ? UNW_FLOW_JUMP : UNW_FLOW_NEXT, by);
}

static struct unw_insn branch(const struct insn *insn, uint8_t mask, int64_t by)
{
	enum { ALWAYS = 15 };

	if (!mask)
		return go(insn, UNW_FLOW_NEXT, 0);
	return go(insn, mask == ALWAYS ? UNW_FLOW_JUMP : UNW_FLOW_BRANCH, by);
}

/** Decode branches with a distance of 16 bits (opcode a7). */
static bool decode_a7(const struct insn *insn, struct unw_insn *ret)
{
	enum { BRC = 4, BRAS = 5, BRCT = 6, BRCTG = 7 };
	uint8_t op = (uint8_t)field(insn, 12, 4);
	int64_t by = 2 * signed_field(insn, 16, 16);

	if (op == BRC)
		*ret = branch(insn, insn->r1, by);
	else if (op == BRAS)
		*ret = call(insn, insn->r1, by);
	else if (op == BRCT || op == BRCTG)
		*ret = go(insn, UNW_FLOW_BRANCH, by);
	else
		return false;
	if (op != BRC && op != BRAS)
		unw_code_clobber(insn->code, insn->r1);
	return true;
}

/** Decode branches with a distance of 32 bits (opcode c0). */
static bool decode_c0(const struct insn *insn, struct unw_insn *ret)
{
	enum { BRCL = 4, BRASL = 5 };
	uint8_t op = (uint8_t)field(insn, 12, 4);
	int64_t by = 2 * signed_field(insn, 16, 32);

	if (op == BRCL)
		*ret = branch(insn, insn->r1, by);
	else if (op == BRASL)
		*ret = call(insn, insn->r1, by);
	return op == BRCL || op == BRASL;
}

/** Decode comparisons with a branch (opcode ec). */
static bool decode_ec(const struct insn *insn, struct unw_insn *ret)
{
	uint8_t op = (uint8_t)field(insn, 40, 8);
	bool is_index = op == 0x44 || op == 0x45;
	bool is_branch = is_index || op == 0x64 || op == 0x65 || op == 0x76 || op == 0x77 ||
			 (op >= 0x7c && op <= 0x7f);
	bool is_to_memory = op == 0xe4 || op == 0xe5 || op == 0xf6 || op == 0xf7 || op >= 0xfc;

	if (is_index)
		unw_code_clobber(insn->code, insn->r1);
	*ret = go(
		insn, is_branch ? UNW_FLOW_BRANCH : UNW_FLOW_NEXT, 2 * signed_field(insn, 16, 16));
	return is_branch || is_to_memory;
}

/** Decode an instruction after which another one may follow than the next. */
static bool decode_flow(const struct insn *insn, struct unw_insn *ret)
{
	switch (insn->op) {
	case 0x00: /* not an instruction */
	case 0x01:
		*ret = go(insn, UNW_FLOW_STOP, 0);
		return true;
	case 0x07:
		*ret = branch_to_reg(insn, insn->r1, insn->r2);
		return true;
	case 0x0d: /* basr */
	case 0x05:
		*ret = insn->r2 ? go(insn, insn->r1 == R14 ? UNW_FLOW_CALL : UNW_FLOW_STOP, 0)
				: call(insn, insn->r1, 0);
		return true;
	case 0x0a: /* svc */
		unw_code_clobber(insn->code, R2);
		*ret = go(insn, UNW_FLOW_NEXT, 0);
		return true;
	case 0x47: /* branch to memory */
		*ret = go(insn, insn->r1 == 15 ? UNW_FLOW_STOP : UNW_FLOW_NEXT, 0);
		return true;
	case 0x84: /* brxh, brxle */
	case 0x85:
		unw_code_clobber(insn->code, insn->r1);
		*ret = go(insn, UNW_FLOW_BRANCH, 2 * signed_field(insn, 16, 16));
		return true;
	case 0xa7:
		return decode_a7(insn, ret);
	case 0xc0:
		return decode_c0(insn, ret);
	case 0xec:
		return decode_ec(insn, ret);
	default:
		return false;
	}
}

/** Length in bytes, from the highest two bits of the opcode. */
static uint8_t length(uint8_t op)
{
	static const uint8_t lengths[] = { 2, 4, 4, 6 };

	return lengths[op >> 6];
}

/** Read an instruction. Returns false if it is not complete. */
static bool read_insn(const uint8_t *bytes, size_t n, struct insn *ret)
{
	if (!n || n < length(bytes[0]))
		return false;
	ret->len = length(bytes[0]);
	ret->bits = 0;
	for (uint8_t i = 0; i < MAX_LEN; i++)
		ret->bits = ret->bits << 8 | (i < ret->len ? bytes[i] : 0);
	ret->op = (uint8_t)field(ret, 0, 8);
	ret->r1 = (uint8_t)field(ret, 8, 4);
	ret->r2 = (uint8_t)field(ret, 12, 4);
	return true;
}

struct unw_insn unw_s390x_decode(struct unw_code *code)
{
	struct insn insn = { .code = code };
	struct unw_insn ret;

	if (!read_insn(code->bytes, code->n_bytes, &insn))
		return (struct unw_insn){ .flow = UNW_FLOW_STOP };
	if (decode_flow(&insn, &ret))
		return ret;
	apply(&insn);
	return go(&insn, UNW_FLOW_NEXT, 0);
}

/** Find what brasl calls, or what larl makes the address of. */
uint8_t unw_s390x_read_reference(const struct unw_arch *arch, const struct unw_section *text,
	uint64_t pc, uint64_t *target_ret)
{
	enum { RIL = 0xc0, LARL = 0, BRASL = 5, LEAST_LEN = 2 };
	uint64_t off = pc - text->vaddr;
	struct insn insn = { 0 };

	(void)arch;
	if (!read_insn(text->data + off, text->size - off, &insn))
		return LEAST_LEN;
	uint8_t op = (uint8_t)field(&insn, 12, 4);
	if (insn.op == RIL && (op == LARL || op == BRASL))
		*target_ret = pc + (uint64_t)(2 * signed_field(&insn, 16, 32));
	return insn.len;
}
