#include "cmd/process/memory.h"

#include <stdint.h>

uint64_t cmd_memory_default(void)
{
	/* The other half is for what no budget counts. */
	return SIZE_MAX / 2;
}

void cmd_memory_enforce(const struct cmd_options *options)
{
	(void)options;
}

void cmd_memory_lift(void)
{
}
