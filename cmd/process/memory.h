/**
 * @file Limit for the memory of the program (--max-memory).
 *
 * A budget counts what grows with a recording. The kernel limits all private memory (RLIMIT_DATA),
 * so that what is not counted ends as "out of memory" as well, before the machine runs out of it.
 */
#ifndef PD_CMD_MEMORY_H
#define PD_CMD_MEMORY_H

#include <stdint.h>

#include <pdconv/error.h>

#include "cmd/options/options.h"

/** Half of the bytes of memory that this machine and the control group of the process have. */
uint64_t cmd_memory_default(void);

/**
 * Create options->profile.budget by --max-memory or cmd_memory_default(). Errors: NOMEM.
 */
struct pd_error *cmd_memory_init(struct cmd_options *options) pd_must_check;
void cmd_memory_deinit(struct cmd_options *options);

/** Let the kernel enforce the limit. Without support for that, nothing is done. */
void cmd_memory_enforce(const struct cmd_options *options);

/** Lift the limit of the kernel for this process, which executes another program or has ended. */
void cmd_memory_lift(void);

/** Say in @p err, which may be NULL, what the limit was if it is pd_enomem. */
struct pd_error *cmd_memory_explain(
	const struct cmd_options *options, struct pd_error *err) pd_must_check;

#endif
