/**
 * @file The tarball with the binaries of a recording.
 */
#ifndef PD_CMD_ARCHIVE_H
#define PD_CMD_ARCHIVE_H

#include <pdconv/error.h>

#include "cmd/options/options.h"

/**
 * Write the tarball of the recording @p input next to it, and print its size unless @p options are
 * quiet. Errors: those of reading the recording, of its binaries, and of writing.
 */
struct pd_error *cmd_archive_recording(
	const struct cmd_options *options, const char *input, struct pd_diag *diag) pd_must_check;

#endif
