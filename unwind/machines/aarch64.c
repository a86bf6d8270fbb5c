#include "unwind/rules/arch_rules.h"

#include "base/array.h"

/** DWARF register numbers: DWARF for the Arm 64-bit Architecture, section 4.1. */
enum {
	REG_X19 = 19,
	REG_FP = 29,
	REG_LR = 30,
	REG_SP = 31,
	REG_PC = 32,
	N_REGS = 33,
};

static const struct unw_default_rule defaults[] = {
	UNW_PRESERVED(REG_X19),
	UNW_PRESERVED(20),
	UNW_PRESERVED(21),
	UNW_PRESERVED(22),
	UNW_PRESERVED(23),
	UNW_PRESERVED(24),
	UNW_PRESERVED(25),
	UNW_PRESERVED(26),
	UNW_PRESERVED(27),
	UNW_PRESERVED(28),
	UNW_PRESERVED(REG_FP),
	UNW_PRESERVED(REG_LR),
	UNW_CFA_PLUS(REG_SP, 0),
};

/** The header pushes x16 and x30. Entries change neither the stack nor the link register. */
static struct unw_step plt_step(const struct unw_arch *arch, uint64_t off, bool is_header)
{
	enum { AFTER_PUSH = 4, PUSHED = 16 };

	if (!is_header || off < AFTER_PUSH)
		return unw_link_plt_step(arch, off, is_header);
	return (struct unw_step){ .kind = UNW_STEP_SP, .cfa_off = PUSHED, .ra_off = -8 };
}

/**
 * The PLT header jumps to glibc's _dl_runtime_resolve(). The CFA of that function does not include
 * the 16 bytes that the header has pushed, so the return address seems to be in the caller's frame.
 */
static void correct_row(struct unw_row *row)
{
	enum { PUSHED = 16, LR_OFF = 8 };
	const struct unw_rule *lr = &row->regs[REG_LR];

	if (lr->kind != UNW_RULE_OFFSET || lr->off != LR_OFF || row->cfa_expr.bytes)
		return;
	row->cfa_off += PUSHED;
	for (uint8_t reg = 0; reg < N_REGS; reg++) {
		if (row->regs[reg].kind == UNW_RULE_OFFSET)
			row->regs[reg].off -= PUSHED;
	}
}

/* rt_sigframe.uc.uc_mcontext: x0 to x30, sp, pc. */
static const struct unw_signal_regs rt_sigframe[] = { { 0, N_REGS, 312 } };

static const struct unw_signal signals[] = {
	{ .test = UNW_SIGNAL_ANY, .regs = UNW_LIST_OF(rt_sigframe) },
};

static const struct unw_signal_code trampolines[] = {
	/* mov x8, #139; svc #0 */
	{ { 0x68, 0x11, 0x80, 0xd2, 0x01, 0, 0, 0xd4 }, 8 },
};

static const struct unw_exit_code exits[] = {
	/* mov x8, #93; svc #0: musl, Zig */
	{ { 0xa8, 0x0b, 0x80, 0xd2, 0x01, 0, 0, 0xd4 }, 8 },
	/* mov w8, #93; svc #0 */
	{ { 0xa8, 0x0b, 0x80, 0x52, 0x01, 0, 0, 0xd4 }, 8 },
};

static const struct unw_syscall_code syscalls[] = {
	{ { 0x01, 0, 0, 0xd4 }, 4, 0 }, /* svc #0 */
};

static const struct unw_switch_insn switches[] = {
	/* mov sp, xN */
	{ 0xfffffc1f, 0x9100001f, 0x3e0, 0x3e0 },
};

/** Bits of user addresses, without the signature that pointer authentication adds above them. */
#define ADDRESS_BITS ((UINT64_C(1) << 48) - 1)

const struct unw_arch unw_arch_aarch64 = {
	.arch = &base_arch_aarch64,
	.n_regs = N_REGS,
	.sp = REG_SP,
	.fp = REG_FP,
	.ra = REG_LR,
	.pc = REG_PC,
	.ra_mask = ADDRESS_BITS,
	/* The record may be anywhere in the frame, so the caller's stack pointer is unknown. */
	.chain = { .reg = REG_FP, .saved = 0, .ra = 8, .end = 16, .finds_fp = true },
	.defaults = UNW_LIST_OF(defaults),
	.correct_row = correct_row,
	.plt = { .header = 32, .step = plt_step },
	.code = { .decode = unw_aarch64_decode, .read_reference = unw_aarch64_read_reference },
	.calls = { .is_last = unw_aarch64_is_last },
	.signals = { .frames = UNW_LIST_OF(signals),
		.trampolines = UNW_LIST_OF(trampolines),
		.has_vdso_trampolines = true },
	.syscalls = { .insns = UNW_LIST_OF(syscalls) },
	.base = { .exits = UNW_LIST_OF(exits),
		.find_switch = unw_insn_find_switch,
		.switches = UNW_LIST_OF(switches) },
};
