/**
 * @file What stepping needs to know of an architecture.
 */
#ifndef PD_TESTS_UNWIND_ARCH_H
#define PD_TESTS_UNWIND_ARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	NO_LINK = 0xff,
	MAX_REGS = 64,
	/** Of struct cpu, behind those of perf: whether an ARM runs Thumb code. */
	CPU_IS_THUMB = MAX_REGS - 1,
};

struct arch {
	const char *name;
	const char *uname;
	uint16_t e_machine;
	/** Bytes. */
	uint8_t word;
	bool is_big_endian;
	uint8_t abi;
	/** Registers of a sample; numbers are perf's. */
	uint64_t mask;
	uint8_t pc;
	uint8_t sp;
	/** NO_LINK: calls push the return address. */
	uint8_t lr;
	/** Of helpers that change their caller's stack pointer, or NO_LINK. */
	uint8_t lr2;
	/** Bytes above the caller's stack pointer that its callee may keep the return address in. */
	uint8_t linkage;
};

/** The registers of a thread, by perf's numbers. */
struct cpu {
	uint64_t reg[MAX_REGS];
};

/** NULL if there is none of that name. */
const struct arch *arch_find(const char *name);

/** A number as the target has it in memory, @p size bytes. */
uint64_t arch_load(const struct arch *arch, const void *bytes, size_t size);

/** Of the instruction that begins with @p insn; only of architectures with a link register. */
size_t arch_insn_size(const struct arch *arch, const uint8_t insn[4], bool is_thumb);

/** Take what qemu's gdb stub answers to `g`, as bytes. False if they are too few. */
bool arch_take_gdb_regs(
	const struct arch *arch, const uint8_t *bytes, size_t size, struct cpu *ret);

/** Registers that `g` leaves out: @a n from perf's number @a first on, the stub's from @a gdb. */
struct gdb_single_regs {
	const char *arch;
	unsigned first;
	unsigned n;
	unsigned gdb;
};

/** NULL if there are none. */
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
