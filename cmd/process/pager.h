/**
 * @file The pager: a program that shows text on the terminal page by page. Only one at a time.
 *
 * While the pager runs, the terminal is its own: nothing else may be written there, and pdconv must
 * not end before it.
 */
#ifndef PD_CMD_PAGER_H
#define PD_CMD_PAGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <pdconv/error.h>

#include "cmd/options/options.h"

/**
 * Fork the process that cmd_pager_start() makes the pager of the environment, for when processes
 * can no longer be created by then. Nothing is done if no pager is wanted. Call it while there is
 * one thread. Errors: OS, NOMEM.
 */
struct pd_error *cmd_pager_stand_by(const struct cmd_options *options) pd_must_check;

/**
 * Start the pager of the environment. *@p ret is a stream to it, or NULL if text goes to standard
 * output itself: that is not a terminal which can show a pager, @p options refuse it, none is
 * installed, or it cannot be run, which is printed. Until the pager ends, SIGPIPE is an error of
 * writing, and other signals end the program when the user has left the pager.
 */
struct pd_error *cmd_pager_start(const struct cmd_options *options, FILE **ret) pd_must_check;

/**
 * Close @p stream and wait until the user leaves the pager. That the pager did not read all of the
 * text is not an error. Errors: OS, the shell could not run the pager, or @p err.
 */
struct pd_error *cmd_pager_finish(FILE *stream, struct pd_error *err) pd_must_check;

/** Wait until the user leaves the pager, if one runs. For signal handlers that end the program. */
void cmd_pager_abandon(void);

#endif
