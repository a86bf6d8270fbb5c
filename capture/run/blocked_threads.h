/**
 * @file Threads that are blocked when a recording begins: samples of where they wait.
 *
 * A thread that never runs leaves no records. Files in /proc show its state, its system call and
 * the functions of the kernel in which it waits, and its stack can be read while it is blocked,
 * without stopping it. BPF reads its registers. Without BPF only the stack pointer and the program
 * counter are known: the others are zero in the sample.
 */
#ifndef PD_CAPTURE_RUN_BLOCKED_THREADS_H
#define PD_CAPTURE_RUN_BLOCKED_THREADS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <pdconv/attr.h>
#include <pdconv/bytes.h>
#include <pdconv/error.h>

#include "capture/run/time_marks.h"

struct cap_blocked;

/** Threads that were looked at. */
struct cap_blocked_counts {
	/** Blocked threads that were sampled. */
	size_t n_sampled;
	/** Blocked threads whose system call or stack may not be read. */
	size_t n_refused;
};

/**
 * Prepare to sample threads for an event with @p attr, which has an instance @p id. Errors: NOMEM.
 */
struct pd_error *cap_blocked_create(
	const struct pd_attr *attr, uint64_t id, struct cap_blocked **ret) pd_must_check;
/** Free @p blocked; NULL is fine. */
void cap_blocked_destroy(struct cap_blocked *blocked);

/**
 * Find the addresses of the functions of the kernel in which the @p n threads wait now, which takes
 * long. Functions that are not known later end the kernel's part of a stack. Errors: NOMEM.
 */
struct pd_error *cap_blocked_learn(
	struct cap_blocked *blocked, const pid_t *tids, size_t n) pd_must_check;

/**
 * Append a sample of the thread @p tid to @p out if it is blocked. Its time is the present one by
 * @p marks, and its period the time since @p begin_ns. Nothing is appended if the thread runs, has
 * exited or may not be read. Errors: NOMEM.
 */
struct pd_error *cap_blocked_sample(struct cap_blocked *blocked, pid_t tid,
	struct cap_time_marks *marks, uint64_t begin_ns, struct pd_bytes *out) pd_must_check;

struct cap_blocked_counts cap_blocked_counts(const struct cap_blocked *blocked);

#endif
