#include "ledger/syscall_name.h"

#include <elf.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include <seccomp.h>

static uint32_t find_arch(const struct pd_arch *arch)
{
	switch (arch ? arch->e_machine : EM_NONE) {
	case EM_NONE:
		return 0;
	case EM_386:
		return SCMP_ARCH_X86;
	case EM_ARM:
		return SCMP_ARCH_ARM;
	default:
		return seccomp_arch_resolve_name(arch->name);
	}
}

void led_syscall_name(
	const struct pd_arch *arch, int64_t number, char ret[static LED_SYSCALL_NAME_SIZE])
{
	uint32_t token = find_arch(arch);
	char *name = token && number >= 0 && number <= INT_MAX
			     ? seccomp_syscall_resolve_num_arch(token, (int)number)
			     : NULL;

	if (name)
		snprintf(ret, LED_SYSCALL_NAME_SIZE, "%s", name);
	else
		snprintf(ret, LED_SYSCALL_NAME_SIZE, "%" PRId64, number);
	free(name);
}
