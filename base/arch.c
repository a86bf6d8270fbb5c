#include "base/arch.h"

#include <elf.h>
#include <fnmatch.h>
#include <string.h>

#include <pdconv/sample.h>

#include "base/array.h"
#include "base/system/base_machine.h"

#define REG(reg_name, perf_bit, dwarf_number) \
	{ .name = #reg_name, .perf = perf_bit, .dwarf = dwarf_number },

static const struct pd_reg x86_64_regs[] = { PD_X86_64_REGS(REG) };
static const struct pd_reg i386_regs[] = { PD_I386_REGS(REG) };
static const struct pd_reg aarch64_regs[] = { PD_AARCH64_REGS(REG) };
static const struct pd_reg arm_regs[] = { PD_ARM_REGS(REG) };
static const struct pd_reg riscv64_regs[] = { PD_RISCV64_REGS(REG) };
static const struct pd_reg s390x_regs[] = { PD_S390X_REGS(REG) };
static const struct pd_reg ppc64_regs[] = { PD_PPC64_REGS(REG) };

#define REGS(list) .regs = (list), .n_regs = PD_ARRAY_LEN(list)

const struct pd_arch base_arch_x86_64 = {
	.name = "x86_64",
	.e_machine = EM_X86_64,
	.word = 8,
	.pc = 8,
	REGS(x86_64_regs),
	.compat = &base_arch_i386,
};

const struct pd_arch base_arch_i386 = {
	.name = "i686",
	.e_machine = EM_386,
	.word = 4,
	.pc = 8,
	REGS(i386_regs),
};

const struct pd_arch base_arch_aarch64 = {
	.name = "aarch64",
	.e_machine = EM_AARCH64,
	.word = 8,
	.pc = 32,
	REGS(aarch64_regs),
	.compat = &base_arch_arm,
};

const struct pd_arch base_arch_arm = {
	.name = "armv7l",
	.e_machine = EM_ARM,
	.word = 4,
	.pc = 15,
	REGS(arm_regs),
};

const struct pd_arch base_arch_riscv64 = {
	.name = "riscv64",
	.e_machine = EM_RISCV,
	.word = 8,
	.pc = 0,
	REGS(riscv64_regs),
};

const struct pd_arch base_arch_s390x = {
	.name = "s390x",
	.e_machine = EM_S390,
	.word = 8,
	.is_big_endian = true,
	.pc = 33,
	REGS(s390x_regs),
};

const struct pd_arch base_arch_ppc64 = {
	.name = "ppc64",
	.e_machine = EM_PPC64,
	.word = 8,
	.is_big_endian = true,
	.pc = 32,
	REGS(ppc64_regs),
};

const struct pd_arch base_arch_ppc64le = {
	.name = "ppc64le",
	.e_machine = EM_PPC64,
	.word = 8,
	.pc = 32,
	REGS(ppc64_regs),
};

/* Patterns for fnmatch(). "arm", "arm64" and "x86" are the names that simpleperf writes. */
static const struct {
	const char *name;
	const struct pd_arch *arch;
} names[] = {
	{ "x86_64", &base_arch_x86_64 },
	{ "i[3-6]86", &base_arch_i386 },
	{ "x86", &base_arch_i386 },
	{ "aarch64", &base_arch_aarch64 },
	{ "arm64", &base_arch_aarch64 },
	{ "armv*l", &base_arch_arm },
	{ "arm", &base_arch_arm },
	{ "riscv64", &base_arch_riscv64 },
	{ "s390x", &base_arch_s390x },
	{ "ppc64", &base_arch_ppc64 },
	{ "ppc64le", &base_arch_ppc64le },
};

enum { N_NAMES = PD_ARRAY_LEN(names) };

const struct pd_arch *pd_arch_find(const char *name)
{
	for (size_t i = 0; i < N_NAMES; i++) {
		if (fnmatch(names[i].name, name, 0) == 0)
			return names[i].arch;
	}
	return NULL;
}

const struct pd_arch *pd_arch_of_machine(void)
{
	struct utsname here;

	return base_machine_here(&here) ? pd_arch_find(here.machine) : NULL;
}

const struct pd_arch *pd_arch_of_abi(const struct pd_arch *arch, uint64_t abi)
{
	uint8_t word = abi == PD_REGS_ABI_64 ? 8 : abi == PD_REGS_ABI_32 ? 4 : 0;

	if (!arch || arch->word == word)
		return arch;
	for (size_t i = 0; i < N_NAMES; i++) {
		const struct pd_arch *other = names[i].arch;
		if (other->word == word && (arch->compat == other || other->compat == arch))
			return other;
	}
	return NULL;
}

const struct pd_arch *base_arch_of_elf(uint16_t e_machine, uint8_t word, bool is_big_endian)
{
	for (size_t i = 0; i < N_NAMES; i++) {
		const struct pd_arch *arch = names[i].arch;

		if (arch->e_machine == e_machine && arch->word == word &&
			arch->is_big_endian == is_big_endian)
			return arch;
	}
	return NULL;
}

const char *pd_arch_reg_name(const struct pd_arch *arch, unsigned bit)
{
	for (size_t i = 0; arch && i < arch->n_regs; i++) {
		if (arch->regs[i].perf == bit)
			return arch->regs[i].name;
	}
	return NULL;
}

const struct pd_reg *pd_reg_find(const struct pd_arch *arch, const char *name)
{
	for (size_t i = 0; arch && i < arch->n_regs; i++) {
		if (strcmp(arch->regs[i].name, name) == 0)
			return &arch->regs[i];
	}
	return NULL;
}
