/**
 * @file The user registers of threads that are blocked, by BPF: without stopping them.
 */
#ifndef PD_CAPTURE_BPF_TASK_REGS_H
#define PD_CAPTURE_BPF_TASK_REGS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <pdconv/error.h>

struct cap_task_regs;

/**
 * Load the program. NULL if this build or kernel has no such program, if it is not permitted, or if
 * memory runs out. Free it with cap_task_regs_destroy().
 */
struct cap_task_regs *cap_task_regs_create(void);
/** Unload the program; NULL is fine. */
void cap_task_regs_destroy(struct cap_task_regs *regs);

/**
 * Read the registers with which the 64-bit thread @p tid is in the kernel: those of @p mask, in
 * perf's numbers, to @p values, in the order of their bits. Registers that are not known are left
 * as they are. False if the thread has none.
 */
bool cap_task_regs_read(
	const struct cap_task_regs *regs, pid_t tid, uint64_t mask, uint64_t *values) pd_must_check;

#endif
