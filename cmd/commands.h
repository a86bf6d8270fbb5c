/**
 * @file The commands. Each is one file and returns the program's exit status.
 */
#ifndef PD_CMD_COMMANDS_H
#define PD_CMD_COMMANDS_H

#include <pdconv/error.h>

#include "cmd/options.h"

enum cmd_exit { CMD_DONE = 0, CMD_FAILED = 1, CMD_USAGE = 2, CMD_MISSED = 3 };

/** What a command noticed, for main to print. */
struct cmd_result {
	/** Damage that was stepped over. Destroyed by main. */
	struct pd_diag *diag;
	/** enum cmd_exit, or that of a program which was recorded. */
	int status;
};

/** Convert as @p options say. */
struct pd_error *cmd_convert(
	const struct cmd_options *options, struct cmd_result *result) pd_must_check;

/** Show every record. */
struct pd_error *cmd_dump(
	const struct cmd_options *options, struct cmd_result *result) pd_must_check;

/** Tell what is in a recording. */
struct pd_error *cmd_info(
	const struct cmd_options *options, struct cmd_result *result) pd_must_check;

/** Record, and convert what was recorded if a format is asked for. */
struct pd_error *cmd_record(
	const struct cmd_options *options, struct cmd_result *result) pd_must_check;

/** Show how two recordings differ. */
struct pd_error *cmd_diff(
	const struct cmd_options *options, struct cmd_result *result) pd_must_check;

/** Convert to pprof, as pprof calls for it. */
struct pd_error *cmd_perf_to_profile(
	const struct cmd_options *options, struct cmd_result *result) pd_must_check;

#endif
