/**
 * @file An output file, which appears under its name when it is complete.
 */
#ifndef PD_CMD_OUTPUT_FILE_H
#define PD_CMD_OUTPUT_FILE_H

#include <stdio.h>

#include <pdconv/error.h>

#include "cmd/options.h"

struct cmd_output_file {
	FILE *stream;
	/** The stream leads to a pager. */
	bool is_paged;
	/** NULL: standard output. */
	char *path;
	/** Name of the file until it is complete, or NULL. */
	char *temporary;
};

struct cmd_output_opts {
	/** Inputs, which must not be overwritten, and whether a pager is wanted; borrowed. */
	const struct cmd_options *options;
	/** Text for a person: on a terminal it goes through the pager. */
	bool is_text;
	/** Truncate and write the existing file, because another process has it open. */
	bool in_place;
};

/**
 * Open @p path for writing; "-" and NULL are standard output or the pager. A regular file gets a
 * temporary name in the same directory. Errors: USAGE, @p path is one of the inputs; it cannot be
 * created.
 */
struct pd_error *cmd_output_open(const char *path, const struct cmd_output_opts *opts,
	struct cmd_output_file *ret) pd_must_check;

/**
 * Create a file for the user alone in $TMPDIR or /tmp, whose name ends in @p suffix. It stays there
 * under that name, ret->path. Errors: it cannot be created, NOMEM.
 */
struct pd_error *cmd_output_temporary(
	const char *suffix, struct cmd_output_file *ret) pd_must_check;

/**
 * Close the file, and wait until the user leaves the pager. If writing it succeeded (@p err is
 * NULL), give the file its name; otherwise remove it and return @p err.
 */
struct pd_error *cmd_output_finish(
	struct cmd_output_file *file, struct pd_error *err) pd_must_check;

#endif
