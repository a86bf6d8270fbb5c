/**
 * @file The arguments of options.
 */
#ifndef PD_CMD_ARGUMENTS_H
#define PD_CMD_ARGUMENTS_H

#include <pdconv/error.h>

#include "cmd/options/option_tables.h"

/**
 * Set the member of @p row in @p options from the argument @p text, which is borrowed; NULL: the
 * option has no argument. Messages do not name the option. Errors: USAGE, NOMEM.
 */
struct pd_error *cmd_argument_take(struct cmd_options *options, const struct cmd_option_row *row,
	const char *text) pd_must_check;

#endif
