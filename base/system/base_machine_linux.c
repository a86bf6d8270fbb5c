#include "base/system/base_machine.h"

#include <link.h>
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

const void *base_machine_vdso(size_t *size_ret)
{
	/* NOLINTNEXTLINE(performance-no-int-to-ptr): the kernel passes the address as a number. */
	const ElfW(Ehdr) *vdso = (const void *)getauxval(AT_SYSINFO_EHDR);
	enum { MAX_BYTES = 64 * 1024 };

	if (!vdso || !vdso->e_shoff)
		return NULL;
	/*
	 * The kernel links the vdso with the section headers last and maps all of it, so that they
	 * mark its end.
	 */
	size_t size = vdso->e_shoff + (size_t)vdso->e_shnum * vdso->e_shentsize;
	if (size > MAX_BYTES)
		return NULL;
	*size_ret = size;
	return vdso;
}
