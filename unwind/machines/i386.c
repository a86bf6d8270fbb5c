#include <errno.h>

#include "base/array.h"
#include "unwind/walk_state.h"

/** DWARF register numbers: System V ABI for i386, table 2.14. */
enum {
	REG_EAX = 0,
	REG_ECX = 1,
	REG_EDX = 2,
	REG_EBX = 3,
	REG_ESP = 4,
	REG_EBP = 5,
	REG_ESI = 6,
	REG_EDI = 7,
	REG_RA = 8,
	N_REGS = 9,
};

static const struct unw_default_rule defaults[] = {
	UNW_PRESERVED(REG_EBX),
	UNW_PRESERVED(REG_EBP),
	UNW_PRESERVED(REG_ESI),
	UNW_PRESERVED(REG_EDI),
	UNW_CFA_PLUS(REG_ESP, 0),
	{ .reg = REG_RA, .rule = { .kind = UNW_RULE_OFFSET, .off = -4 } },
};

/* Registers in struct sigcontext_32, sc bytes above the stack pointer. */
#define SIGCONTEXT(sc) \
	{ \
		{ REG_EDI, 1, (sc) + 16 }, { REG_ESI, 1, (sc) + 20 }, { REG_EBP, 1, (sc) + 24 }, \
			{ REG_ESP, 1, (sc) + 28 }, { REG_EBX, 1, (sc) + 32 }, \
			{ REG_EDX, 1, (sc) + 36 }, { REG_ECX, 1, (sc) + 40 }, \
			{ REG_EAX, 1, (sc) + 44 }, { REG_RA, 1, (sc) + 56 }, \
	}

/* The return from the handler has popped the first word of either frame. */
static const struct unw_signal_regs rt_sigframe[] = SIGCONTEXT(160);
static const struct unw_signal_regs sigframe[] = SIGCONTEXT(4);
/* The trampoline has popped another word, the signal number. */
static const struct unw_signal_regs popped_sigframe[] = SIGCONTEXT(0);

/* The test compares sp with sp_at_signal, its copy in the same sigcontext. */
static const struct unw_signal signals[] = {
	{ .test = UNW_SIGNAL_COPY,
		.test_off = 160 + 28,
		.test_with = 160 + 68,
		.regs = UNW_LIST_OF(rt_sigframe) },
	{ .test = UNW_SIGNAL_COPY,
		.test_off = 4 + 28,
		.test_with = 4 + 68,
		.regs = UNW_LIST_OF(sigframe) },
	{ .test = UNW_SIGNAL_COPY,
		.test_off = 28,
		.test_with = 68,
		.regs = UNW_LIST_OF(popped_sigframe) },
};

static const struct unw_signal_code trampolines[] = {
	/* mov $173,%eax; int $0x80 */
	{ { 0xb8, 0xad, 0, 0, 0, 0xcd, 0x80 }, 7 },
	/* pop %eax; mov $119,%eax; int $0x80 */
	{ { 0x58, 0xb8, 0x77, 0, 0, 0, 0xcd, 0x80 }, 8 },
};

static const struct unw_base_code coroutines[] = {
	/* lea (%esp,%ebx,4),%esp; cmpl $0,(%esp): in makecontext of glibc */
	{ { 0x8d, 0x24, 0x9c, 0x83, 0x3c, 0x24, 0 }, 7, 0 },
};

static const struct unw_exit_code exits[] = {
	/* mov %eax,%ebx; xor %eax,%eax; inc %eax; int $0x80: musl */
	{ { 0x89, 0xc3, 0x31, 0xc0, 0x40, 0xcd, 0x80 }, 7 },
	/* mov %eax,%ebx; mov $1,%eax; int $0x80 */
	{ { 0x89, 0xc3, 0xb8, 1, 0, 0, 0, 0xcd, 0x80 }, 9 },
};

static const struct unw_syscall_code syscalls[] = {
	{ { 0xcd, 0x80 }, 2, 0 }, /* int $0x80 */
};

/**
 * Until the kernel knows the result of a system call, eax is -ENOSYS in struct pt_regs
 * (arch/x86/entry/entry_32.S, entry_64_compat.S).
 */
static bool is_in_syscall(const struct unw_walk *w, const struct unw_input *input)
{
	static const struct pd_reg ax = { .perf = 0 };
	uint64_t value;

	return unw_recorded_reg(w, input, &ax, &value) && value == (uint32_t)-ENOSYS;
}

/** Whether @p ra is a return address in code that has a row. */
static bool is_return_address(const struct unw_walk *w, uint64_t ra)
{
	return unw_step_has_row(unw_peek(w, ra, UNW_FRAME_RETURN));
}

/**
 * Row within __kernel_vsyscall, which pushes ecx, edx and ebp, sets ebp to esp, enters the kernel,
 * and undoes all that. Most samples are taken in the kernel and so have all three words on the
 * stack; for a sysenter the kernel reports the pushed ebp. Before the push of ebp and after its
 * pop, the lowest word is edx. The return address is the word after those that were pushed.
 */
static bool vdso_row(const struct unw_walk *w, const struct unw_regs *regs, struct unw_row *ret)
{
	enum { N_PUSHED = 3 };
	uint64_t ebp = regs->value[REG_EBP];
	uint64_t words[N_PUSHED + 1];
	int n = 0;

	for (int i = 0; i <= N_PUSHED; i++) {
		if (!unw_read_word(w, w->sp + 4 * (uint64_t)i, &words[i]))
			return false;
	}
	/* After the push ebp equals esp or, as reported for a sysenter, the pushed word. */
	bool has_pushed_ebp = ebp == w->sp || (ebp == words[0] && regs->value[REG_EDX] != words[0]);

	if (has_pushed_ebp && is_return_address(w, words[N_PUSHED]))
		n = N_PUSHED;
	/* Else the first return address from the top of the stack counts the pushed words. */
	while (n < N_PUSHED && !is_return_address(w, words[n]))
		n++;
	if (n == N_PUSHED && !is_return_address(w, words[n]))
		return false;
	unw_arch_default_row(&unw_arch_i386, ret);
	ret->cfa_reg = REG_ESP;
	ret->cfa_off = 4 * (n + 1);
	ret->ra_column = REG_RA;
	ret->is_inexact = true;
	if (n == N_PUSHED)
		ret->regs[REG_EBP] = (struct unw_rule){ .kind = UNW_RULE_OFFSET, .off = -16 };
	return true;
}

const struct unw_arch unw_arch_i386 = {
	.arch = &base_arch_i386,
	.n_regs = N_REGS,
	.sp = REG_ESP,
	.fp = REG_EBP,
	.ra = REG_RA,
	.pc = REG_RA,
	.ra_mask = UINT32_MAX,
	.chain = { .reg = REG_EBP,
		.saved = 0,
		.ra = 4,
		.end = 8,
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
		.has_vdso_trampolines = true },
	.syscalls = { .insns = UNW_LIST_OF(syscalls),
		.is_in = is_in_syscall,
		.vdso_row = vdso_row },
	.base = { .coroutines = UNW_LIST_OF(coroutines),
		.exits = UNW_LIST_OF(exits),
		.find_switch = unw_x86_find_switch },
};
