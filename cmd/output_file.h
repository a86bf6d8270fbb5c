/**
 * @file A file that is complete or not there.
 */
#ifndef PD_CMD_OUTPUT_FILE_H
#define PD_CMD_OUTPUT_FILE_H

#include <stdio.h>

#include <pdconv/error.h>

#include "cmd/options.h"

struct cmd_output_file {
	FILE *stream;
	/** NULL: standard output. */
	char *path;
	char *temporary;
};

/**
 * Open @p path for writing; "-" is standard output. A regular file is written under a temporary name in the
 * same folder until it is committed, unless @p options say in_place: then the file that exists is
 * truncated and written, because somebody else has it open. Errors: USAGE, @p path is one of the
 * inputs of @p options, under whatever name; it cannot be created.
 */
struct pd_error *cmd_output_open(const struct cmd_options *options, const char *path,
	struct cmd_output_file *ret) pd_must_check;

/** Make it appear under its name, with all its bytes. The file is closed, whatever happens. */
struct pd_error *cmd_output_commit(struct cmd_output_file *file) pd_must_check;

/** Leave nothing behind. After a commit it does nothing. */
void cmd_output_discard(struct cmd_output_file *file);

#endif
