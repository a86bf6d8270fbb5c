/**
 * @file Conversion of a recording while it is made, by a second process, in the sandbox.
 *
 *	recorder ──► pipe ──► second process: read, unwind, drop ──► at the end: names, output
 *
 * The recorder may load programs into the kernel and opens events of other users, and the
 * conversion reads untrusted bytes, so they do not share a process. If the conversion is slower
 * than the recording, a queue of 32 MiB and then the rings fill up, and capture/stack_level.h makes
 * the stacks shorter.
 */
#ifndef PD_CMD_LIVE_H
#define PD_CMD_LIVE_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include <pdconv/error.h>

#include "cmd/options/commands.h"

struct cmd_live {
	/** Stream for the recording; NULL: no process has been started. */
	FILE *stream;
	/** Queue that the stream fills, and the pipe to which a thread writes it. */
	struct base_write_queue *queue;
	int output;
	/** The second process. */
	pid_t pid;
	/** An eventfd by which the second process learns how the recording has ended. */
	int end_fd;
	/** In the second process: the other end of the pipe; else -1. */
	int input;
};

/**
 * Whether a recording with @p options can be converted while it is made: not if its format or its
 * time spans need the end of the recording before its beginning.
 */
bool cmd_live_is_possible(const struct cmd_options *options);

/**
 * Fork the process that converts. It returns from this function, too, with @p input set, and may
 * only call cmd_live_convert(). When the recorder ends in any other way than by cmd_live_finish(),
 * it is killed, or fails because it reads the end of the pipe first. Errors: OS.
 */
struct pd_error *cmd_live_start(struct cmd_live *ret) pd_must_check;

/** In the second process: convert what comes through the pipe, and close that. */
struct pd_error *cmd_live_convert(struct cmd_live *live, const struct cmd_options *options,
	struct cmd_result *result) pd_must_check;

/**
 * Wait until the recording, which has ended, has been converted. @p is_by_signal: a signal has
 * ended it, which the process that converts ignores. @p status_ret is the exit status of that
 * process, which has reported its errors. Errors: OS, a signal killed it.
 */
struct pd_error *cmd_live_finish(
	struct cmd_live *live, bool is_by_signal, int *status_ret) pd_must_check;

/** Share of the queue that is filled, from 0 to 1. @p ctx is a struct cmd_live. */
double cmd_live_fill(void *ctx);

/** Whether the process has closed its end of the pipe, because the conversion has failed. */
bool cmd_live_has_ended(const struct cmd_live *live);

/** Kill the process that converts, if there is one: the recording has failed. */
void cmd_live_abandon(struct cmd_live *live);

#endif
