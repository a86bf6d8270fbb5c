/**
 * @file Which samples the command line asks for.
 */
#ifndef PD_CMD_FILTERING_H
#define PD_CMD_FILTERING_H

#include <pdconv/error.h>
#include <pdconv/vec.h>

#include "cmd/options.h"
#include "profile/filter.h"

/** Zero it. */
struct cmd_filter {
	struct prof_filter filter;
	/** What its names are borrowed from. */
	PD_VEC(char *) texts;
};

/** What @p options say. Errors: USAGE, no memory. */
struct pd_error *cmd_filter_init(
	struct cmd_filter *filter, const struct cmd_options *options) pd_must_check;
void cmd_filter_deinit(struct cmd_filter *filter);

#endif
