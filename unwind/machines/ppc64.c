#include "unwind/rules/code_analysis.h"

#include <pdconv/cursor.h>

#include "base/array.h"

/** DWARF register numbers: 64-Bit ELF V2 ABI, section 2.4. */
enum {
	REG_SP = 1,
	REG_TOC = 2,
	REG_TLS = 13,
	REG_R14 = 14,
	REG_FP = 31,
	REG_LR = 65,
	/**
	 * The kernel's trampoline describes the program counter by this number of another register.
	 */
	REG_PC = 67,
	REG_CR2 = 70,
	REG_CR3 = 71,
	REG_CR4 = 72,
	N_REGS = 73,
};

static const struct unw_default_rule defaults[] = {
	UNW_PRESERVED(REG_TOC),
	UNW_PRESERVED(REG_TLS),
	UNW_PRESERVED(REG_R14),
	UNW_PRESERVED(15),
	UNW_PRESERVED(16),
	UNW_PRESERVED(17),
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
	UNW_PRESERVED(28),
	UNW_PRESERVED(29),
	UNW_PRESERVED(30),
	UNW_PRESERVED(REG_FP),
	UNW_PRESERVED(REG_LR),
	UNW_PRESERVED(REG_CR2),
	UNW_PRESERVED(REG_CR3),
	UNW_PRESERVED(REG_CR4),
	UNW_CFA_PLUS(REG_SP, 0),
};

/* sigcontext.gp_regs, gp bytes above the stack pointer: r0 to r31, nip, ..., link. */
#define GP_REGS(gp) \
	{ \
		{ 0, 32, (gp) }, { REG_PC, 1, (gp) + 256 }, { REG_LR, 1, (gp) + 288 }, \
	}

static const struct unw_signal_regs rt_sigframe[] = GP_REGS(360);
static const struct unw_signal_regs qemu_rt_sigframe[] = GP_REGS(376);

/* The back chain of the trampoline leads to the interrupted frame, so it equals the saved r1. */
static const struct unw_signal signals[] = {
	{ .test = UNW_SIGNAL_COPY, .test_with = 368, .regs = UNW_LIST_OF(rt_sigframe) },
	/* QEMU's user mode leaves another 16 bytes below the frame. */
	{ .test = UNW_SIGNAL_COPY, .test_with = 384, .regs = UNW_LIST_OF(qemu_rt_sigframe) },
};

static const struct unw_signal_code trampolines[] = {
	/* addi r1, r1, 128; li r0, 172; sc, in either byte order */
	{ { 0x38, 0x21, 0, 0x80, 0x38, 0, 0, 0xac, 0x44, 0, 0, 0x02 }, 12 },
	{ { 0x80, 0, 0x21, 0x38, 0xac, 0, 0, 0x38, 0x02, 0, 0, 0x44 }, 12 },
};

static const struct unw_switch_insn switches[] = {
	/* ld r1, off(rN); mr r1, rN */
	{ 0xffe00003, 0xe8200000, 0x1f0000, 0x10000 },
	{ 0xfc1f07ff, 0x7c010378, 0x3e00000, 0x200000 },
};

static const struct unw_exit_code exits[] = {
	/* li r0, 1; sc, in either byte order: musl */
	{ { 0x38, 0, 0, 0x01, 0x44, 0, 0, 0x02 }, 8 },
	{ { 0x01, 0, 0, 0x38, 0x02, 0, 0, 0x44 }, 8 },
};

static const struct unw_syscall_code syscalls[] = {
	{ { 0x44, 0, 0, 0x02 }, 4, 0 }, /* sc, in either byte order */
	{ { 0x02, 0, 0, 0x44 }, 4, 0 },
};

/** Read the current instruction. At the end of the section, return 0, which is invalid. */
static uint32_t instruction(const struct unw_code *code)
{
	struct pd_cursor c = pd_cursor_init(code->bytes, code->n_bytes, unw_arch_swap(code->arch));
	uint32_t w = pd_cursor_u32(&c);

	return c.overrun ? 0 : w;
}

/**
 * Decode code without call frame information: libgcc's functions that save and restore registers,
 * which prologues call and epilogues jump to, and stubs of linkers, which jump to the address in
 * r12. Power ISA, book I, chapters 2 and 3.
 */
static struct unw_insn decode(struct unw_code *code)
{
	enum { LFD = 50, STFD = 54, LD = 58, STD = 62, MTLR = 0x7c0803a6, MTCTR_R12 = 0x7d8903a6 };
	enum { BLR = 0x4e800020, BCTR = 0x4e800420, BY_REG = 0x1f << 21 };
	uint32_t w = instruction(code);
	uint8_t rt = (uint8_t)(w >> 21 & 31);
	uint8_t ra = (uint8_t)(w >> 16 & 31);
	int64_t off = (int16_t)(w & 0xfffc);
	struct unw_insn next = { .flow = UNW_FLOW_NEXT, .len = 4 };

	/*
	 * A stub jumps through ctr to a function that returns to lr, so it unwinds like a return.
	 */
	if (w == BLR || w == BCTR)
		return (struct unw_insn){ .flow = UNW_FLOW_RETURN, .reg = REG_LR };
	if ((w & ~(uint32_t)BY_REG) == MTLR)
		unw_code_add(code, REG_LR, rt, 0);
	else if (w >> 26 == LD && !(w & 3))
		unw_code_load(code, rt, ra, off);
	else if (w >> 26 == STD && !(w & 3))
		unw_code_store(code, rt, ra, off);
	else if (w != MTCTR_R12 && w >> 26 != LFD && w >> 26 != STFD)
		next.flow = UNW_FLOW_STOP;
	return next;
}

/*
 * plt.step is not needed, because .plt holds addresses only. Lazy binding and calls between modules
 * go through code that linkers put into .text and describe by call frame information.
 */
#define PPC64(machine) \
	{ \
		.arch = (machine), .n_regs = N_REGS, .sp = REG_SP, .fp = REG_FP, .ra = REG_LR, \
		.pc = REG_PC, .ra_mask = ~UINT64_C(3), .has_red_zone = true, \
		.chain = { .reg = REG_SP, \
			.saved = 0, \
			.ra = 16, \
			.is_ra_in_caller = true, \
			.finds_sp = true }, \
		.defaults = UNW_LIST_OF(defaults), .code = { .decode = decode }, \
		.signals = { .frames = UNW_LIST_OF(signals), \
			.trampolines = UNW_LIST_OF(trampolines), \
			.has_vdso_trampolines = true }, \
		.syscalls = { .insns = UNW_LIST_OF(syscalls) }, \
		.base = { .exits = UNW_LIST_OF(exits), \
			.find_switch = unw_insn_find_switch, \
			.switches = UNW_LIST_OF(switches) }, \
	}

const struct unw_arch unw_arch_ppc64 = PPC64(&base_arch_ppc64);
const struct unw_arch unw_arch_ppc64le = PPC64(&base_arch_ppc64le);
