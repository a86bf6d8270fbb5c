/**
 * @file The threshold of --fail-under-rooted.
 */
#ifndef PD_CMD_ROOTED_H
#define PD_CMD_ROOTED_H

#include <stdbool.h>
#include <stdint.h>

#include "cmd/options.h"

/** Samples with a stack, and how many of them reach the root. */
struct cmd_rooted {
	uint64_t n_stacks;
	uint64_t n_rooted;
};

/** Whether enough stacks reach the root. Otherwise print a line about it, unless quiet. */
bool cmd_is_rooted_enough(const struct cmd_options *options, const struct cmd_rooted *rooted);

#endif
