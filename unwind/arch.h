/**
 * @file What the unwinder must know of an architecture. One small file each; everything else goes
 * by DWARF register numbers.
 */
#ifndef PD_UNWIND_ARCH_H
#define PD_UNWIND_ARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/bytes.h>

#include "base/arch.h"
#include "unwind/row.h"
#include "unwind/step.h"

struct unw_walk;
struct unw_regs;
struct unw_section;
struct unw_code;
struct unw_insn;

/** What the ABI says of a register about which the call frame information says nothing. */
struct unw_default_rule {
	uint8_t reg;
	struct unw_rule rule;
};

/** The row of a default rule: the register @p number is preserved. */
#define UNW_PRESERVED(number) \
	{ \
		.reg = (number), .rule = {.kind = UNW_RULE_SAME } \
	}

/** The row of a default rule: the register @p number is CFA + @p distance, the stack pointer. */
#define UNW_CFA_PLUS(number, distance) \
	{ \
		.reg = (number), .rule = {.kind = UNW_RULE_VAL_OFFSET, .off = (distance) } \
	}

/**
 * Frames linked with each other in memory, for code without call frame information: functions that
 * keep a frame pointer, or a back chain.
 */
struct unw_chain {
	/** The register that leads to the first link: arch.fp or arch.sp. PD_NO_DWARF: no chain. */
	uint8_t reg;
	/** At this distance from it, in bytes, is the caller's value of it. */
	int8_t saved;
	/** And at this one the return address; from the caller's value, if is_ra_in_caller. */
	int8_t ra;
	bool is_ra_in_caller;
	/** The frame's end: the least value that the caller's stack pointer can have. */
	int8_t end;
	/** The caller's stack pointer is the frame's end. */
	bool finds_sp;
	/** The caller's frame pointer is found. */
	bool finds_fp;
};

/** Registers that a signal frame holds one behind the other, each a word. */
struct unw_signal_regs {
	uint8_t first;
	uint8_t n;
	int16_t off;
};

/** How to know a kind of signal frame: the word at test_off ... */
enum unw_signal_test {
	UNW_SIGNAL_ANY,	  /**< does not matter: there is one kind only, or it is the last one. */
	UNW_SIGNAL_VALUE, /**< is test_with. */
	UNW_SIGNAL_COPY,  /**< is the same as the word at test_with, and not 0. */
};

/**
 * What the kernel leaves on the stack of a handler for sigreturn, where the handler has returned to
 * the trampoline: struct (rt_)sigframe of the kernel's arch/.../kernel/signal.c.
 */
struct unw_signal {
	enum unw_signal_test test;
	/** Distances from the stack pointer in the trampoline, as all here. */
	int16_t test_off;
	uint32_t test_with;
	const struct unw_signal_regs *regs;
	size_t n_regs;
};

/** Instructions of a trampoline; the handler returns to the first one. */
struct unw_signal_code {
	uint8_t bytes[12];
	uint8_t n;
};

struct unw_arch {
	const struct pd_arch *arch;
	/** DWARF register numbers 0 to this - 1 are followed; at most UNW_N_REGS. */
	uint8_t n_regs;
	uint8_t sp;
	uint8_t fp;
	/** The register whose rule gives the return address: the usual return address column. */
	uint8_t ra;
	/**
	 * The number that stands for the program counter in call frame information. The same as ra
	 * where calls push the return address; else ra is the link register, in which calls leave
	 * it.
	 */
	uint8_t pc;
	/** Bits of a return address that are address. */
	uint64_t ra_mask;
	/** The CFA lies this many bytes above the caller's stack pointer. */
	uint8_t cfa_above_sp;
	/**
	 * Functions keep registers below the stack pointer, where slices do not reach, before they
	 * move it down and after they have moved it up. Else such a slot is free already: in an
	 * epilogue, behind the pop, compilers leave the row as it was, and the register has the
	 * value.
	 */
	bool has_red_zone;
	struct unw_chain chain;
	const struct unw_default_rule *defaults;
	size_t n_defaults;
	/**
	 * If a CFA expression is one that this architecture's linkers emit, and at the vaddr @p pc
	 * equals sp + a constant, then that constant. NULL: there are none.
	 */
	bool (*plt_cfa)(const struct unw_arch *arch, const struct unw_expr *expr, uint64_t pc,
		int32_t *off_ret);
	/** Change a row that is known to be wrong. NULL: there are none. */
	void (*correct_row)(struct unw_row *row);
	/** Bytes before the first entry of .plt: what calls the dynamic linker. */
	uint8_t plt_header;
	/**
	 * The step from the byte @p off of a PLT entry, or of the header, that no FDE covers. NULL:
	 * a PLT holds no code.
	 */
	struct unw_step (*plt_step)(const struct unw_arch *arch, uint64_t off, bool is_header);
	/**
	 * Do what the instruction at hand does, see unwind/code.h, and what there is to find out
	 * before the first one: false if nothing can be told from there. NULL: code is not followed;
	 * nothing.
	 */
	struct unw_insn (*decode)(struct unw_code *code);
	bool (*begin_code)(const struct unw_section *text, struct unw_code *code, bool is_at_call);
	/** To be tried in this order. */
	const struct unw_signal *signals;
	size_t n_signals;
	const struct unw_signal_code *signal_codes;
	size_t n_signal_codes;
	/**
	 * The row of a frame within the kernel's pages, of which there is no image, that is no
	 * trampoline; false if it cannot be told. NULL: it never can.
	 */
	bool (*vdso_row)(
		const struct unw_walk *w, const struct unw_regs *regs, struct unw_row *ret);
};

extern const struct unw_arch unw_arch_x86_64;
extern const struct unw_arch unw_arch_i386;
extern const struct unw_arch unw_arch_aarch64;
extern const struct unw_arch unw_arch_arm;
extern const struct unw_arch unw_arch_riscv64;
extern const struct unw_arch unw_arch_s390x;
extern const struct unw_arch unw_arch_ppc64;
extern const struct unw_arch unw_arch_ppc64le;

/** How to unwind @p arch, or NULL if that is not known. */
const struct unw_arch *unw_arch_find(const struct pd_arch *arch);

/** Whether calls leave the return address in a register. */
static inline bool unw_arch_has_link(const struct unw_arch *arch)
{
	return arch->ra != arch->pc;
}

/** Whether memory and ELF files of @p arch are in the other byte order than this machine. */
static inline bool unw_arch_swap(const struct unw_arch *arch)
{
	return arch->arch->is_big_endian != pd_is_big_endian(false);
}

/** @p row, as defaults have it, with nothing else in it. */
void unw_arch_default_row(const struct unw_arch *arch, struct unw_row *row);

/** For architectures whose calls push and whose PLT entries are those of x86: see x86.c. */
bool unw_x86_plt_cfa(
	const struct unw_arch *arch, const struct unw_expr *expr, uint64_t pc, int32_t *off_ret);
struct unw_step unw_x86_plt_step(const struct unw_arch *arch, uint64_t off, bool is_header);

/** Decoders: see unw_arch.decode. */
struct unw_insn unw_riscv64_decode(struct unw_code *code);
struct unw_insn unw_arm_decode(struct unw_code *code);
bool unw_riscv64_begin_code(const struct unw_section *text, struct unw_code *code, bool is_at_call);
bool unw_arm_begin_code(const struct unw_section *text, struct unw_code *code, bool is_at_call);

/** For architectures whose PLT entries use neither stack nor link register. */
struct unw_step unw_link_plt_step(const struct unw_arch *arch, uint64_t off, bool is_header);

#endif
