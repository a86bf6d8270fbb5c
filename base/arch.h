/**
 * @file What an architecture's registers are called, and how perf and DWARF number them.
 */
#ifndef PD_BASE_ARCH_H
#define PD_BASE_ARCH_H

#include <stddef.h>
#include <stdint.h>

struct pd_reg {
	const char *name;
	/** Bit in sample_regs_user and sample_regs_intr. */
	uint8_t perf;
	/** Register number in DWARF call frame information. */
	uint8_t dwarf;
};

struct pd_arch {
	/** As `uname -m` prints it, which is what HEADER_ARCH holds. */
	const char *name;
	/** EM_* of elf.h. */
	uint16_t e_machine;
	const struct pd_reg *regs;
	size_t n_regs;
};

extern const struct pd_arch pd_arch_x86_64;

/** The register at @p bit of perf's masks; NULL if it has no name here, or @p arch is NULL. */
const char *pd_arch_reg_name(const struct pd_arch *arch, unsigned bit);

/** The architecture of that `uname -m` name, or NULL. */
const struct pd_arch *pd_arch_find(const char *name);

#endif
