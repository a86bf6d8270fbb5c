/**
 * @file A loop that waits for descriptors to become readable, by epoll(7).
 */
#ifndef PD_CAPTURE_EVENT_LOOP_H
#define PD_CAPTURE_EVENT_LOOP_H

#include <stddef.h>

#include <pdconv/error.h>

struct cap_event_loop {
	/** -1: not open. */
	int epoll_fd;
};

enum { CAP_MAX_READY = 64 };

/** Descriptors that were found readable by one wait. */
struct cap_ready {
	int fds[CAP_MAX_READY];
	size_t n;
};

/** Mark @p loop as not open, so that it may be closed. */
void cap_event_loop_init(struct cap_event_loop *loop);

/** Open an empty loop. Errors: OS. */
struct pd_error *cap_event_loop_open(struct cap_event_loop *loop) pd_must_check;

/** Close the loop; descriptors and timers that were added stay open. */
void cap_event_loop_close(struct cap_event_loop *loop);

/** Wait for @p fd, which is borrowed until the loop is closed. Errors: OS. */
struct pd_error *cap_event_loop_add(struct cap_event_loop *loop, int fd) pd_must_check;

/**
 * Create a timer that becomes readable once, after @p seconds, and add it. The caller closes @p
 * fd_ret, which is -1 if @p seconds is not positive: then there is no timer. Errors: OS.
 */
struct pd_error *cap_event_loop_add_timer(
	struct cap_event_loop *loop, double seconds, int *fd_ret) pd_must_check;

/**
 * Wait until descriptors are readable, a signal arrives or @p milliseconds have passed; @p ret is
 * empty in the last two cases. A descriptor whose other end is gone (EPOLLHUP) is reported once and
 * then removed. Errors: OS.
 */
struct pd_error *cap_event_loop_wait(
	struct cap_event_loop *loop, int milliseconds, struct cap_ready *ret) pd_must_check;

#endif
