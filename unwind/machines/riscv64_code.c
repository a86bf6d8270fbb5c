/*
 * Decoder of 64-bit RISC-V instructions, as far as they matter to unw_code_find_row(). Encodings:
 * The RISC-V Instruction Set Manual, volume I, "RVC" and chapters 2 and 24.
 */
#include "unwind/rules/code_analysis.h"

#include <pdconv/cursor.h>

enum { REG_ZERO = 0, REG_RA = 1, REG_SP = 2 };

/** Bits @p hi to @p lo of @p word. */
static uint32_t bits(uint32_t word, unsigned int hi, unsigned int lo)
{
	return (word >> lo) & ((UINT32_C(2) << (hi - lo)) - 1);
}

static int64_t sign_extend(uint32_t value, unsigned int n_bits)
{
	uint32_t sign = UINT32_C(1) << (n_bits - 1);

	return (int64_t)(int32_t)((value ^ sign) - sign);
}

static struct unw_insn next(uint8_t len)
{
	return (struct unw_insn){ .flow = UNW_FLOW_NEXT, .len = len };
}

static struct unw_insn go(const struct unw_code *code, enum unw_flow flow, uint8_t len, int64_t by)
{
	return (struct unw_insn){ .flow = flow, .len = len, .target = code->pc + (uint64_t)by };
}

/** Jump to the address in a register. */
static struct unw_insn go_to_reg(uint8_t reg, uint8_t len)
{
	return (struct unw_insn){
		.flow = reg == REG_RA ? UNW_FLOW_RETURN : UNW_FLOW_SOMEWHERE, .len = len, .reg = reg
	};
}

/** Decode compressed instructions of quadrant 0: loads and stores of registers x8 to x15. */
static struct unw_insn decode_c0(struct unw_code *code, uint32_t w)
{
	uint8_t rd = (uint8_t)(8 + bits(w, 4, 2));
	uint8_t rs = (uint8_t)(8 + bits(w, 9, 7));
	uint32_t off = bits(w, 12, 10) << 3 | bits(w, 6, 5) << 6;

	switch (bits(w, 15, 13)) {
	case 0: /* c.addi4spn; all zeros is an illegal instruction */
		unw_code_add(code, rd, REG_SP,
			bits(w, 12, 11) << 4 | bits(w, 10, 7) << 6 | bits(w, 6, 6) << 2 |
				bits(w, 5, 5) << 3);
		return w ? next(2) : go(code, UNW_FLOW_STOP, 2, 0);
	case 2: /* c.lw */
	case 4:
		unw_code_clobber(code, rd);
		break;
	case 3: /* c.ld */
		unw_code_load(code, rd, rs, off);
		break;
	case 7: /* c.sd */
		unw_code_store(code, rd, rs, off);
		break;
	}
	return next(2);
}

/** Decode compressed instructions of quadrant 1: constants, arithmetic and branches. */
static struct unw_insn decode_c1(struct unw_code *code, uint32_t w)
{
	uint8_t rd = (uint8_t)bits(w, 11, 7);
	int64_t imm = sign_extend(bits(w, 12, 12) << 5 | bits(w, 6, 2), 6);

	switch (bits(w, 15, 13)) {
	case 0: /* c.addi */
		unw_code_add(code, rd, rd, imm);
		break;
	case 1: /* c.addiw */
		unw_code_clobber(code, rd);
		break;
	case 2: /* c.li */
		unw_code_set(code, rd, imm);
		break;
	case 3: /* c.addi16sp, c.lui */
		if (rd == REG_SP)
			unw_code_add(code, rd, rd,
				sign_extend(bits(w, 12, 12) << 9 | bits(w, 6, 6) << 4 |
						    bits(w, 5, 5) << 6 | bits(w, 4, 3) << 7 |
						    bits(w, 2, 2) << 5,
					10));
		else
			unw_code_set(code, rd, imm * 4096);
		break;
	case 4:
		unw_code_clobber(code, (uint8_t)(8 + bits(w, 9, 7)));
		break;
	case 5: /* c.j */
		return go(code, UNW_FLOW_JUMP, 2,
			sign_extend(bits(w, 12, 12) << 11 | bits(w, 11, 11) << 4 |
					    bits(w, 10, 9) << 8 | bits(w, 8, 8) << 10 |
					    bits(w, 7, 7) << 6 | bits(w, 6, 6) << 7 |
					    bits(w, 5, 3) << 1 | bits(w, 2, 2) << 5,
				12));
	default: /* c.beqz, c.bnez */
		return go(code, UNW_FLOW_BRANCH, 2,
			sign_extend(bits(w, 12, 12) << 8 | bits(w, 11, 10) << 3 |
					    bits(w, 6, 5) << 6 | bits(w, 4, 3) << 1 |
					    bits(w, 2, 2) << 5,
				9));
	}
	return next(2);
}

/** Decode c.jr, c.mv, c.ebreak, c.jalr and c.add. */
static struct unw_insn decode_c_jump(struct unw_code *code, uint32_t w)
{
	uint8_t rd = (uint8_t)bits(w, 11, 7);
	uint8_t rs = (uint8_t)bits(w, 6, 2);
	bool is_linked = bits(w, 12, 12);

	if (rs && is_linked)
		unw_code_add_reg(code, rd, rd, rs);
	else if (rs)
		unw_code_add(code, rd, rs, 0);
	else if (!is_linked)
		return go_to_reg(rd, 2);
	else
		return go(code, rd ? UNW_FLOW_CALL : UNW_FLOW_STOP, 2, 0);
	return next(2);
}

/** Decode compressed instructions of quadrant 2: stack loads and stores, and jumps. */
static struct unw_insn decode_c2(struct unw_code *code, uint32_t w)
{
	uint8_t rd = (uint8_t)bits(w, 11, 7);

	switch (bits(w, 15, 13)) {
	case 0: /* c.slli */
	case 2: /* c.lwsp */
		unw_code_clobber(code, rd);
		break;
	case 3: /* c.ldsp */
		unw_code_load(code, rd, REG_SP,
			bits(w, 12, 12) << 5 | bits(w, 6, 5) << 3 | bits(w, 4, 2) << 6);
		break;
	case 4:
		return decode_c_jump(code, w);
	case 7: /* c.sdsp */
		unw_code_store(code, (uint8_t)bits(w, 6, 2), REG_SP,
			bits(w, 12, 10) << 3 | bits(w, 9, 7) << 6);
		break;
	}
	return next(2);
}

/** Decode jal and jalr. Functions called with another link register move the stack pointer. */
static struct unw_insn decode_jump(const struct unw_code *code, uint32_t w)
{
	uint8_t rd = (uint8_t)bits(w, 11, 7);
	bool is_jalr = (w & 0x7f) == 0x67;
	int64_t by = sign_extend(bits(w, 31, 31) << 20 | bits(w, 30, 21) << 1 |
					 bits(w, 20, 20) << 11 | bits(w, 19, 12) << 12,
		21);

	if (rd == REG_RA)
		return go(code, UNW_FLOW_CALL, 4, 0);
	if (rd != REG_ZERO)
		return go(code, UNW_FLOW_STOP, 4, 0);
	return is_jalr ? go_to_reg((uint8_t)bits(w, 19, 15), 4) : go(code, UNW_FLOW_JUMP, 4, by);
}

/** Apply loads, stores and arithmetic of 32 bits. Returns false for any other instruction. */
static bool apply_wide(struct unw_code *code, uint32_t w)
{
	enum { DOUBLE_WORD = 3 };
	uint8_t rd = (uint8_t)bits(w, 11, 7);
	uint8_t rs1 = (uint8_t)bits(w, 19, 15);
	uint8_t rs2 = (uint8_t)bits(w, 24, 20);
	uint32_t kind = bits(w, 14, 12);
	int64_t imm = sign_extend(bits(w, 31, 20), 12);

	switch (w & 0x7f) {
	case 0x03: /* loads */
		if (kind == DOUBLE_WORD)
			unw_code_load(code, rd, rs1, imm);
		else
			unw_code_clobber(code, rd);
		return true;
	case 0x13: /* addi and the like */
		if (kind == 0)
			unw_code_add(code, rd, rs1, imm);
		else
			unw_code_clobber(code, rd);
		return true;
	case 0x23: /* stores */
		if (kind == DOUBLE_WORD)
			unw_code_store(code, rs2, rs1,
				sign_extend(bits(w, 31, 25) << 5 | bits(w, 11, 7), 12));
		return true;
	case 0x33: /* add and the like */
		if (kind == 0 && bits(w, 31, 25) == 0)
			unw_code_add_reg(code, rd, rs1, rs2);
		else
			unw_code_clobber(code, rd);
		return true;
	case 0x37: /* lui */
		unw_code_set(code, rd, (int32_t)(w & ~UINT32_C(0xfff)));
		return true;
	case 0x17: /* auipc */
	case 0x1b: /* arithmetic of 32 bits */
	case 0x3b:
	case 0x2f: /* atomic memory operations */
		unw_code_clobber(code, rd);
		return true;
	default:
		return false;
	}
}

static struct unw_insn decode_wide(struct unw_code *code, uint32_t w)
{
	if (apply_wide(code, w))
		return next(4);
	switch (w & 0x7f) {
	case 0x63: /* branches */
		return go(code, UNW_FLOW_BRANCH, 4,
			sign_extend(bits(w, 31, 31) << 12 | bits(w, 30, 25) << 5 |
					    bits(w, 11, 8) << 1 | bits(w, 7, 7) << 11,
				13));
	case 0x67:
	case 0x6f:
		return decode_jump(code, w);
	case 0x07: /* floating point, vectors and fences do not change the tracked registers */
	case 0x27:
	case 0x43:
	case 0x47:
	case 0x4b:
	case 0x4f:
	case 0x53:
	case 0x57:
	case 0x0f:
		return next(4);
	case 0x73: /* ebreak ends a path; ecall and access to status registers do not */
		return go(code, w == 0x00100073 ? UNW_FLOW_STOP : UNW_FLOW_NEXT, 4, 0);
	default:
		return go(code, UNW_FLOW_STOP, 4, 0);
	}
}

struct unw_insn unw_riscv64_decode(struct unw_code *code)
{
	struct pd_cursor c = pd_cursor_init(code->bytes, code->n_bytes, unw_arch_swap(code->arch));
	uint16_t low = pd_cursor_u16(&c);
	bool is_wide = (low & 3) == 3;
	uint32_t w = is_wide ? low | (uint32_t)pd_cursor_u16(&c) << 16 : low;

	if (c.overrun)
		return go(code, UNW_FLOW_STOP, 2, 0);
	/* Writes to x0 have no effect. */
	unw_code_set(code, REG_ZERO, 0);
	switch (low & 3) {
	case 0:
		return decode_c0(code, w);
	case 1:
		return decode_c1(code, w);
	case 2:
		return decode_c2(code, w);
	default:
		return decode_wide(code, w);
	}
}

/**
 * Refuse to start in __riscv_save_*(). They are called with a link register other than ra, move the
 * stack pointer on behalf of their caller, and do not change ra.
 */
bool unw_riscv64_begin_code(const struct unw_section *text, struct unw_code *code, bool is_at_call)
{
	enum { JAL = 0x6f, CALL_BYTES = 4 };
	uint64_t off = code->pc - text->vaddr;

	if (!is_at_call || off < CALL_BYTES)
		return true;
	uint32_t w = pd_load_u32(text->data + off - CALL_BYTES, unw_arch_swap(code->arch));

	return (w & 0x7f) != JAL || bits(w, 11, 7) == REG_RA;
}
