#include "unwind/rules/arch_rules.h"

#include "base/array.h"

/** DWARF register numbers: ELF Application Binary Interface s390x Supplement, section 1.6.1. */
enum {
	REG_R6 = 6,
	/** Frame pointer in functions that need one. It forms no chain. */
	REG_R11 = 11,
	REG_R14 = 14,
	REG_SP = 15,
	REG_F0 = 16,
	REG_PC = 65,
	N_REGS = 66,
	/**
	 * Size of the area in which a caller lets its callee save registers. The CFA is above it.
	 */
	SAVE_AREA = 160,
};

static const struct unw_default_rule defaults[] = {
	UNW_PRESERVED(REG_R6),
	UNW_PRESERVED(7),
	UNW_PRESERVED(8),
	UNW_PRESERVED(9),
	UNW_PRESERVED(10),
	UNW_PRESERVED(REG_R11),
	UNW_PRESERVED(12),
	UNW_PRESERVED(13),
	UNW_PRESERVED(REG_R14),
	/* f8, f10, f12, f14, f9, f11, f13, f15: functions save general registers in them. */
	UNW_PRESERVED(24),
	UNW_PRESERVED(25),
	UNW_PRESERVED(26),
	UNW_PRESERVED(27),
	UNW_PRESERVED(28),
	UNW_PRESERVED(29),
	UNW_PRESERVED(30),
	UNW_PRESERVED(31),
	UNW_CFA_PLUS(REG_SP, -SAVE_AREA),
};

/* Registers in struct _sigregs, sregs bytes above the stack pointer. f0, f2, f4, f6, f1, ... */
#define SIGREGS(sregs) \
	{ \
		{ REG_PC, 1, (sregs) + 8 }, { 0, 16, (sregs) + 16 }, { 16, 1, (sregs) + 216 }, \
			{ 17, 1, (sregs) + 232 }, { 18, 1, (sregs) + 248 }, \
			{ 19, 1, (sregs) + 264 }, { 20, 1, (sregs) + 224 }, \
			{ 21, 1, (sregs) + 240 }, { 22, 1, (sregs) + 256 }, \
			{ 23, 1, (sregs) + 272 }, { 24, 1, (sregs) + 280 }, \
			{ 25, 1, (sregs) + 296 }, { 26, 1, (sregs) + 312 }, \
			{ 27, 1, (sregs) + 328 }, { 28, 1, (sregs) + 288 }, \
			{ 29, 1, (sregs) + 304 }, { 30, 1, (sregs) + 320 }, \
			{ 31, 1, (sregs) + 336 }, \
	}

static const struct unw_signal_regs sigframe[] = SIGREGS(176);
static const struct unw_signal_regs rt_sigframe[] = SIGREGS(336);

/* The back chain of the trampoline leads to the interrupted frame, so it equals the saved r15. */
static const struct unw_signal signals[] = {
	{ .test = UNW_SIGNAL_COPY, .test_with = 472, .regs = UNW_LIST_OF(rt_sigframe) },
	{ .test = UNW_SIGNAL_COPY, .test_with = 312, .regs = UNW_LIST_OF(sigframe) },
};

static const struct unw_signal_code trampolines[] = {
	{ { 0x0a, 173 }, 2 }, /* svc rt_sigreturn */
	{ { 0x0a, 119 }, 2 }, /* svc sigreturn */
};

static const struct unw_exit_code exits[] = {
	{ { 0x0a, 1 }, 2 }, /* svc exit: musl */
};

static const struct unw_syscall_code syscalls[] = {
	{ { 0x0a }, 1, 1 }, /* svc, with the number of the call */
};

/** Whether the instruction at @p p, whose length is @p len, is lg %r15,off(%rN) or lgr %r15,%rN. */
static bool is_switch(const uint8_t *p, size_t len)
{
	enum { RXY = 0xe3, LG = 0x04, LGR_HIGH = 0xb9, LGR = 0x04, SP = 15 };

	if (len == 6)
		return p[0] == RXY && p[5] == LG && p[1] >> 4 == SP && p[2] >> 4 != SP;
	return len == 4 && p[0] == LGR_HIGH && p[1] == LGR && p[3] >> 4 == SP && (p[3] & 15) != SP;
}

/** See unw_base_rules.find_switch. The first two bits of an instruction are its length. */
static size_t stack_switch(const struct unw_arch *arch, const uint8_t *code, size_t size)
{
	static const uint8_t lengths[] = { 2, 4, 4, 6 };

	(void)arch;
	for (size_t off = 0; off < size;) {
		size_t len = lengths[code[off] >> 6];

		if (len > size - off)
			return 0;
		off += len;
		if (is_switch(code + off - len, len))
			return off;
	}
	return 0;
}

const struct unw_arch unw_arch_s390x = {
	.arch = &base_arch_s390x,
	.n_regs = N_REGS,
	.sp = REG_SP,
	.fp = REG_R11,
	.ra = REG_R14,
	.pc = REG_PC,
	.ra_mask = UINT64_MAX,
	.cfa_above_sp = SAVE_AREA,
	.chain = { .reg = PD_NO_DWARF },
	.defaults = UNW_LIST_OF(defaults),
	.plt = { .header = 32, .step = unw_link_plt_step },
	.code = { .decode = unw_s390x_decode, .read_reference = unw_s390x_read_reference },
	.signals = { .frames = UNW_LIST_OF(signals),
		.trampolines = UNW_LIST_OF(trampolines),
		.has_vdso_trampolines = true },
	.syscalls = { .insns = UNW_LIST_OF(syscalls) },
	.base = { .exits = UNW_LIST_OF(exits), .find_switch = stack_switch },
};
