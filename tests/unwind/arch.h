/**
 * @file Properties of an architecture that stepping depends on.
 */
#ifndef PD_TESTS_UNWIND_ARCH_H
#define PD_TESTS_UNWIND_ARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	NO_LINK = 0xff,
	MAX_REGS = 64,
	/** Index in struct cpu after the registers of perf: 1 if an ARM runs Thumb code. */
	CPU_IS_THUMB = MAX_REGS - 1,
};

struct arch {
	const char *name;
	const char *uname;
	uint16_t e_machine;
	/** Size of a word in bytes. */
	uint8_t word;
	bool is_big_endian;
	uint8_t abi;
	/** Registers of a sample: a bitmap by perf's numbers. */
	uint64_t mask;
	uint8_t pc;
	uint8_t sp;
	/** Link register, or NO_LINK where calls push the return address. */
	uint8_t lr;
	/** Link register of helpers that change their caller's stack pointer, or NO_LINK. */
	uint8_t lr2;
	/**
	 * Bytes above the caller's stack pointer in which its callee may save the return address.
	 */
	uint8_t linkage;
};

/** The registers of a thread, by perf's numbers. */
struct cpu {
	uint64_t reg[MAX_REGS];
};

/** Find an architecture by name; NULL if there is none. */
const struct arch *arch_find(const char *name);

/** Read a number of @p size bytes in the byte order of the target. */
uint64_t arch_load(const struct arch *arch, const void *bytes, size_t size);

/**
 * Size of the instruction that begins with @p insn. Only for architectures with a link register.
 */
size_t arch_insn_size(const struct arch *arch, const uint8_t insn[4], bool is_thumb);

/** Decode the answer of qemu's gdb stub to `g`. Return false if it is too short. */
bool arch_take_gdb_regs(
	const struct arch *arch, const uint8_t *bytes, size_t size, struct cpu *ret);

/**
 * Registers that `g` leaves out: @a n of them, from @a first in perf's numbers and @a gdb in the
 * stub's.
 */
struct gdb_single_regs {
	const char *arch;
	unsigned first;
	unsigned n;
	unsigned gdb;
};

/** Registers that `g` leaves out, or NULL if it has all. */
const struct gdb_single_regs *arch_gdb_single_regs(const struct arch *arch);

static inline uint64_t arch_pc(const struct arch *arch, const struct cpu *cpu)
{
	return cpu->reg[arch->pc];
}

static inline uint64_t arch_sp(const struct arch *arch, const struct cpu *cpu)
{
	return cpu->reg[arch->sp];
}

#endif
