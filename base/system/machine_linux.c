#include "base/system/machine.h"

#include <sched.h>
#include <sys/auxv.h>

bool base_machine_here(struct utsname *ret)
{
	return uname(ret) == 0;
}

size_t base_machine_n_processors(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) == 0 ? (size_t)CPU_COUNT(&set) : 1;
}

const void *base_machine_vdso(void)
{
	/* NOLINTNEXTLINE(performance-no-int-to-ptr): the kernel passes the address as a number. */
	return (const void *)getauxval(AT_SYSINFO_EHDR);
}
