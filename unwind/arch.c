#include "unwind/arch.h"

#include <string.h>

#include <pdconv/cursor.h>

#include "base/array.h"

static const struct unw_arch *const arches[] = {
	&unw_arch_x86_64,
	&unw_arch_i386,
	&unw_arch_aarch64,
	&unw_arch_arm,
	&unw_arch_riscv64,
	&unw_arch_s390x,
	&unw_arch_ppc64,
	&unw_arch_ppc64le,
};

const struct unw_arch *unw_arch_find(const struct pd_arch *arch)
{
	for (size_t i = 0; i < PD_ARRAY_LEN(arches); i++) {
		if (arches[i]->arch == arch)
			return arches[i];
	}
	return NULL;
}

void unw_arch_default_row(const struct unw_arch *arch, struct unw_row *row)
{
	memset(row, 0, offsetof(struct unw_row, regs) + arch->n_regs * sizeof(row->regs[0]));
	for (size_t i = 0; i < arch->defaults.n; i++)
		row->regs[arch->defaults.data[i].reg] = arch->defaults.data[i].rule;
}

struct unw_step unw_link_plt_step(const struct unw_arch *arch, uint64_t off, bool is_header)
{
	(void)off;
	(void)is_header;
	return (struct unw_step){ .kind = UNW_STEP_SP_LINK, .cfa_off = arch->cfa_above_sp };
}

static bool switches_stack(const struct unw_arch *arch, uint32_t insn)
{
	for (size_t i = 0; i < arch->base.switches.n; i++) {
		const struct unw_switch_insn *known = &arch->base.switches.data[i];

		if ((insn & known->mask) == known->value &&
			(insn & known->source_mask) != known->sp)
			return true;
	}
	return false;
}

size_t unw_insn_find_switch(const struct unw_arch *arch, const uint8_t *code, size_t size)
{
	enum { INSN = 4 };

	for (size_t off = 0; size - off >= INSN; off += INSN) {
		if (switches_stack(arch, pd_load_u32(code + off, unw_arch_swap(arch))))
			return off + INSN;
	}
	return 0;
}
