/**
 * @file The commands, one file each.
 */
#ifndef PD_CMD_COMMANDS_H
#define PD_CMD_COMMANDS_H

#include <pdconv/error.h>

#include "cmd/options/options.h"

enum cmd_exit { CMD_DONE = 0, CMD_FAILED = 1, CMD_USAGE = 2, CMD_MISSED = 3, CMD_NOTHING = 4 };

/** Outcome of a command, for main() to print. */
struct cmd_result {
	/** Damage that was stepped over. Destroyed by main(). */
	struct pd_diag *diag;
	/** enum cmd_exit, or the exit status of a program that was recorded. */
	int status;
	/** Exit status if the command returns an error; 0: CMD_FAILED or CMD_USAGE. */
	int failure;
};

typedef struct pd_error *cmd_command_fn(
	const struct cmd_options *options, struct cmd_result *result);

/** Convert the inputs to the format of the options. */
struct pd_error *cmd_convert(
	const struct cmd_options *options, struct cmd_result *result) pd_must_check;

/** Convert the inputs to the report. */
struct pd_error *cmd_report(
	const struct cmd_options *options, struct cmd_result *result) pd_must_check;

/** Show the instructions and source lines of a function. */
struct pd_error *cmd_annotate(
	const struct cmd_options *options, struct cmd_result *result) pd_must_check;

/** Show the records of the input. */
struct pd_error *cmd_dump(
	const struct cmd_options *options, struct cmd_result *result) pd_must_check;

/** Describe the input. */
struct pd_error *cmd_info(
	const struct cmd_options *options, struct cmd_result *result) pd_must_check;

/** Put the binaries of the input into a tarball. */
struct pd_error *cmd_archive(
	const struct cmd_options *options, struct cmd_result *result) pd_must_check;

/** Record, and convert the recording if the options have a format. */
struct pd_error *cmd_record(
	const struct cmd_options *options, struct cmd_result *result) pd_must_check;

/** Show the events of this machine. */
struct pd_error *cmd_list(
	const struct cmd_options *options, struct cmd_result *result) pd_must_check;

/** Show the difference between two recordings. */
struct pd_error *cmd_diff(
	const struct cmd_options *options, struct cmd_result *result) pd_must_check;

/** Show one or two recordings in the browser. */
struct pd_error *cmd_view(
	const struct cmd_options *options, struct cmd_result *result) pd_must_check;

/** Answer queries in SQL about the input. */
struct pd_error *cmd_sql(
	const struct cmd_options *options, struct cmd_result *result) pd_must_check;

/** Answer a question about the input. */
struct pd_error *cmd_query(
	const struct cmd_options *options, struct cmd_result *result) pd_must_check;

/** Answer questions of a client of the Model Context Protocol. */
struct pd_error *cmd_mcp(
	const struct cmd_options *options, struct cmd_result *result) pd_must_check;

/** Convert many recordings, each to separate files. */
struct pd_error *cmd_batch(
	const struct cmd_options *options, struct cmd_result *result) pd_must_check;

/** Name the addresses of a profile that another program wrote. */
struct pd_error *cmd_symbolize(
	const struct cmd_options *options, struct cmd_result *result) pd_must_check;

/** Convert to pprof with the arguments that pprof passes. */
struct pd_error *cmd_perf_to_profile(
	const struct cmd_options *options, struct cmd_result *result) pd_must_check;

/** Write what could complete the last word of a command line, for the script of a shell. */
struct pd_error *cmd_complete(
	const struct cmd_options *options, struct cmd_result *result) pd_must_check;

#endif
