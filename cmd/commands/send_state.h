/**
 * @file State of the process that sends, for the files that have parts of it.
 */
#ifndef PD_CMD_SEND_STATE_H
#define PD_CMD_SEND_STATE_H

#include <signal.h>
#include <stdbool.h>

#include <pdconv/error.h>

#include "cmd/options/options.h"
#include "send/sender.h"

struct cmd_sending {
	/** Options of the command, whose output is set before it runs. Borrowed. */
	struct cmd_options *options;
	int (*run)(struct cmd_options *options);
	struct snd_target target;
	struct snd_spool spool;
};

/**
 * In a new process: run the command with the signals @p mask blocked. It ends if the process that
 * sends does.
 */
_Noreturn void cmd_sending_become(struct cmd_sending *s, const sigset_t *mask);

/**
 * Let the profile @p path wait as the body of a request, and remove @p path. Does nothing if the
 * file does not exist. Errors: OS, NOMEM.
 */
struct pd_error *cmd_sending_keep(struct cmd_sending *s, const char *path) pd_must_check;

/**
 * Send what waits, and report what could not be sent. *@p is_all_ret: all was sent. Errors: USAGE,
 * headers; OS, NOMEM.
 */
struct pd_error *cmd_sending_send(struct cmd_sending *s, bool *is_all_ret) pd_must_check;

/**
 * Record one profile after the other, and send each, until SIGINT or SIGTERM. *@p status_ret: exit
 * status. Errors: OS, NOMEM; those of cmd_sending_send().
 */
struct pd_error *cmd_sending_repeat(struct cmd_sending *s, int *status_ret) pd_must_check;

#endif
