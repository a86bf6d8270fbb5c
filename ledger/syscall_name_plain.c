#include "ledger/syscall_name.h"

#include <inttypes.h>
#include <stdio.h>

void led_syscall_name(
	const struct pd_arch *arch, int64_t number, char ret[static LED_SYSCALL_NAME_SIZE])
{
	(void)arch;
	snprintf(ret, LED_SYSCALL_NAME_SIZE, "%" PRId64, number);
}
