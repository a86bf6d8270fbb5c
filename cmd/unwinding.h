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
#include "profile/unwind_summary.h"
#include "resolve/resolve.h"

/**
 * How to build a profile as @p options say, with binaries from where @p search says and the samples
 * that @p filter says. All are borrowed. Errors: USAGE.
 */
struct pd_error *cmd_out_opts(const struct cmd_options *options, const struct cmd_search *search,
	struct cmd_filter *filter, struct resolve_opts *ret) pd_must_check;

/** Whether enough stacks reach the root for --fail-under-rooted; if not, a line says so unless quiet. */
bool cmd_is_rooted_enough(
	const struct cmd_options *options, const struct prof_unwind_summary *accounts);

#endif
