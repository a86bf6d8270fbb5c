/**
 * @file Opening events, what to do where one does not open, and saying why.
 */
#ifndef PD_CAPTURE_OPEN_H
#define PD_CAPTURE_OPEN_H

#include <sys/types.h>

#include "capture/events.h"
#include "capture/refusal.h"

/** What another try is about. */
enum cap_fall_back {
	CAP_FALL_BACK_NONE,	 /**< Nothing else to try: report the error. */
	CAP_FALL_BACK_CPU_CLOCK, /**< cycles became cpu-clock. */
	CAP_FALL_BACK_USER_ONLY, /**< The kernel is left out, as with ":u". */
};

/**
 * Open @p event as perf_event_open does with the other arguments; it is created close-on-exec,
 * which need not be in @p flags. If it is to be as precise as it gets (is_precise_max), its
 * precise_ip steps down as long as there is no such event, and stays there for the next one.
 *
 * Returns 0, or an errno, whose kind cap_refusal() tells; then @p event is as before.
 */
int cap_event_try(struct cap_event *event, pid_t pid, int cpu, int group_fd, unsigned long flags,
	int *fd_ret) pd_must_check;

/** The same, with cap_refusal_error() as the error. The caller closes @p fd_ret. */
struct pd_error *cap_event_open(struct cap_event *event, pid_t pid, int cpu, int group_fd,
	unsigned long flags, int *fd_ret) pd_must_check;

/**
 * Change @p event, which did not open for @p errnum, to what perf would try next, its name too.
 * Without memory the name stays.
 */
enum cap_fall_back cap_event_fall_back(struct cap_event *event, int errnum);

/** Leave the kernel and the hypervisor out; false if that is not all that it would change. */
bool cap_event_user_only(struct cap_event *event);

/** The event of a recording that was asked for none. */
struct cap_default {
	struct cap_event event;
	/** Not cycles but cpu-clock. */
	bool is_clock;
	/** If so, the errno that cycles had. */
	int cycles_errnum;
	/** Only what happens in user space. */
	bool is_user_only;
};

/**
 * Hardware cycles, as precise as they get, if they open for @p pid on @p cpu; else cpu-clock.
 * Either in user space only if more is denied. An error if cpu-clock does not open either. Give @p
 * ret to cap_event_deinit, or its event to a list.
 */
struct pd_error *cap_default_event(pid_t pid, int cpu, struct cap_default *ret) pd_must_check;

#endif
