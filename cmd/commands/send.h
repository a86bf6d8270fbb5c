/**
 * @file Sending profiles to a server, by a separate process.
 *
 *	pdconv ──fork──► the command, with a file of the spool as its output
 *	   │                  │ ends
 *	   └── waits ─────────┘
 *	   └── makes the body of a request, and sends what waits in the spool
 *
 * The command reads untrusted bytes and gives up the network (cmd/process/sandbox.h). This process
 * reads nothing but what the command has written, and the answers of the server.
 */
#ifndef PD_CMD_SEND_H
#define PD_CMD_SEND_H

#include <pdconv/error.h>

#include "cmd/options/options.h"

/**
 * Let @p run, which prints its errors and returns an exit status, run the command of @p options,
 * and send its output. *@p status_ret: exit status. Errors: USAGE, UNSUPPORTED, OS, NOMEM; what was
 * not sent waits for the next time.
 */
struct pd_error *cmd_send_run(struct cmd_options *options, int (*run)(struct cmd_options *options),
	int *status_ret) pd_must_check;

#endif
