/**
 * @file The part of the sandbox about system calls: seccomp.
 */
#ifndef PD_CMD_SANDBOX_CALLS_H
#define PD_CMD_SANDBOX_CALLS_H

/**
 * Let system calls that are not in cmd/sandbox_defs.h fail with ENOSYS in this thread and those
 * that it creates. Does nothing if the kernel does not allow it.
 */
void cmd_calls_restrict(void);

#endif
