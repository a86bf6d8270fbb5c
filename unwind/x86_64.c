#include <dwarf.h>
#include <string.h>

#include "unwind/arch.h"
#include "base/leb.h"

/** DWARF register numbers: System V ABI for AMD64, figure 3.36. */
enum {
	REG_RBX = 3,
	REG_RBP = 6,
	REG_RSP = 7,
	REG_R12 = 12,
	REG_R13 = 13,
	REG_R14 = 14,
	REG_R15 = 15,
	REG_RA = 16,
	N_REGS = 17,
};

#define CALLEE_SAVED(number) \
	{ \
		.reg = number, .rule = {.kind = UNW_RULE_SAME } \
	}

static const struct unw_default_rule defaults[] = {
	CALLEE_SAVED(REG_RBX),
	CALLEE_SAVED(REG_RBP),
	CALLEE_SAVED(REG_R12),
	CALLEE_SAVED(REG_R13),
	CALLEE_SAVED(REG_R14),
	CALLEE_SAVED(REG_R15),
	{ .reg = REG_RSP, .rule = { .kind = UNW_RULE_VAL_OFFSET, .off = 0 } },
	{ .reg = REG_RA, .rule = { .kind = UNW_RULE_OFFSET, .off = -8 } },
};

/**
 * The FDE that linkers make for .plt covers entries of 16 bytes, which push 8 bytes at a place that
 * differs between kinds of PLT: CFA = rsp + 8 + (rip % 16 >= place) * 8.
 */
static bool plt_cfa(const struct unw_expr *expr, uint64_t pc, int32_t *off_ret)
{
	static const uint8_t before_place[] = { DW_OP_breg7, 8, DW_OP_breg16, 0, DW_OP_lit15,
		DW_OP_and };
	static const uint8_t after_place[] = { DW_OP_ge, DW_OP_lit3, DW_OP_shl, DW_OP_plus };
	enum { PLACE = sizeof(before_place), LEN = PLACE + 1 + sizeof(after_place) };
	const uint8_t *bytes = expr->bytes;

	if (expr->len != LEN || memcmp(bytes, before_place, PLACE) != 0 ||
		bytes[PLACE] < DW_OP_lit0 || bytes[PLACE] > DW_OP_lit31 ||
		memcmp(bytes + PLACE + 1, after_place, sizeof(after_place)) != 0)
		return false;
	*off_ret = (pc & 15) >= (uint64_t)(bytes[PLACE] - DW_OP_lit0) ? 16 : 8;
	return true;
}

/** The same where there is no FDE: jump to the target, or push a number and jump to the linker. */
static struct unw_step plt_step(uint64_t pc)
{
	enum { ENTRY_BYTES = 16, BEHIND_PUSH = 11 };

	return (struct unw_step){
		.kind = UNW_STEP_SP,
		.cfa_off = pc % ENTRY_BYTES >= BEHIND_PUSH ? 16 : 8,
		.ra_off = -8,
	};
}

/** A function that realigns its stack keeps the CFA in a slot: DW_OP_breg6 off; DW_OP_deref. */
static bool realigned_cfa(const struct unw_expr *expr, int32_t *off_ret)
{
	enum { MAX_LEN = 6 };

	if (expr->len < 3 || expr->len > MAX_LEN || expr->bytes[0] != DW_OP_breg6)
		return false;
	struct pd_cursor c = pd_cursor_init(expr->bytes + 1, expr->len - 1, false);
	int64_t off = pd_cursor_sleb(&c);
	if (pd_cursor_u8(&c) != DW_OP_deref || pd_cursor_left(&c) || c.overrun)
		return false;
	*off_ret = (int32_t)off;
	return off == *off_ret;
}

const struct unw_arch unw_arch_x86_64 = {
	.arch = &pd_arch_x86_64,
	.n_regs = N_REGS,
	.sp = REG_RSP,
	.fp = REG_RBP,
	.ra = REG_RA,
	.word = 8,
	.fp_saved_fp = 0,
	.fp_saved_ra = 8,
	.fp_cfa = 16,
	.defaults = defaults,
	.n_defaults = sizeof(defaults) / sizeof(defaults[0]),
	.plt_cfa = plt_cfa,
	.plt_step = plt_step,
	.realigned_cfa = realigned_cfa,
};
