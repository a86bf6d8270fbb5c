/**
 * @file The recording to read, so that it can be read twice.
 */
#ifndef PD_CMD_INPUT_FILE_H
#define PD_CMD_INPUT_FILE_H

#include <stdbool.h>

#include <pdconv/error.h>
#include <pdconv/file.h>

struct cmd_input_file {
	/** Borrowed. */
	const char *path;
	/** What is read instead of it: of standard input, or of a copy; -1: the path. */
	int fd;
};

/**
 * @p path (borrowed) is to be opened once, or twice if @p is_reread: then what comes through a pipe is
 * copied to a temporary file. Errors: it cannot be copied.
 */
struct pd_error *cmd_input_init(
	const char *path, bool is_reread, struct cmd_input_file *ret) pd_must_check;
/** The same of what @p fd (not taken over) stands for, which can be read again. Errors: OS. */
struct pd_error *cmd_input_use(const char *path, int fd, struct cmd_input_file *ret) pd_must_check;
void cmd_input_deinit(struct cmd_input_file *input);

/** As pd_file_open does it. */
struct pd_error *cmd_input_open(const struct cmd_input_file *input, struct pd_diag *diag,
	struct pd_file **ret) pd_must_check;

#endif
