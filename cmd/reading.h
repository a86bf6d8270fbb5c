/**
 * @file From the recordings of the command line to one profile.
 */
#ifndef PD_CMD_READING_H
#define PD_CMD_READING_H

#include <pdconv/error.h>

#include "cmd/commands.h"
#include "cmd/input_file.h"
#include "cmd/options.h"
#include "resolve/resolve.h"
#include "output/formats.h"

/** Of several inputs, what samples of number @p i have in prof_tags.input. Allocated; NULL: no memory. */
char *cmd_input_label(const struct cmd_options *options, size_t i) pd_must_check;

/**
 * Read all inputs of @p options, as @p format needs them for @p write_opts. Of several, samples say
 * from which they are (prof_tags.input): its path, or "PATH (2)" if that is given again. @p only: what
 * stands for the only input; NULL: their paths do. @p times_ret: of all together.
 */
struct pd_error *cmd_read_profile(const struct cmd_options *options,
	const struct out_format *format, const struct out_write_opts *write_opts,
	const struct cmd_input_file *only, struct cmd_result *result,
	struct resolve_times *times_ret, struct profile **ret) pd_must_check;

#endif
