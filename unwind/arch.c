#include "unwind/arch.h"

static const struct unw_arch *const arches[] = { &unw_arch_x86_64 };

const struct unw_arch *unw_arch_find(const struct pd_arch *arch)
{
	for (size_t i = 0; i < sizeof(arches) / sizeof(arches[0]); i++) {
		if (arches[i]->arch == arch)
			return arches[i];
	}
	return NULL;
}
