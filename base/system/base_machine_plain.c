#include "base/system/base_machine.h"

bool base_machine_here(struct utsname *ret)
{
	(void)ret;
	return false;
}

size_t base_machine_n_processors(void)
{
	return 1;
}

const void *base_machine_vdso(size_t *size_ret)
{
	(void)size_ret;
	return NULL;
}
