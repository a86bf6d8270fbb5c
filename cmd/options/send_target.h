/**
 * @file The server that the options name.
 */
#ifndef PD_CMD_SEND_TARGET_H
#define PD_CMD_SEND_TARGET_H

#include <pdconv/error.h>

#include "cmd/options/options.h"

struct snd_target;

/**
 * Set the format that the server takes, if the options have a server. Errors: USAGE, options that
 * contradict each other, or the server is not known; UNSUPPORTED, this build cannot send.
 */
struct pd_error *cmd_send_settle(struct cmd_options *options) pd_must_check;

/**
 * Find out how the server of the options takes profiles. Only on Linux. Errors: USAGE, NOMEM.
 * Release *@p ret with snd_target_deinit().
 */
struct pd_error *cmd_send_target_init(
	const struct cmd_options *options, struct snd_target *ret) pd_must_check;

#endif
