#include "unwind/arch.h"

#include "base/array.h"

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

static const struct unw_default_rule defaults[] = {
	UNW_PRESERVED(REG_RBX),
	UNW_PRESERVED(REG_RBP),
	UNW_PRESERVED(REG_R12),
	UNW_PRESERVED(REG_R13),
	UNW_PRESERVED(REG_R14),
	UNW_PRESERVED(REG_R15),
	UNW_CFA_PLUS(REG_RSP, 0),
	{ .reg = REG_RA, .rule = { .kind = UNW_RULE_OFFSET, .off = -8 } },
};

const struct unw_arch unw_arch_x86_64 = {
	.arch = &pd_arch_x86_64,
	.n_regs = N_REGS,
	.sp = REG_RSP,
	.fp = REG_RBP,
	.ra = REG_RA,
	.pc = REG_RA,
	.ra_mask = UINT64_MAX,
	.chain = { .reg = REG_RBP,
		.saved = 0,
		.ra = 8,
		.end = 16,
		.finds_sp = true,
		.finds_fp = true },
	.defaults = defaults,
	.n_defaults = PD_ARRAY_LEN(defaults),
	.plt_cfa = unw_x86_plt_cfa,
	.plt_header = 16,
	.plt_step = unw_x86_plt_step,
	.stack_switch = unw_x86_stack_switch,
	.decode = unw_x86_decode,
	.call_align = 16,
	.begin_code = unw_x86_begin_code,
	.may_be_last = unw_x86_64_may_be_last,
};
