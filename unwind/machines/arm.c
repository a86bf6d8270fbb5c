#include "unwind/rules/arch_rules.h"

#include "base/array.h"

/** DWARF register numbers: DWARF for the Arm Architecture, section 4.1. */
enum {
	REG_R4 = 4,
	REG_FP = 11,
	REG_SP = 13,
	REG_LR = 14,
	REG_PC = 15,
	N_REGS = 16,
};

static const struct unw_default_rule defaults[] = {
	UNW_PRESERVED(REG_R4),
	UNW_PRESERVED(5),
	UNW_PRESERVED(6),
	UNW_PRESERVED(7),
	UNW_PRESERVED(8),
	UNW_PRESERVED(9),
	UNW_PRESERVED(10),
	UNW_PRESERVED(REG_FP),
	UNW_PRESERVED(REG_LR),
	UNW_CFA_PLUS(REG_SP, 0),
};

/** The header first pushes lr, which it then uses. Entries change neither the stack nor lr. */
static struct unw_step plt_step(const struct unw_arch *arch, uint64_t off, bool is_header)
{
	enum { AFTER_PUSH = 4, PUSHED = 4 };

	if (!is_header || off < AFTER_PUSH)
		return unw_link_plt_step(arch, off, is_header);
	return (struct unw_step){ .kind = UNW_STEP_SP, .cfa_off = PUSHED, .ra_off = -PUSHED };
}

/* ucontext.uc_mcontext: r0 to r15. Without SA_SIGINFO the frame starts with the ucontext. */
static const struct unw_signal_regs sigframe[] = { { 0, N_REGS, 32 } };
static const struct unw_signal_regs rt_sigframe[] = { { 0, N_REGS, 160 } };

static const struct unw_signal signals[] = {
	/* The kernel sets uc_flags to this value, which siginfo.si_signo never has. */
	{ .test = UNW_SIGNAL_VALUE, .test_with = 0x5ac3c35a, .regs = UNW_LIST_OF(sigframe) },
	{ .test = UNW_SIGNAL_ANY, .regs = UNW_LIST_OF(rt_sigframe) },
};

static const struct unw_signal_code trampolines[] = {
	/* mov r7, #119 or #173; svc 0x900077 or 0x9000ad: valid for the EABI and the old ABI. */
	{ { 0x77, 0x70, 0xa0, 0xe3, 0x77, 0, 0x90, 0xef }, 8 },
	{ { 0xad, 0x70, 0xa0, 0xe3, 0xad, 0, 0x90, 0xef }, 8 },
	/* mov r7, #119 or #173; svc 0: glibc, musl, Go */
	{ { 0x77, 0x70, 0xa0, 0xe3, 0, 0, 0, 0xef }, 8 },
	{ { 0xad, 0x70, 0xa0, 0xe3, 0, 0, 0, 0xef }, 8 },
	/* Thumb: movs r7, #119 or #173; svc 0. */
	{ { 0x77, 0x27, 0, 0xdf }, 4 },
	{ { 0xad, 0x27, 0, 0xdf }, 4 },
};

static const struct unw_exit_code exits[] = {
	/* mov r7, #1; svc 0: musl, Zig */
	{ { 0x01, 0x70, 0xa0, 0xe3, 0, 0, 0, 0xef }, 8 },
	/* Thumb: movs r7, #1; svc 0. */
	{ { 0x01, 0x27, 0, 0xdf }, 4 },
};

static const struct unw_syscall_code syscalls[] = {
	{ { 0, 0, 0, 0xef }, 4, 0 }, /* svc 0 */
	{ { 0, 0xdf }, 2, 0 },	     /* Thumb: svc 0 */
};

static const struct unw_switch_insn switches[] = {
	/* ldr sp, [rN, #off]; mov sp, rN */
	{ 0xfff0f000, 0xe590d000, 0xf0000, 0xd0000 },
	{ 0xfffffff0, 0xe1a0d000, 0xf, 0xd },
};

const struct unw_arch unw_arch_arm = {
	.arch = &base_arch_arm,
	.n_regs = N_REGS,
	.sp = REG_SP,
	.fp = REG_FP,
	.ra = REG_LR,
	.pc = REG_PC,
	/* The lowest bit selects the instruction set. */
	.ra_mask = UINT32_MAX & ~UINT64_C(1),
	/* Compilers disagree on which register is the frame pointer and what it points to. */
	.chain = { .reg = PD_NO_DWARF },
	.defaults = UNW_LIST_OF(defaults),
	.plt = { .header = 20, .step = plt_step },
	.code = { .decode = unw_arm_decode, .begin = unw_arm_begin_code },
	.signals = { .frames = UNW_LIST_OF(signals),
		.trampolines = UNW_LIST_OF(trampolines),
		.has_vdso_trampolines = true },
	.syscalls = { .insns = UNW_LIST_OF(syscalls) },
	.base = { .exits = UNW_LIST_OF(exits),
		.find_switch = unw_insn_find_switch,
		.switches = UNW_LIST_OF(switches) },
};
