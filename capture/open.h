/**
 * @file Opening events, and falling back to others where one does not open.
 */
#ifndef PD_CAPTURE_OPEN_H
#define PD_CAPTURE_OPEN_H

#include <sys/types.h>

#include "capture/events/event_list.h"
#include "capture/refusal.h"

/** Replacement of an event that did not open. */
enum cap_fall_back {
	CAP_FALL_BACK_NONE,	 /**< No fallback is left: report the error. */
	CAP_FALL_BACK_CPU_CLOCK, /**< cpu-clock instead of cycles. */
	CAP_FALL_BACK_USER_ONLY, /**< The kernel is excluded, as with ":u". */
};

/**
 * Open @p event by perf_event_open(2) with the other arguments, close-on-exec. An event that is to
 * be as precise as possible (is_precise_max) is tried with less and less precise_ip while the errno
 * says that it is unsupported, and keeps the precision that opened.
 *
 * Returns 0, or an errno, whose kind cap_refusal() returns; then @p event is unchanged.
 */
int cap_event_try(struct cap_event *event, pid_t pid, int cpu, int group_fd, unsigned long flags,
	int *fd_ret) pd_must_check;

/**
 * Open @p event like cap_event_try(), with cap_refusal_error() as the error. The caller closes @p
 * fd_ret.
 */
struct pd_error *cap_event_open(struct cap_event *event, pid_t pid, int cpu, int group_fd,
	unsigned long flags, int *fd_ret) pd_must_check;

/**
 * Change @p event, which did not open because of @p errnum, to what perf would try next, including
 * its name. If memory runs out, the name stays.
 */
enum cap_fall_back cap_event_fall_back(struct cap_event *event, int errnum);

/**
 * Exclude the kernel and the hypervisor. False if the event already excludes the kernel or user
 * space.
 */
bool cap_event_user_only(struct cap_event *event);

/** The event of a recording that names none. */
struct cap_default {
	struct cap_event event;
	/** The event is cpu-clock, because cycles did not open. */
	bool is_clock;
	/** errno of opening cycles, if is_clock. */
	int cycles_errnum;
	/** The event excludes the kernel, because profiling it is not permitted. */
	bool is_user_only;
};

/**
 * Find the default event for @p pid on @p cpu: hardware cycles with the highest precision that
 * opens, else cpu-clock; either excludes the kernel if that is all that is permitted. Errors:
 * cpu-clock does not open either. Give @p ret to cap_event_deinit, or its event to a list.
 */
struct pd_error *cap_default_event(pid_t pid, int cpu, struct cap_default *ret) pd_must_check;

#endif
