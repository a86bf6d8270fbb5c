#include "symbolize/find/vdso.h"

#include <elf.h>
#include <string.h>
#include <sys/auxv.h>

const void *sym_own_vdso(size_t *size_ret)
{
	/* NOLINTNEXTLINE(performance-no-int-to-ptr): the kernel passes the address as a number. */
	const void *vdso = (const void *)getauxval(AT_SYSINFO_EHDR);
	enum { MAX_BYTES = 64 * 1024 };
	Elf64_Ehdr e;

	if (!vdso || sizeof(void *) != 8)
		return NULL;
	memcpy(&e, vdso, sizeof(e));
	/*
	 * The kernel links the vdso with the section headers last and maps all of it, so that they
	 * mark its end.
	 */
	size_t size = e.e_shoff + (size_t)e.e_shnum * e.e_shentsize;
	if (e.e_ident[EI_CLASS] != ELFCLASS64 || !e.e_shoff || size > MAX_BYTES)
		return NULL;
	*size_ret = size;
	return vdso;
}
