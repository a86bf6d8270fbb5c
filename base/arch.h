/**
 * @file What an architecture's registers are called, and how perf and DWARF number them.
 */
#ifndef PD_BASE_ARCH_H
#define PD_BASE_ARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** The number of registers that have none. */
enum { PD_NO_DWARF = 255 };

struct pd_reg {
	const char *name;
	/** Bit in sample_regs_user and sample_regs_intr. */
	uint8_t perf;
	/** Register number in DWARF call frame information, or PD_NO_DWARF. */
	uint8_t dwarf;
};

struct pd_arch {
	/** Of those that `uname -m` may print, the usual one. */
	const char *name;
	/** EM_* of elf.h. */
	uint16_t e_machine;
	/** Bytes in an address. */
	uint8_t word;
	/** The order of bytes in its memory and its ELF files. */
	bool is_big_endian;
	/** The program counter's bit in perf's masks. */
	uint8_t pc;
	const struct pd_reg *regs;
	size_t n_regs;
	/** What 32-bit programs on a 64-bit machine are; NULL if they are not known here. */
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

/** The register at @p bit of perf's masks; NULL if it has no name here, or @p arch is NULL. */
const char *pd_arch_reg_name(const struct pd_arch *arch, unsigned bit);

/** The architecture of a `uname -m` name, which is what HEADER_ARCH holds, or NULL. */
const struct pd_arch *pd_arch_find(const char *name);

/**
 * What a sample on a machine of @p arch was taken of, by its PERF_SAMPLE_REGS_ABI_*: a program of
 * the machine's own word size or of the other. NULL if there were no registers, if programs of that
 * size are not known here, or if @p arch is NULL.
 */
const struct pd_arch *pd_arch_of_abi(const struct pd_arch *arch, uint64_t abi);

/** The architecture of an ELF file by its header, or NULL. @p word: 4 for ELFCLASS32, 8 for 64. */
const struct pd_arch *pd_arch_of_elf(uint16_t e_machine, uint8_t word, bool is_big_endian);

#endif
