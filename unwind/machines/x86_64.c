#include "base/array.h"
#include "unwind/walk_state.h"

/** DWARF register numbers: System V ABI for AMD64, figure 3.36. */
enum {
	REG_RAX = 0,
	REG_RDX = 1,
	REG_RCX = 2,
	REG_RBX = 3,
	REG_RSI = 4,
	REG_RDI = 5,
	REG_RBP = 6,
	REG_RSP = 7,
	REG_R8 = 8,
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

/** Offset of rt_sigframe.uc, and those of registers in it, in bytes. */
enum { UC_OFF = 8, RSP_OFF = 160, RIP_OFF = 168 };

/*
 * rt_sigframe.uc.uc_mcontext. The return from the handler has popped the first word of the frame,
 * so the stack pointer is at uc.
 */
static const struct unw_signal_regs rt_sigframe[] = {
	{ REG_R8, 8, 40 },
	{ REG_RDI, 1, 104 },
	{ REG_RSI, 1, 112 },
	{ REG_RBP, 1, 120 },
	{ REG_RBX, 1, 128 },
	{ REG_RDX, 1, 136 },
	{ REG_RAX, 1, 144 },
	{ REG_RCX, 1, 152 },
	{ REG_RSP, 1, RSP_OFF },
	{ REG_RA, 1, RIP_OFF },
};

static const struct unw_signal signals[] = {
	{ .test = UNW_SIGNAL_ANY, .regs = UNW_LIST_OF(rt_sigframe) },
};

static const struct unw_signal_code trampolines[] = {
	/* mov $15,%rax; syscall: glibc, musl, Go */
	{ { 0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05 }, 9 },
	/* mov $15,%eax; syscall */
	{ { 0xb8, 0x0f, 0, 0, 0, 0x0f, 0x05 }, 7 },
};

static const struct unw_base_code coroutines[] = {
	/* mov %rbx,%rsp; mov (%rsp),%rdi: __start_context of glibc, without and with endbr64 */
	{ { 0x48, 0x89, 0xdc, 0x48, 0x8b, 0x3c, 0x24 }, 7, 0 },
	{ { 0xf3, 0x0f, 0x1e, 0xfa, 0x48, 0x89, 0xdc }, 7, 0 },
	/* xor %rdi,%rdi; call _exit; hlt: in make_fcontext of Boost.Context */
	{ { 0x48, 0x31, 0xff, 0xe8, 0, 0, 0, 0, 0xf4 }, 9, 4 },
};

static const struct unw_exit_code exits[] = {
	/* mov %eax,%edi; xor %eax,%eax; mov $60,%al; syscall: musl */
	{ { 0x89, 0xc7, 0x31, 0xc0, 0xb0, 60, 0x0f, 0x05 }, 8 },
	/* mov %eax,%edi; mov $60,%eax; syscall: Zig, programs without a C library */
	{ { 0x89, 0xc7, 0xb8, 60, 0, 0, 0, 0x0f, 0x05 }, 9 },
	/* mov %eax,%edi; mov $231,%eax; syscall: exit_group */
	{ { 0x89, 0xc7, 0xb8, 231, 0, 0, 0, 0x0f, 0x05 }, 9 },
};

static const struct unw_syscall_code syscalls[] = {
	{ { 0x0f, 0x05 }, 2, 0 }, /* syscall */
};

/**
 * The instruction syscall leaves its own return address in rcx and the flags in r11. The kernel
 * keeps both in struct pt_regs (arch/x86/entry/entry_64.S).
 */
static bool is_in_syscall(const struct unw_walk *w, const struct unw_input *input)
{
	static const struct pd_reg cx = { .perf = 2 }, r11 = { .perf = 19 }, flags = { .perf = 9 };
	uint64_t return_address, saved_flags, current_flags;

	return unw_recorded_reg(w, input, &cx, &return_address) && return_address == w->pc &&
	       unw_recorded_reg(w, input, &r11, &saved_flags) &&
	       unw_recorded_reg(w, input, &flags, &current_flags) && saved_flags == current_flags;
}

/** Whether a signal frame starts at the stack pointer and holds the recorded value of @p reg. */
static bool is_reg_saved(
	const struct unw_walk *w, const struct unw_input *input, uint8_t reg, int16_t off)
{
	uint64_t recorded, saved;

	for (size_t i = 0; i < base_arch_x86_64.n_regs; i++) {
		const struct pd_reg *found = &base_arch_x86_64.regs[i];

		if (found->dwarf == reg)
			return unw_recorded_reg(w, input, found, &recorded) &&
			       unw_read_word(w, w->sp + UC_OFF + off, &saved) && saved == recorded;
	}
	return false;
}

/** Whether register @p reg has another value in a signal handler than in the interrupted code. */
static bool is_set_for_handler(uint8_t reg)
{
	return reg == REG_RDI || reg == REG_RSI || reg == REG_RDX || reg == REG_RAX ||
	       reg == REG_RSP || reg == REG_RA;
}

/**
 * The kernel writes a signal frame, and then sets the registers of the handler one by one:
 * x64_setup_rt_frame() in arch/x86/kernel/signal_64.c. A sample in between may have the handler's
 * stack pointer with the program counter of the interrupted code.
 */
static bool interrupted_sp(const struct unw_walk *w, const struct unw_input *input, uint64_t *ret)
{
	uint64_t pc;

	if (!unw_read_word(w, w->sp + UC_OFF + RIP_OFF, &pc) || pc != w->pc)
		return false;
	/* A recursive function may have its program counter there, but not all registers. */
	for (size_t i = 0; i < PD_ARRAY_LEN(rt_sigframe); i++) {
		const struct unw_signal_regs *regs = &rt_sigframe[i];

		for (uint8_t k = 0; k < regs->n; k++) {
			uint8_t reg = regs->first + k;

			if (!is_set_for_handler(reg) &&
				!is_reg_saved(w, input, reg, regs->off + 8 * k))
				return false;
		}
	}
	return unw_read_word(w, w->sp + UC_OFF + RSP_OFF, ret);
}

const struct unw_arch unw_arch_x86_64 = {
	.arch = &base_arch_x86_64,
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
	.defaults = UNW_LIST_OF(defaults),
	.plt = { .cfa = unw_x86_plt_cfa, .header = 16, .step = unw_x86_plt_step },
	.code = { .decode = unw_x86_decode,
		.begin = unw_x86_begin_code,
		.read_reference = unw_x86_read_reference },
	.calls = { .align = 16, .is_last = unw_x86_is_last, .before = unw_x86_call_before },
	.signals = { .frames = UNW_LIST_OF(signals),
		.trampolines = UNW_LIST_OF(trampolines),
		.interrupted_sp = interrupted_sp },
	.syscalls = { .insns = UNW_LIST_OF(syscalls), .is_in = is_in_syscall },
	.base = { .coroutines = UNW_LIST_OF(coroutines),
		.exits = UNW_LIST_OF(exits),
		.find_switch = unw_x86_find_switch },
};
