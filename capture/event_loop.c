#include "capture/event_loop.h"

#include <errno.h>
#include <math.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <time.h>

#include "base/cleanup.h"

void cap_event_loop_init(struct cap_event_loop *loop)
{
	loop->epoll_fd = -1;
}

struct pd_error *cap_event_loop_open(struct cap_event_loop *loop)
{
	loop->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	return loop->epoll_fd < 0 ? pd_error_os(NULL, "cannot create an epoll instance") : NULL;
}

void cap_event_loop_close(struct cap_event_loop *loop)
{
	pd_close(&loop->epoll_fd);
}

struct pd_error *cap_event_loop_add(struct cap_event_loop *loop, int fd)
{
	struct epoll_event event = { .events = EPOLLIN, .data = { .fd = fd } };

	if (epoll_ctl(loop->epoll_fd, EPOLL_CTL_ADD, fd, &event) < 0)
		return pd_error_os(NULL, "cannot wait for a descriptor");
	return NULL;
}

struct pd_error *cap_event_loop_add_timer(struct cap_event_loop *loop, double seconds, int *fd_ret)
{
	const struct itimerspec when = { .it_value = { .tv_sec = (time_t)seconds,
						 .tv_nsec = (long)(fmod(seconds, 1) * 1e9) } };

	*fd_ret = -1;
	if (!(seconds > 0))
		return NULL;
	*fd_ret = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (*fd_ret < 0 || timerfd_settime(*fd_ret, 0, &when, NULL) < 0)
		return pd_error_os(NULL, "cannot start a timer");
	return cap_event_loop_add(loop, *fd_ret);
}

struct pd_error *cap_event_loop_wait(
	struct cap_event_loop *loop, int milliseconds, struct cap_ready *ret)
{
	struct epoll_event events[CAP_MAX_READY];
	int n = epoll_wait(loop->epoll_fd, events, CAP_MAX_READY, milliseconds);

	ret->n = 0;
	if (n < 0 && errno != EINTR)
		return pd_error_os(NULL, "cannot wait for descriptors");
	for (int i = 0; i < n; i++) {
		ret->fds[ret->n++] = events[i].data.fd;
		/*
		 * An event whose threads have all exited reports a hangup at every wait, so the
		 * loop would spin.
		 */
		if (events[i].events & (EPOLLHUP | EPOLLERR))
			epoll_ctl(loop->epoll_fd, EPOLL_CTL_DEL, events[i].data.fd, NULL);
	}
	return NULL;
}
