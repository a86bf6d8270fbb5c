/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/**
 * @file User registers of the architecture that the BPF program is compiled for.
 */
#ifndef PD_BPF_REGS_H
#define PD_BPF_REGS_H

#include <linux/bpf_perf_event.h>

#include "bpf/walk.h"

#ifdef __TARGET_ARCH_arm64

typedef struct user_pt_regs bw_regs;

static const struct bw_arch bw_arch = BW_ARCH_AARCH64;

/** Bits of the processor state: the exception level, and whether the mode has 32 bits. */
enum { BW_PSTATE_EL = 0xf, BW_PSTATE_32 = 0x10 };

bw_inline bool bw_is_user(const bw_regs *regs)
{
	return !(regs->pstate & BW_PSTATE_EL);
}

bw_inline bool bw_is_64_bit(const bw_regs *regs)
{
	return !(regs->pstate & BW_PSTATE_32);
}

/** Copy the registers that a walk needs. */
bw_inline void bw_copy_regs(bw_regs *to, const bw_regs *from)
{
	to->pc = from->pc;
	to->sp = from->sp;
	to->pstate = from->pstate;
	to->regs[29] = from->regs[29];
	to->regs[30] = from->regs[30];
}

bw_inline bool bw_get_reg(const bw_regs *regs, uint8_t number, uint64_t *ret)
{
	(void)regs;
	(void)number;
	(void)ret;
	return false;
}

bw_inline void bw_begin(struct bw_walk *w, const bw_regs *regs)
{
	*w = (struct bw_walk){
		.pc = regs->pc,
		.sp = regs->sp,
		.fp = regs->regs[29],
		.link = regs->regs[30],
		.knows_sp = true,
		.knows_fp = true,
	};
}

#else

typedef struct pt_regs bw_regs;

static const struct bw_arch bw_arch = BW_ARCH_X86_64;

bw_inline bool bw_is_user(const bw_regs *regs)
{
	enum { USER_MODE = 3 };

	return (regs->cs & USER_MODE) == USER_MODE;
}

/** Whether @p regs are of a program of 64 bits. The upper half of cs holds flags of FRED. */
bw_inline bool bw_is_64_bit(const bw_regs *regs)
{
	enum { CS_64 = 0x33 };

	return (uint16_t)regs->cs == CS_64;
}

/** Copy the registers that a walk needs. */
bw_inline void bw_copy_regs(bw_regs *to, const bw_regs *from)
{
	to->rip = from->rip;
	to->rsp = from->rsp;
	to->rbp = from->rbp;
	to->rbx = from->rbx;
	to->r10 = from->r10;
	to->r11 = from->r11;
	to->r13 = from->r13;
	to->rcx = from->rcx;
	to->eflags = from->eflags;
	to->cs = from->cs;
}

/** Get a register by which prologues and code in assembly keep a stack pointer. */
bw_inline bool bw_get_reg(const bw_regs *regs, uint8_t number, uint64_t *ret)
{
	switch (number) {
	case 10:
		*ret = regs->r10;
		return true;
	case 11:
		*ret = regs->r11;
		return true;
	case 13:
		*ret = regs->r13;
		return true;
	default:
		return false;
	}
}

bw_inline void bw_begin(struct bw_walk *w, const bw_regs *regs)
{
	*w = (struct bw_walk){
		.pc = regs->rip,
		.sp = regs->rsp,
		.fp = regs->rbp,
		.kept = regs->rbx,
		.knows_sp = true,
		.knows_fp = true,
		.knows_kept = true,
		.is_in_syscall = regs->rcx == regs->rip && regs->r11 == regs->eflags,
	};
}

#endif

#endif
