/**
 * @file Architectures: names of registers, and their numbers in perf and DWARF.
 */
#ifndef PD_BASE_ARCH_H
#define PD_BASE_ARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** DWARF number of a register that has none. */
enum { PD_NO_DWARF = 255 };

struct pd_reg {
	const char *name;
	/** Bit in sample_regs_user and sample_regs_intr. */
	uint8_t perf;
	/** Register number in DWARF call frame information, or PD_NO_DWARF. */
	uint8_t dwarf;
};

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
	const struct pd_reg *regs;
	size_t n_regs;
	/** Architecture of 32-bit programs on a 64-bit machine; NULL if they are not supported. */
	const struct pd_arch *compat;
};

extern const struct pd_arch pd_arch_x86_64;
extern const struct pd_arch pd_arch_i386;
extern const struct pd_arch pd_arch_aarch64;
extern const struct pd_arch pd_arch_arm;
extern const struct pd_arch pd_arch_riscv64;
extern const struct pd_arch pd_arch_s390x;
extern const struct pd_arch pd_arch_ppc64;
extern const struct pd_arch pd_arch_ppc64le;

/** Name of the register at @p bit of perf's masks; NULL if it is unknown or @p arch is NULL. */
const char *pd_arch_reg_name(const struct pd_arch *arch, unsigned bit);

/** Find an architecture by its `uname -m` name, as in HEADER_ARCH; NULL if it is unknown. */
const struct pd_arch *pd_arch_find(const char *name);

/**
 * Architecture of the sampled program on a machine of @p arch. @p abi is PERF_SAMPLE_REGS_ABI_*:
 * the program has the machine's word size or the other one. NULL if there were no registers, if
 * programs of that size are not supported, or if @p arch is NULL.
 */
const struct pd_arch *pd_arch_of_abi(const struct pd_arch *arch, uint64_t abi);

/** Architecture of an ELF file, or NULL. @p word is 4 for ELFCLASS32 and 8 for ELFCLASS64. */
const struct pd_arch *pd_arch_of_elf(uint16_t e_machine, uint8_t word, bool is_big_endian);

#endif
