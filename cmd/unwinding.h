/**
 * @file What the commands that unwind stacks have in common.
 */
#ifndef PD_CMD_UNWINDING_H
#define PD_CMD_UNWINDING_H

#include <stdbool.h>

#include <pdconv/error.h>

#include "cmd/filtering.h"
#include "cmd/options.h"
#include "cmd/searching.h"
#include "output/account.h"
#include "output/build.h"

/**
 * How to build a profile as @p options say, with binaries from where @p search says and the samples
 * that @p filter says. All are borrowed. Errors: USAGE.
 */
struct pd_error *cmd_out_opts(const struct cmd_options *options, const struct cmd_search *search,
	struct cmd_filter *filter, struct out_opts *ret) pd_must_check;

/** Whether enough stacks reach the root for --fail-under-rooted; if not, a line says so unless quiet. */
bool cmd_is_rooted_enough(const struct cmd_options *options, const struct out_accounts *accounts);

#endif
