/**
 * @file A recording that can be opened twice, even if it comes through a pipe.
 */
#ifndef PD_CMD_INPUT_FILE_H
#define PD_CMD_INPUT_FILE_H

#include <stdbool.h>

#include <pdconv/error.h>
#include <pdconv/file.h>

struct cmd_input_file {
	/** Path, or a name for messages. Borrowed. */
	const char *path;
	/** Descriptor to read instead of the path: standard input or a copy of it; -1: none. */
	int fd;
};

/**
 * Prepare @p path (borrowed) to be opened once, or twice if @p is_reread. In the latter case a pipe
 * is copied to a temporary file. Errors: OS.
 */
struct pd_error *cmd_input_init(
	const char *path, bool is_reread, struct cmd_input_file *ret) pd_must_check;

/** Prepare the open file @p fd, which is not taken over; @p path is its name. Errors: OS. */
struct pd_error *cmd_input_use(const char *path, int fd, struct cmd_input_file *ret) pd_must_check;
void cmd_input_deinit(struct cmd_input_file *input);

/** Open the recording like pd_file_open(). */
struct pd_error *cmd_input_open(const struct cmd_input_file *input, struct pd_diag *diag,
	struct pd_file **ret) pd_must_check;

#endif
