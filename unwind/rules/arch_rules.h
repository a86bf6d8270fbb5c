/**
 * @file Architecture descriptions for the unwinder, in one small file each, and code that is known
 * by the instructions in them: signal trampolines, bases of stacks and system calls.
 *
 * Registers go by their DWARF number.
 */
#ifndef PD_UNWIND_ARCH_RULES_H
#define PD_UNWIND_ARCH_RULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/bytes.h>

#include "base/arch.h"
#include "unwind/rules/list.h"
#include "unwind/rules/cfi_row.h"
#include "unwind/rules/step.h"

struct unw_arch;
struct unw_walk;
struct unw_regs;
struct unw_input;
struct unw_section;
struct unw_code;
struct unw_insn;

/** Rule of the ABI for a register that the call frame information does not mention. */
struct unw_default_rule {
	uint8_t reg;
	struct unw_rule rule;
};

/** Default rule: register @p number is preserved. */
#define UNW_PRESERVED(number) \
	{ \
		.reg = (number), .rule = {.kind = UNW_RULE_SAME } \
	}

/** Default rule: register @p number, the stack pointer, is CFA + @p distance. */
#define UNW_CFA_PLUS(number, distance) \
	{ \
		.reg = (number), .rule = {.kind = UNW_RULE_VAL_OFFSET, .off = (distance) } \
	}

/**
 * Layout of frames that are linked in memory by frame pointers or by a back chain. Code without
 * call frame information is unwound with it.
 */
struct unw_frame_chain {
	/**
	 * Register that points to the first link: arch.fp or arch.sp. PD_NO_DWARF without a chain.
	 */
	uint8_t reg;
	/** Distance from it to the caller's value of it, in bytes. */
	int8_t saved;
	/**
	 * Distance to the return address: from the caller's value if is_ra_in_caller, else from it.
	 */
	int8_t ra;
	bool is_ra_in_caller;
	/** Distance to the end of the frame: the least possible stack pointer of the caller. */
	int8_t end;
	/** The caller's stack pointer is exactly the end of the frame. */
	bool finds_sp;
	/** The link holds the caller's frame pointer. */
	bool finds_fp;
};

/** Consecutive registers in a signal frame, one word each. */
struct unw_signal_regs {
	/** First register, by DWARF number. */
	uint8_t first;
	uint8_t n;
	/** Distance from the stack pointer in the trampoline, in bytes. */
	int16_t off;
};

/** How to recognize a kind of signal frame by the word at test_off. */
enum unw_signal_test {
	UNW_SIGNAL_ANY,	  /**< Any word matches: it is the only or the last kind. */
	UNW_SIGNAL_VALUE, /**< The word is test_with. */
	UNW_SIGNAL_COPY,  /**< The word equals the one at test_with, and is not 0. */
};

/**
 * Signal frame: what the kernel has put on the stack for sigreturn, seen from the trampoline to
 * which the handler has returned. It is struct (rt_)sigframe in the kernel's
 * arch/.../kernel/signal.c.
 */
struct unw_signal {
	enum unw_signal_test test;
	/** Distance of the tested word from the stack pointer in the trampoline, in bytes. */
	int16_t test_off;
	/** Value, or distance of the other word, depending on test. */
	uint32_t test_with;
	UNW_LIST(struct unw_signal_regs) regs;
};

/** Length of the longest trampoline, in bytes. */
enum { UNW_MAX_SIGNAL_CODE = 12 };

/** Instructions of a trampoline, of the kernel or of a program. Handlers return to the first. */
struct unw_signal_code {
	uint8_t bytes[UNW_MAX_SIGNAL_CODE];
	uint8_t n;
};

/**
 * Code at the base of a stack, to which the first function of a coroutine returns. It was never
 * called, but its address was put on the stack.
 */
struct unw_base_code {
	uint8_t bytes[12];
	uint8_t n;
	/** Offset of four bytes that are not compared, such as the distance of a call; 0: none. */
	uint8_t any;
};

/**
 * Code after the call of a thread's or a program's first function: it calls the kernel to exit.
 * Runtimes that are written in assembly have no call frame information there.
 */
struct unw_exit_code {
	uint8_t bytes[10];
	uint8_t n;
};

/** Instruction of four bytes that sets the stack pointer to a value from memory or a register. */
struct unw_switch_insn {
	uint32_t mask;
	uint32_t value;
	/** Field of the register that the value comes from. */
	uint32_t source_mask;
	/** Field for the stack pointer itself, which is not a switch. */
	uint32_t sp;
};

/** Instruction that calls the kernel: the @p n bytes, followed by @p n_any others. */
struct unw_syscall_code {
	uint8_t bytes[4];
	uint8_t n;
	uint8_t n_any;
};

/** Kind of the instruction before an address. */
enum unw_call {
	UNW_CALL_NONE,	   /**< It is not a call. */
	UNW_CALL_DIRECT,   /**< Its target is in the instruction. */
	UNW_CALL_INDIRECT, /**< Its target is in a register or in memory. */
};

/** Whether a call is the last instruction of its function. */
enum unw_last {
	UNW_LAST_NO,
	UNW_LAST_MAYBE,
	UNW_LAST_YES,
};

/** Procedure linkage tables. Linkers do not describe all of them by call frame information. */
struct unw_plt_rules {
	/**
	 * Recognize the CFA expressions that linkers emit for PLTs. If @p expr is one, its value at
	 * the vaddr @p pc is sp + @p off_ret. NULL if linkers emit none.
	 */
	bool (*cfa)(const struct unw_arch *arch, const struct unw_expr *expr, uint64_t pc,
		int32_t *off_ret);
	/** Size of the header, which calls the dynamic linker, in bytes. */
	uint8_t header;
	/**
	 * Step from byte @p off of an entry or of the header, if no FDE covers it. NULL if the PLT
	 * holds no code.
	 */
	struct unw_step (*step)(const struct unw_arch *arch, uint64_t off, bool is_header);
};

/** How instructions are analysed: see unwind/rules/code_analysis.h. */
struct unw_code_rules {
	/**
	 * Decode the current instruction and apply it to @p code. NULL if code is not analysed on
	 * this architecture.
	 */
	struct unw_insn (*decode)(struct unw_code *code);
	/**
	 * Prepare @p code before the first instruction is decoded. Returns false if the analysis
	 * cannot start there. NULL if no preparation is needed.
	 */
	bool (*begin)(const struct unw_section *text, struct unw_code *code, bool is_at_call);
	/**
	 * Read the instruction at the vaddr @p pc. If it calls an address or takes that of code or
	 * data, store it in @p target_ret. Returns the length in bytes, at least 1. NULL if starts
	 * of functions are not looked for.
	 */
	uint8_t (*read_reference)(const struct unw_arch *arch, const struct unw_section *text,
		uint64_t pc, uint64_t *target_ret);
};

/** Calls, as instructions show them. */
struct unw_call_rules {
	/** Alignment of the stack pointer at calls by the ABI, in bytes; 0 if it is not checked. */
	uint8_t align;
	/**
	 * Whether the call before the vaddr @p next is the last instruction of its function,
	 * because it does not return, and another function begins there. NULL if that is not
	 * checked.
	 */
	enum unw_last (*is_last)(
		const struct unw_arch *arch, const struct unw_section *text, uint64_t next);
	/**
	 * Find the kind of the call before the vaddr @p next, and the target of a direct one. NULL
	 * if instructions do not show it.
	 */
	enum unw_call (*before)(const struct unw_arch *arch, const struct unw_section *text,
		uint64_t next, uint64_t *target_ret);
};

/** Frames that the kernel makes for signal handlers. */
struct unw_signal_rules {
	/** Kinds of signal frames, in the order in which they are tried. */
	UNW_LIST(struct unw_signal) frames;
	UNW_LIST(struct unw_signal_code) trampolines;
	/** The vDSO, or another page of the kernel, has the trampolines of programs without one. */
	bool has_vdso_trampolines;
	/**
	 * Find the stack pointer of interrupted code in a sample that the kernel took while it
	 * delivered a signal: the recorded one is that of the handler, but the recorded program
	 * counter is not. Returns false for other samples. NULL if such samples are not known.
	 */
	bool (*interrupted_sp)(
		const struct unw_walk *w, const struct unw_input *input, uint64_t *ret);
};

/** System calls. */
struct unw_syscall_rules {
	UNW_LIST(struct unw_syscall_code) insns;
	/**
	 * Whether the registers of the leaf show that it is in a system call, if the instruction
	 * before the program counter is one. NULL if only the link register may show it.
	 */
	bool (*is_in)(const struct unw_walk *w, const struct unw_input *input);
	/**
	 * Row of a frame in the vDSO that is not a trampoline, if no image of the vDSO is
	 * available. Returns false if it cannot be determined. NULL if it never can.
	 */
	bool (*vdso_row)(
		const struct unw_walk *w, const struct unw_regs *regs, struct unw_row *ret);
};

/** Code at the base of a stack. */
struct unw_base_rules {
	/** Code to which the first function of a coroutine returns. */
	UNW_LIST(struct unw_base_code) coroutines;
	/** Code after the call of the first function of a thread or a program. */
	UNW_LIST(struct unw_exit_code) exits;
	/**
	 * Find the first instruction in the @p size bytes of a function that sets the stack pointer
	 * to a value that was loaded: a switch to another stack. Returns the offset of the next
	 * instruction, or 0 if there is none. NULL if nothing in use switches stacks so.
	 */
	size_t (*find_switch)(const struct unw_arch *arch, const uint8_t *code, size_t size);
	/** Instructions that unw_insn_find_switch() looks for. */
	UNW_LIST(struct unw_switch_insn) switches;
};

struct unw_arch {
	const struct pd_arch *arch;
	/**
	 * Number of registers that are unwound: DWARF numbers 0 to n_regs - 1, at most UNW_N_REGS.
	 */
	uint8_t n_regs;
	uint8_t sp;
	uint8_t fp;
	/** Return address column that compilers use: its rule gives the return address. */
	uint8_t ra;
	/**
	 * Number of the program counter in call frame information. It equals ra if calls push the
	 * return address; otherwise ra is the link register, in which calls leave it.
	 */
	uint8_t pc;
	/** Mask of the bits of a return address that belong to the address. */
	uint64_t ra_mask;
	/** Distance from the caller's stack pointer up to the CFA, in bytes. */
	uint8_t cfa_above_sp;
	/**
	 * Functions save registers below the stack pointer, where captured stacks do not reach,
	 * before they move it down and after they move it up. On other architectures a slot below
	 * the stack pointer is free already: in an epilogue, compilers leave the row unchanged
	 * after the pop, but the register has the caller's value again.
	 */
	bool has_red_zone;
	struct unw_frame_chain chain;
	UNW_LIST(struct unw_default_rule) defaults;
	/** Correct rows that are known to be wrong. NULL if none are. */
	void (*correct_row)(struct unw_row *row);
	struct unw_plt_rules plt;
	struct unw_code_rules code;
	struct unw_call_rules calls;
	struct unw_signal_rules signals;
	struct unw_syscall_rules syscalls;
	struct unw_base_rules base;
};

extern const struct unw_arch unw_arch_x86_64;
extern const struct unw_arch unw_arch_i386;
extern const struct unw_arch unw_arch_aarch64;
extern const struct unw_arch unw_arch_arm;
extern const struct unw_arch unw_arch_riscv64;
extern const struct unw_arch unw_arch_s390x;
extern const struct unw_arch unw_arch_ppc64;
extern const struct unw_arch unw_arch_ppc64le;

/** Find the description of @p arch, or NULL if it cannot be unwound. */
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

/** Initialize @p row with the default rules of @p arch. */
void unw_arch_default_row(const struct unw_arch *arch, struct unw_row *row);

/** Bytes of code, with a position in them, which may be outside. */
struct unw_code_at {
	const struct unw_arch *arch;
	const uint8_t *bytes;
	size_t size;
	uint64_t off;
};

/**
 * Whether the program counter @p at is in a signal trampoline, to which handlers return and which
 * calls (rt_)sigreturn. The kernel takes it from the program, by SA_RESTORER, or has its own, in
 * the vDSO or on the stack. Those of musl and Go have no call frame information that says what they
 * are.
 *
 * With @p is_return the handler has returned to @p at, the first instruction. Otherwise it may be
 * any instruction.
 */
bool unw_is_trampoline(struct unw_code_at at, bool is_return);

/** Whether @p at follows a signal trampoline, as it does while the kernel executes sigreturn. */
bool unw_is_after_trampoline(struct unw_code_at at);

/** Whether the base of a coroutine's stack begins at @p at: see struct unw_base_code. */
bool unw_is_base(struct unw_code_at at);

/** Whether the thread or the process exits at @p at: see struct unw_exit_code. */
bool unw_is_exit(struct unw_code_at at);

/**
 * Find the next position from at.off on, but before @p end, where the first byte is that of a
 * trampoline or a base; @p end if there is none. The caller examines it.
 */
uint64_t unw_next_known(struct unw_code_at at, uint64_t end);

/** Whether the instruction before @p at may be a system call. */
bool unw_is_after_syscall(struct unw_code_at at);

/** Functions for x86-64 and i386: see x86.c. */
bool unw_x86_plt_cfa(
	const struct unw_arch *arch, const struct unw_expr *expr, uint64_t pc, int32_t *off_ret);
struct unw_step unw_x86_plt_step(const struct unw_arch *arch, uint64_t off, bool is_header);
size_t unw_x86_find_switch(const struct unw_arch *arch, const uint8_t *code, size_t size);
/** Whether @p code begins with push %rbp; mov %rsp,%rbp. */
bool unw_x86_sets_fp(const uint8_t *code, size_t size);

/** Decoders of instructions: see struct unw_code_rules. */
struct unw_insn unw_riscv64_decode(struct unw_code *code);
struct unw_insn unw_arm_decode(struct unw_code *code);
struct unw_insn unw_x86_decode(struct unw_code *code);
struct unw_insn unw_aarch64_decode(struct unw_code *code);
struct unw_insn unw_s390x_decode(struct unw_code *code);
bool unw_riscv64_begin_code(const struct unw_section *text, struct unw_code *code, bool is_at_call);
bool unw_arm_begin_code(const struct unw_section *text, struct unw_code *code, bool is_at_call);
bool unw_x86_begin_code(const struct unw_section *text, struct unw_code *code, bool is_at_call);
uint8_t unw_x86_read_reference(const struct unw_arch *arch, const struct unw_section *text,
	uint64_t pc, uint64_t *target_ret);
uint8_t unw_s390x_read_reference(const struct unw_arch *arch, const struct unw_section *text,
	uint64_t pc, uint64_t *target_ret);
uint8_t unw_aarch64_read_reference(const struct unw_arch *arch, const struct unw_section *text,
	uint64_t pc, uint64_t *target_ret);
enum unw_last unw_aarch64_is_last(
	const struct unw_arch *arch, const struct unw_section *text, uint64_t next);
enum unw_last unw_x86_is_last(
	const struct unw_arch *arch, const struct unw_section *text, uint64_t next);
enum unw_call unw_x86_call_before(const struct unw_arch *arch, const struct unw_section *text,
	uint64_t next, uint64_t *target_ret);

/** unw_base_rules.find_switch for architectures whose instructions have four bytes. */
size_t unw_insn_find_switch(const struct unw_arch *arch, const uint8_t *code, size_t size);

/** PLT step for architectures whose PLT entries change neither stack nor link register. */
struct unw_step unw_link_plt_step(const struct unw_arch *arch, uint64_t off, bool is_header);

#endif
