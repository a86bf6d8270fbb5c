/**
 * @file A file that is complete or not there.
 */
#ifndef PD_CMD_OUTPUT_FILE_H
#define PD_CMD_OUTPUT_FILE_H

#include <stdio.h>

#include <pdconv/error.h>

struct cmd_output_file {
	FILE *stream;
	/** NULL: standard output. */
	char *path;
	char *temporary;
};

/** Open @p path for writing under a temporary name beside it; "-" is standard output. */
struct pd_error *cmd_output_open(const char *path, struct cmd_output_file *ret) pd_must_check;
/** The same, but a file that is there is written to as it is: somebody has it open. */
struct pd_error *cmd_output_open_in_place(
	const char *path, struct cmd_output_file *ret) pd_must_check;

/** Make it appear under its name, with all its bytes. The file is closed, whatever happens. */
struct pd_error *cmd_output_commit(struct cmd_output_file *file) pd_must_check;

/** Leave nothing behind. After a commit it does nothing. */
void cmd_output_discard(struct cmd_output_file *file);

#endif
