#include "base/arch.h"

#include <elf.h>
#include <string.h>

#include "base/arch_x86_64_defs.h"

#define REG(reg_name, perf_bit, dwarf_number) \
	{ .name = #reg_name, .perf = perf_bit, .dwarf = dwarf_number },

static const struct pd_reg x86_64_regs[] = { PD_X86_64_REGS(REG) };

#define N_REGS(regs) (sizeof(regs) / sizeof((regs)[0]))

const struct pd_arch pd_arch_x86_64 = {
	.name = "x86_64",
	.e_machine = EM_X86_64,
	.regs = x86_64_regs,
	.n_regs = N_REGS(x86_64_regs),
};

static const struct pd_arch *const arches[] = { &pd_arch_x86_64 };

const struct pd_arch *pd_arch_find(const char *name)
{
	for (size_t i = 0; i < sizeof(arches) / sizeof(arches[0]); i++) {
		if (strcmp(arches[i]->name, name) == 0)
			return arches[i];
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
