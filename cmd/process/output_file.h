/**
 * @file An output file, which appears under its name when it is complete.
 */
#ifndef PD_CMD_OUTPUT_FILE_H
#define PD_CMD_OUTPUT_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include <pdconv/error.h>

#include "base/io/destination.h"
#include "cmd/options/options.h"

struct cmd_output_file {
	FILE *stream;
	/** errno of the first write that failed; 0: none did. */
	int error;
	/** The stream leads to a pager. */
	bool is_paged;
	/** NULL: standard output. */
	char *path;
	struct base_destination destination;
	/** Name in the directory of the destination until the file is complete, or NULL. */
	char *temporary;
	/** The temporary name is a path, and stays. */
	bool is_named;
};

struct cmd_output_opts {
	/** Inputs, which must not be overwritten, and whether a pager is wanted; borrowed. */
	const struct cmd_options *options;
	/** Text for a person: on a terminal it goes through the pager. */
	bool is_text;
	/** The output is a directory: cmd_output_directory_open() opens it. */
	bool is_directory;
	/** Truncate and write the existing file, because another process has it open. */
	bool in_place;
	/** Only the user may read the file: it has the memory of processes. */
	bool is_private;
};

/**
 * Open @p path for writing; "-" and NULL are standard output or the pager. A regular file gets a
 * temporary name in the same directory, and the mode of the file that it replaces. Devices, pipes
 * and /dev/stdout are written as they are. Errors: USAGE, @p path is one of the inputs; OS, it
 * cannot be created, or somebody else could have chosen the file (base/io/destination.h).
 */
struct pd_error *cmd_output_open(const char *path, const struct cmd_output_opts *opts,
	struct cmd_output_file *ret) pd_must_check;

/**
 * Find out early whether cmd_output_open() can create the regular file @p path. Errors: OS, NOMEM.
 */
struct pd_error *cmd_output_check(
	const char *path, const struct cmd_output_opts *opts) pd_must_check;

/**
 * Create a file for the user alone in $TMPDIR or /tmp, whose name ends in @p suffix. It stays there
 * under that name, ret->path. Errors: OS, it cannot be created, or others could replace it; NOMEM.
 */
struct pd_error *cmd_output_temporary(
	const char *suffix, struct cmd_output_file *ret) pd_must_check;

/**
 * Close @p stream, in which writing failed if *@p error, its errno, is not 0. @p name is used in
 * messages. Errors: OS, something could not be written; NOMEM.
 */
struct pd_error *cmd_output_close(FILE *stream, const int *error, const char *name) pd_must_check;

/**
 * Close the file, and wait until the user leaves the pager. If writing it succeeded (@p err is
 * NULL), give the file its name; otherwise remove it and return @p err.
 */
struct pd_error *cmd_output_finish(
	struct cmd_output_file *file, struct pd_error *err) pd_must_check;

#endif
