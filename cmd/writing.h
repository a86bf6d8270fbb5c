/**
 * @file What the command line says about the output.
 */
#ifndef PD_CMD_WRITING_H
#define PD_CMD_WRITING_H

#include <pdconv/error.h>
#include <pdconv/vec.h>

#include "cmd/options.h"
#include "output/formats.h"

/** Zero it. */
struct cmd_writing {
	struct out_write_opts opts;
	/** What opts borrows. */
	char *title;
	PD_VEC(struct out_label) labels;
};

/**
 * The level of zstd that @p text, which the option --@p option has, says: "" is the usual one, NULL (the
 * option was not given) 0. Errors: USAGE.
 */
struct pd_error *cmd_zstd_level(const char *option, const char *text, int *ret) pd_must_check;

/** Whether @p text is a tag, KEY=VALUE. Errors: USAGE. */
struct pd_error *cmd_tag_check(const char *text) pd_must_check;

/** What @p options say, whose texts are borrowed. Errors: USAGE, no memory. */
struct pd_error *cmd_writing_init(
	struct cmd_writing *writing, const struct cmd_options *options) pd_must_check;
void cmd_writing_deinit(struct cmd_writing *writing);

#endif
