/**
 * @file A conversion: recordings become one profile, which is written in one format.
 */
#ifndef PD_CMD_CONVERT_COMMAND_H
#define PD_CMD_CONVERT_COMMAND_H

#include <stdbool.h>
#include <stdint.h>

#include <pdconv/error.h>

#include "cmd/options/commands.h"
#include "cmd/process/input_file.h"
#include "cmd/options/options.h"

struct cmd_conversion {
	const struct cmd_options *options;
	const struct out_format *format;
	/** A recording that has no path; NULL: the inputs of the options. */
	const struct cmd_input_file *recording;
	/** Write into the existing output file, because another process has it open. */
	bool in_place;
	/**
	 * Called when the recordings have been read; an error leaves the output alone. May be NULL.
	 */
	struct pd_error *(*check_end)(void);
};

/** Run @p conversion. Warnings go to standard error. Errors: reading, writing, USAGE. */
struct pd_error *cmd_conversion_run(
	const struct cmd_conversion *conversion, struct cmd_result *result) pd_must_check;

/** Whether @p profile and @p diag, which is of its recording, say that nothing is missing. */
bool cmd_is_flawless(const struct profile *profile, const struct pd_diag *diag);

/** Samples with a stack, and how many of them reach the root. */
struct cmd_rooted {
	uint64_t n_stacks;
	uint64_t n_rooted;
};

/**
 * Whether enough stacks reach the root for --fail-under-rooted. Otherwise print a line about it,
 * unless quiet.
 */
bool cmd_is_rooted_enough(const struct cmd_options *options, const struct cmd_rooted *rooted);

#endif
