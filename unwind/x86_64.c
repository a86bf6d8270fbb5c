#include "base/array.h"
#include "unwind/walk.h"

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
	{ REG_RSP, 1, 160 },
	{ REG_RA, 1, 168 },
};

static const struct unw_signal signals[] = {
	{ .test = UNW_SIGNAL_ANY, .regs = rt_sigframe, .n_regs = PD_ARRAY_LEN(rt_sigframe) },
};

static const struct unw_signal_code signal_codes[] = {
	/* mov $15,%rax; syscall: glibc, musl, Go */
	{ { 0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05 }, 9 },
	/* mov $15,%eax; syscall */
	{ { 0xb8, 0x0f, 0, 0, 0, 0x0f, 0x05 }, 7 },
};

static const struct unw_base_code base_codes[] = {
	/* mov %rbx,%rsp; mov (%rsp),%rdi: __start_context of glibc, without and with endbr64 */
	{ { 0x48, 0x89, 0xdc, 0x48, 0x8b, 0x3c, 0x24 }, 7, 0 },
	{ { 0xf3, 0x0f, 0x1e, 0xfa, 0x48, 0x89, 0xdc }, 7, 0 },
	/* xor %rdi,%rdi; call _exit; hlt: in make_fcontext of Boost.Context */
	{ { 0x48, 0x31, 0xff, 0xe8, 0, 0, 0, 0, 0xf4 }, 9, 4 },
};

static const struct unw_syscall_code syscall_codes[] = {
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
	.signals = signals,
	.n_signals = PD_ARRAY_LEN(signals),
	.signal_codes = signal_codes,
	.n_signal_codes = PD_ARRAY_LEN(signal_codes),
	.base_codes = base_codes,
	.n_base_codes = PD_ARRAY_LEN(base_codes),
	.is_in_syscall = is_in_syscall,
	.syscall_codes = syscall_codes,
	.n_syscall_codes = PD_ARRAY_LEN(syscall_codes),
	.decode = unw_x86_decode,
	.call_align = 16,
	.begin_code = unw_x86_begin_code,
	.may_be_last = unw_x86_64_may_be_last,
	.read_reference = unw_x86_64_read_reference,
	.call_before = unw_x86_64_call_before,
};
