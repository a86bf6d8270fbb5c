/**
 * @file Sending profiles to a server, by a separate process.
 *
 *	pdconv ──fork──► the command, with a file of the spool as its output
 *	   │                  │ ends
 *	   └── waits ─────────┘
 *	   └── makes the body of a request, and sends what waits in the spool
 *
 * The command reads untrusted bytes and gives up the network (cmd/sandbox.h). This process reads
 * nothing but what the command has written, and the answers of the server.
 */
#ifndef PD_CMD_SEND_H
#define PD_CMD_SEND_H

#include <pdconv/error.h>

#include "cmd/options.h"

/**
 * Set the format that the server takes, if the options have a server. Errors: USAGE, options that
 * contradict each other, or the server is not known; UNSUPPORTED, this build cannot send.
 */
struct pd_error *cmd_send_settle(struct cmd_options *options) pd_must_check;

/**
 * Let @p run, which prints its errors and returns an exit status, run the command of @p options,
 * and send its output. *@p status_ret: exit status. Errors: USAGE, UNSUPPORTED, OS, NOMEM; what was
 * not sent waits for the next time.
 */
struct pd_error *cmd_send_run(struct cmd_options *options, int (*run)(struct cmd_options *options),
	int *status_ret) pd_must_check;

#endif
