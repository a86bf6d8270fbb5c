/**
 * @file A process that waits until it may run a program.
 *
 * The sandbox (cmd/process/sandbox.h) forbids starting programs. The process of a pager or a
 * browser is therefore forked before, and begins when it gets a byte. It ends if pdconv ends
 * without that.
 */
#ifndef PD_CMD_STANDBY_H
#define PD_CMD_STANDBY_H

#include <stdbool.h>
#include <sys/types.h>

/** Runs in the forked process: executes a program, or returns 0 or the number of an error. */
typedef int cmd_standby_fn(void *ctx);

struct cmd_standby {
	/** 0: none was forked. */
	pid_t pid;
	/** Write end: a byte lets the process begin. */
	int begin;
	/** Read end: the number of the error for which the process could not do its work. */
	int result;
	/** The process may have begun. */
	bool has_begun;
};

/**
 * Fork a process that calls @p run with @p ctx, as they are now, when it may begin. Call it while
 * there is one thread. Returns 0 or an error number.
 */
int cmd_standby_fork(cmd_standby_fn *run, void *ctx, struct cmd_standby *ret);

/**
 * Let the process begin, and wait until it has executed a program or @p run has returned. Returns 0
 * or the number of the error. The caller calls cmd_standby_wait() for standby->pid.
 */
int cmd_standby_begin(struct cmd_standby *standby);

/**
 * Wait until the child @p pid has ended. Returns its status as of waitpid(2), or -1. Signal
 * handlers may call it.
 */
int cmd_standby_wait(pid_t pid);

/**
 * Let the process end without having begun, and wait for that. Does nothing if none was forked, or
 * if it has begun.
 */
void cmd_standby_dismiss(struct cmd_standby *standby);

#endif
