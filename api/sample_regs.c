/* The registers of a sample that unwinding begins with. */
#include <pdconv/arch.h>

#include "unwind/rules/arch_rules.h"

bool pd_regs_ip(const struct pd_arch *arch, const struct pd_regs *regs, uint64_t *ret)
{
	const struct pd_arch *own = pd_arch_of_abi(arch, regs->abi);

	return own && pd_regs_get(regs, own->pc, ret);
}

static bool get_by_dwarf(
	const struct pd_arch *arch, uint8_t dwarf, const struct pd_regs *regs, uint64_t *ret)
{
	for (size_t i = 0; i < arch->n_regs; i++) {
		if (arch->regs[i].dwarf == dwarf)
			return pd_regs_get(regs, arch->regs[i].perf, ret);
	}
	return false;
}

/* The unwinder's description of the sampled program's architecture, or NULL. */
static const struct unw_arch *sampled_arch(const struct pd_arch *arch, const struct pd_regs *regs)
{
	const struct pd_arch *own = pd_arch_of_abi(arch, regs->abi);

	return own ? unw_arch_find(own) : NULL;
}

bool pd_regs_sp(const struct pd_arch *arch, const struct pd_regs *regs, uint64_t *ret)
{
	const struct unw_arch *sampled = sampled_arch(arch, regs);

	return sampled && get_by_dwarf(sampled->arch, sampled->sp, regs, ret);
}

bool pd_regs_fp(const struct pd_arch *arch, const struct pd_regs *regs, uint64_t *ret)
{
	const struct unw_arch *sampled = sampled_arch(arch, regs);

	return sampled && get_by_dwarf(sampled->arch, sampled->fp, regs, ret);
}
