#include "unwind/rules/arch_rules.h"

#include "base/array.h"

/** DWARF register numbers: RISC-V DWARF Specification, table 1. */
enum {
	REG_RA = 1,
	REG_SP = 2,
	REG_GP = 3,
	REG_TP = 4,
	REG_FP = 8,
	REG_S1 = 9,
	/** "Alternate frame return column", for frames that a signal interrupted. */
	REG_PC = 64,
	N_REGS = 65,
};

static const struct unw_default_rule defaults[] = {
	UNW_PRESERVED(REG_RA),
	UNW_PRESERVED(REG_GP),
	UNW_PRESERVED(REG_TP),
	UNW_PRESERVED(REG_FP),
	UNW_PRESERVED(REG_S1),
	UNW_PRESERVED(18),
	UNW_PRESERVED(19),
	UNW_PRESERVED(20),
	UNW_PRESERVED(21),
	UNW_PRESERVED(22),
	UNW_PRESERVED(23),
	UNW_PRESERVED(24),
	UNW_PRESERVED(25),
	UNW_PRESERVED(26),
	UNW_PRESERVED(27),
	UNW_CFA_PLUS(REG_SP, 0),
};

/* rt_sigframe.uc.uc_mcontext: pc, x1 to x31. */
static const struct unw_signal_regs rt_sigframe[] = { { REG_PC, 1, 304 }, { REG_RA, 31, 312 } };

static const struct unw_signal signals[] = {
	{ .test = UNW_SIGNAL_ANY, .regs = UNW_LIST_OF(rt_sigframe) },
};

static const struct unw_signal_code trampolines[] = {
	/* li a7, 139; ecall */
	{ { 0x93, 0x08, 0xb0, 0x08, 0x73, 0, 0, 0 }, 8 },
};

static const struct unw_exit_code exits[] = {
	/* li a7, 93; ecall: musl, Zig */
	{ { 0x93, 0x08, 0xd0, 0x05, 0x73, 0, 0, 0 }, 8 },
};

static const struct unw_syscall_code syscalls[] = {
	{ { 0x73, 0, 0, 0 }, 4, 0 }, /* ecall */
};

static const struct unw_switch_insn switches[] = {
	/* ld sp, off(xN); mv sp, xN */
	{ 0x7fff, 0x3103, 0xf8000, 0x10000 },
	{ 0xfff07fff, 0x113, 0xf8000, 0x10000 },
};

const struct unw_arch unw_arch_riscv64 = {
	.arch = &base_arch_riscv64,
	.n_regs = N_REGS,
	.sp = REG_SP,
	.fp = REG_FP,
	.ra = REG_RA,
	.pc = REG_PC,
	.ra_mask = UINT64_MAX,
	.chain = { .reg = REG_FP,
		.saved = -16,
		.ra = -8,
		.end = 0,
		.finds_sp = true,
		.finds_fp = true },
	.defaults = UNW_LIST_OF(defaults),
	.plt = { .header = 32, .step = unw_link_plt_step },
	.code = { .decode = unw_riscv64_decode, .begin = unw_riscv64_begin_code },
	.signals = { .frames = UNW_LIST_OF(signals),
		.trampolines = UNW_LIST_OF(trampolines),
		.has_vdso_trampolines = true },
	.syscalls = { .insns = UNW_LIST_OF(syscalls) },
	.base = { .exits = UNW_LIST_OF(exits),
		.find_switch = unw_insn_find_switch,
		.switches = UNW_LIST_OF(switches) },
};
