/**
 * @file Architectures: names of registers, their bits in perf's masks, and the registers that
 * unwinding begins with.
 *
 * A register is known by its bit: PERF_REG_* in the kernel's asm/perf_regs.h, the numbering of
 * attr.sample_regs_user and of pd_regs_get().
 */
#ifndef PDCONV_ARCH_H
#define PDCONV_ARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/arch_aarch64_defs.h>
#include <pdconv/arch_arm_defs.h>
#include <pdconv/arch_i386_defs.h>
#include <pdconv/arch_ppc64_defs.h>
#include <pdconv/arch_riscv64_defs.h>
#include <pdconv/arch_s390x_defs.h>
#include <pdconv/arch_x86_64_defs.h>
#include <pdconv/decls.h>
#include <pdconv/sample.h>

PD_DECLS_BEGIN

/* Bits of the registers of each architecture, e.g. PD_REG_X86_64_ip. */
#define PD_REG_X86_64(name, bit, dwarf) PD_REG_X86_64_##name = (bit),
#define PD_REG_I386(name, bit, dwarf) PD_REG_I386_##name = (bit),
#define PD_REG_AARCH64(name, bit, dwarf) PD_REG_AARCH64_##name = (bit),
#define PD_REG_ARM(name, bit, dwarf) PD_REG_ARM_##name = (bit),
#define PD_REG_RISCV64(name, bit, dwarf) PD_REG_RISCV64_##name = (bit),
#define PD_REG_S390X(name, bit, dwarf) PD_REG_S390X_##name = (bit),
#define PD_REG_PPC64(name, bit, dwarf) PD_REG_PPC64_##name = (bit),
enum pd_reg_x86_64 { PD_X86_64_REGS(PD_REG_X86_64) };
enum pd_reg_i386 { PD_I386_REGS(PD_REG_I386) };
enum pd_reg_aarch64 { PD_AARCH64_REGS(PD_REG_AARCH64) };
enum pd_reg_arm { PD_ARM_REGS(PD_REG_ARM) };
enum pd_reg_riscv64 { PD_RISCV64_REGS(PD_REG_RISCV64) };
enum pd_reg_s390x { PD_S390X_REGS(PD_REG_S390X) };
enum pd_reg_ppc64 { PD_PPC64_REGS(PD_REG_PPC64) };
#undef PD_REG_X86_64
#undef PD_REG_I386
#undef PD_REG_AARCH64
#undef PD_REG_ARM
#undef PD_REG_RISCV64
#undef PD_REG_S390X
#undef PD_REG_PPC64

/** DWARF number of a register that has none. */
enum { PD_NO_DWARF = 255 };

/** A register. */
struct pd_reg {
	const char *name;
	/** Bit in sample_regs_user and sample_regs_intr. */
	uint8_t perf;
	/** Register number in DWARF call frame information, or PD_NO_DWARF. */
	uint8_t dwarf;
};

/** An architecture. Static storage. */
struct pd_arch {
	/** Name as `uname -m` prints it; the most common one if there are several. */
	const char *name;
	/** EM_* of elf.h. */
	uint16_t e_machine;
	/** Bytes in an address. */
	uint8_t word;
	/** Byte order of memory and of ELF files. */
	bool is_big_endian;
	/** The program counter's bit in perf's masks. */
	uint8_t pc;
	/** Registers, n_regs of them. */
	const struct pd_reg *regs;
	size_t n_regs;
	/** Architecture of 32-bit programs on a 64-bit machine; NULL if they are not supported. */
	const struct pd_arch *compat;
};

/**
 * Find an architecture by its `uname -m` name, as in HEADER_ARCH; NULL if it is unknown.
 * Thread-safe.
 */
const struct pd_arch *pd_arch_find(const char *name);

/** Architecture of the machine that this program runs on; NULL if it is unknown. Thread-safe. */
const struct pd_arch *pd_arch_of_machine(void);

/**
 * Architecture of the sampled program on a machine of @p arch. @p abi is PERF_SAMPLE_REGS_ABI_*:
 * the program has the machine's word size or the other one. A machine of 32 bits may have 64-bit
 * programs, too: the kernel gives the name of one to a process of the personality PER_LINUX32.
 * NULL if there were no registers, if programs of that size are not supported, or if @p arch is
 * NULL.
 */
const struct pd_arch *pd_arch_of_abi(const struct pd_arch *arch, uint64_t abi);

/** Name of the register at @p bit of perf's masks; NULL if it is unknown or @p arch is NULL. */
const char *pd_arch_reg_name(const struct pd_arch *arch, unsigned bit);

/** Find a register by its name, e.g. "ip". NULL if it is unknown or @p arch is NULL. */
const struct pd_reg *pd_reg_find(const struct pd_arch *arch, const char *name);

/**
 * Get the instruction pointer, stack pointer or frame pointer in @p regs, registers of a sample on
 * a machine of @p arch, which may be NULL. 32-bit programs on a 64-bit machine have registers of
 * their own architecture. False if the register was not sampled, or if the architecture has none.
 * Thread-safe.
 */
bool pd_regs_ip(const struct pd_arch *arch, const struct pd_regs *regs, uint64_t *ret);
bool pd_regs_sp(const struct pd_arch *arch, const struct pd_regs *regs, uint64_t *ret);
bool pd_regs_fp(const struct pd_arch *arch, const struct pd_regs *regs, uint64_t *ret);

PD_DECLS_END

#endif
