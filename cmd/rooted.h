/**
 * @file The threshold of --fail-under-rooted.
 */
#ifndef PD_CMD_ROOTED_H
#define PD_CMD_ROOTED_H

#include <stdbool.h>

#include "cmd/options.h"
#include "profile/unwind_summary.h"

/** Whether enough stacks reach the root. Otherwise print a line about it, unless quiet. */
bool cmd_is_rooted_enough(
	const struct cmd_options *options, const struct prof_unwind_summary *summary);

#endif
