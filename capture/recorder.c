#include "capture/recorder.h"

#include "base/clock.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <pdconv/bytes.h>
#include <pdconv/feature.h>
#include <pdconv/sample.h>

enum {
	/** So often rings are looked at, whatever the kernel says, milliseconds. */
	PATIENCE = 250,
	MAX_READY = 64,
};

struct recorder {
	struct cap_session *session;
	struct cap_target *target;
	const struct cap_record_opts *opts;
	struct pd_writer *writer;
	struct cap_sink sink;
	int epoll_fd;
	int signal_fd;
	/** -1: there is no such time. */
	int end_fd;
	int begin_fd;
	/** When rings were last found rather full, seconds; and what had been lost at the last look. */
	double calm_since;
	/** For how long they must not have been until more is captured again; when that was last. */
	double calm_seconds;
	double more_since;
	/** It was, since less has been captured. */
	bool has_more;
	uint64_t n_lost_before;
	/** So many descriptors of the first event, from the first on, are of threads that are gone. */
	size_t n_hung_up;
	bool has_begun;
	bool has_ended;
	int signal;
};

static void close_fd(int fd)
{
	if (fd >= 0)
		close(fd);
}

static struct pd_error *watch(struct recorder *r, int fd)
{
	struct epoll_event event = { .events = EPOLLIN, .data = { .fd = fd } };

	if (epoll_ctl(r->epoll_fd, EPOLL_CTL_ADD, fd, &event) < 0)
		return pd_error_os("recorder", "cannot wait for events");
	return NULL;
}

/* A timer that ends once; *ret is -1 if there are no seconds. */
static struct pd_error *start_timer(struct recorder *r, double seconds, int *ret)
{
	struct itimerspec when = { .it_value = { .tv_sec = (time_t)seconds,
					   .tv_nsec = (long)(fmod(seconds, 1) * 1e9) } };

	*ret = -1;
	if (!(seconds > 0))
		return NULL;
	*ret = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (*ret < 0 || timerfd_settime(*ret, 0, &when, NULL) < 0)
		return pd_error_os("timer", "cannot be set");
	return watch(r, *ret);
}

sigset_t cap_record_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGCHLD);
	return set;
}

static struct pd_error *watch_end(struct recorder *r)
{
	const sigset_t set = cap_record_signals();

	if (r->opts->stop_fd >= 0)
		return watch(r, r->opts->stop_fd);
	r->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (r->signal_fd < 0)
		return pd_error_os("signals", "cannot be watched");
	return watch(r, r->signal_fd);
}

static struct pd_error *watch_rings(struct recorder *r)
{
	struct pd_error *err = NULL;

	for (size_t i = 0; i < r->session->rings.n && !err; i++)
		err = watch(r, r->session->rings.data[i].fd);
	return err;
}

static struct pd_error *set_up_waiting(struct recorder *r)
{
	r->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (r->epoll_fd < 0)
		return pd_error_os("recorder", "cannot wait for events");
	struct pd_error *err = watch_end(r);
	return err ? err : watch_rings(r);
}

/* By what samples with less than the whole stack are known: by their size. */
static void set_sizes(struct recorder *r)
{
	struct pd_plan plan;

	for (size_t i = 0; i < r->session->events.n; i++) {
		uint32_t bytes = r->session->events.data[i].event->attr.sample_stack_user;

		if (bytes > r->sink.shortened_to)
			r->sink.shortened_to = bytes;
		if (bytes)
			r->sink.shortened_from = bytes >> 2 * (CAP_N_LEVELS - 1);
	}
	pd_plan_compile(&r->session->events.data[0].event->attr, &plan);
	r->sink.time_at = plan.sample_time_at;
}

static struct pd_error *set_up_offcpu(struct recorder *r)
{
	if (r->opts->offcpu_event < 0)
		return NULL;
	const struct cap_session_event *event = &r->session->events.data[r->opts->offcpu_event];
	return cap_offcpu_create(&event->event->attr, event->ids.data, event->ids.n,
		r->opts->keep_switches, &r->sink.offcpu);
}

static struct pd_error *open_writer(struct recorder *r, FILE *out)
{
	const struct pd_writer_opts writer_opts = { .is_pipe = r->opts->is_pipe };
	struct pd_error *err = pd_writer_create(out, r->opts->name, &writer_opts, &r->writer);

	for (size_t i = 0; i < r->session->events.n && !err; i++) {
		const struct cap_session_event *event = &r->session->events.data[i];

		err = pd_writer_add_event(
			r->writer, &event->event->attr, event->ids.data, event->ids.n);
	}
	if (!err)
		err = cap_sink_init(&r->sink, r->writer, r->opts->level);
	set_sizes(r);
	return err ? err : set_up_offcpu(r);
}

/* Samples are about to be lost, or are: how long it has to be calm then doubles with each relapse. */
static struct pd_error *capture_less(struct recorder *r, double now)
{
	static const double relapse_seconds = 60, longest_seconds = 64;

	if (r->has_more && now - r->more_since > relapse_seconds)
		r->calm_seconds = 1;
	else if (r->has_more && r->calm_seconds < longest_seconds)
		r->calm_seconds *= 2;
	r->has_more = false;
	return cap_session_set_level(r->session, r->session->level + 1);
}

static struct pd_error *capture_more(struct recorder *r, double now)
{
	r->calm_since = r->more_since = now;
	r->has_more = true;
	return cap_session_set_level(r->session, r->session->level - 1);
}

/*
 * Less of the stack is captured while rings are nearly full, for then samples are about to be lost; and
 * all of it again when they have not been for some time.
 */
static struct pd_error *adapt(struct recorder *r, double fill)
{
	/* The kernel calls when a ring is a quarter full: much more than that is late. */
	static const double much = 0.5, little = 0.4;
	double now = pd_clock_now();
	size_t level = r->session->level;
	bool has_lost = r->sink.counts.n_lost > r->n_lost_before;

	r->n_lost_before = r->sink.counts.n_lost;
	if (fill >= little || has_lost)
		r->calm_since = now;
	if ((fill > much || has_lost) && level + 1 < CAP_N_LEVELS)
		return capture_less(r, now);
	return level && now - r->calm_since >= r->calm_seconds ? capture_more(r, now) : NULL;
}

static struct pd_error *drain_rings(struct recorder *r)
{
	struct pd_error *err = NULL;
	double fill, fullest = 0;

	for (size_t i = 0; i < r->session->rings.n && !err; i++) {
		err = cap_sink_drain(&r->sink, &r->session->rings.data[i].ring, &fill);
		fullest = fmax(fullest, fill);
	}
	return !err && cap_session_has_levels(r->session) ? adapt(r, fullest) : err;
}

static struct pd_error *drain(struct recorder *r)
{
	struct pd_error *err = NULL;
	bool has_more = true;

	while (!err && has_more) {
		has_more = false;
		err = drain_rings(r);
		if (!err && r->opts->during)
			err = r->opts->during(r->opts->ctx, &has_more);
	}
	return err ? err : cap_sink_round(&r->sink);
}

/* The program may be stopped, and go on. */
static void take_child(struct recorder *r)
{
	struct cap_target *target = r->target;
	int status;

	if (!target->child || target->has_ended ||
		waitpid(target->child, &status, WNOHANG) != target->child)
		return;
	target->has_ended = r->has_ended = true;
	target->status = status;
}

static void take_signals(struct recorder *r)
{
	struct signalfd_siginfo info;

	while (read(r->signal_fd, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGCHLD) {
			take_child(r);
			continue;
		}
		r->signal = (int)info.ssi_signo;
		r->has_ended = true;
	}
}

static struct pd_error *begin(struct recorder *r)
{
	close_fd(r->begin_fd);
	r->begin_fd = -1;
	return cap_session_enable(r->session, true);
}

/* An event whose threads have ended says so for ever. */
static void forget(struct recorder *r, const struct epoll_event *ready)
{
	if (ready->events & (EPOLLHUP | EPOLLERR))
		epoll_ctl(r->epoll_fd, EPOLL_CTL_DEL, ready->data.fd, NULL);
}

static struct pd_error *take_ready(struct recorder *r, const struct epoll_event *ready)
{
	int fd = ready->data.fd;

	if (fd == r->signal_fd)
		take_signals(r);
	else if (fd == r->end_fd || fd == r->opts->stop_fd)
		r->has_ended = true;
	else if (fd == r->begin_fd)
		return begin(r);
	else
		forget(r, ready);
	return NULL;
}

static struct pd_error *wait_once(struct recorder *r)
{
	struct epoll_event ready[MAX_READY];
	struct pd_error *err = NULL;
	int n = epoll_wait(r->epoll_fd, ready, MAX_READY, PATIENCE);

	if (n < 0 && errno != EINTR)
		return pd_error_os("recorder", "cannot wait for events");
	for (int i = 0; i < n && !err; i++)
		err = take_ready(r, &ready[i]);
	return err ? err : drain(r);
}

/* Once its thread and all that it made have ended, for ever. */
static bool has_hung_up(int fd)
{
	struct pollfd ready = { .fd = fd };

	return fd < 0 || (poll(&ready, 1, 0) == 1 && ready.revents & POLLHUP);
}

/* All threads that were asked for are gone. */
static bool is_abandoned(struct recorder *r)
{
	const struct cap_session_event *first = &r->session->events.data[0];

	if (r->target->is_system_wide || r->target->child)
		return false;
	while (r->n_hung_up < first->fds.n && has_hung_up(first->fds.data[r->n_hung_up]))
		r->n_hung_up++;
	return r->n_hung_up == first->fds.n;
}

/* A program alone counts from its exec on; all else, unless that is too early, is let go here. */
static struct pd_error *start(struct recorder *r)
{
	bool counts_itself = r->target->child && !r->target->is_system_wide;
	struct pd_error *err = start_timer(r, r->opts->duration, &r->end_fd);

	if (!err)
		err = start_timer(r, r->opts->delay, &r->begin_fd);
	if (!err && r->begin_fd < 0 && counts_itself)
		cap_session_note_enabled(r->session);
	else if (!err && r->begin_fd < 0)
		err = cap_session_enable(r->session, true);
	if (!err && r->target->child)
		err = cap_target_start(r->target);
	r->has_begun = !err;
	if (!err && r->opts->begun_fd >= 0 && eventfd_write(r->opts->begun_fd, 1) < 0)
		return pd_error_os("recorder", "cannot tell that it has begun");
	return err;
}

/* What no LOST record told, for nothing has fit since. */
static struct pd_error *tell_lost(struct recorder *r)
{
	uint64_t n = cap_session_n_lost(r->session);
	union pd_body body = { .lost_samples = { .lost = n - r->sink.counts.n_lost } };
	struct pd_bytes record = { 0 };
	struct pd_plan plan;
	struct pd_error *err = NULL;

	if (n <= r->sink.counts.n_lost)
		return NULL;
	pd_plan_compile(&r->session->events.data[0].event->attr, &plan);
	uint8_t *zeros = calloc(1, plan.sid_bytes + 1);
	if (!zeros || !pd_record_encode(&pd_layout_lost_samples, 0, &body, false, zeros,
			      plan.sid_bytes, &record))
		err = &pd_enomem;
	if (!err)
		err = cap_sink_add(&r->sink, record.buf.data, record.buf.n);
	pd_bytes_deinit(&record);
	free(zeros);
	return err;
}

static struct pd_error *record(struct recorder *r)
{
	struct pd_error *err = set_up_waiting(r);

	if (!err && r->opts->before)
		err = r->opts->before(r->opts->ctx, &r->sink, r->session);
	if (!err)
		err = cap_sink_round(&r->sink);
	if (!err)
		err = start(r);
	while (!err && !r->has_ended && !is_abandoned(r))
		err = wait_once(r);
	if (!err)
		err = cap_session_enable(r->session, false);
	if (!err)
		err = drain(r);
	if (!err)
		err = cap_sink_end(&r->sink);
	if (!err)
		err = tell_lost(r);
	return err ? err : cap_sink_round(&r->sink);
}

static double cpu_seconds(void)
{
	struct rusage usage;

	if (getrusage(RUSAGE_SELF, &usage) < 0)
		return 0;
	return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
	       1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

/* Readers of compressed records want to know how they were compressed. */
static struct pd_error *describe_packing(struct recorder *r)
{
	struct pd_bytes body = { 0 };

	if (!r->sink.pack)
		return NULL;
	pd_pack_describe(r->sink.pack, &body);
	struct pd_error *err = body.failed ? &pd_enomem
					   : pd_writer_add_feature(r->writer, PD_FEATURE_COMPRESSED,
						     body.buf.data, body.buf.n);
	pd_bytes_deinit(&body);
	return err;
}

/* Events of a CPU that goes offline count no more, and do not say so. */
static size_t count_offline(const struct recorder *r)
{
	size_t n = r->target->n_offline + r->session->n_offline;

	for (size_t i = 0; i < r->session->rings.n; i++)
		n += !cap_cpu_is_online(r->session->rings.data[i].cpu);
	return n;
}

static struct pd_error *finish(struct recorder *r, FILE *out, struct cap_record_result *ret)
{
	struct pd_error *err = describe_packing(r);

	if (!err && r->opts->after)
		err = r->opts->after(r->opts->ctx, r->writer, r->session, &r->sink.counts);
	if (!err)
		err = pd_writer_finish(r->writer);
	if (!err && fflush(out) != 0)
		err = pd_error_os(r->opts->name, "cannot write");
	if (err)
		return err;
	*ret = (struct cap_record_result){
		.has_begun = true,
		.counts = r->sink.counts,
		.file_bytes = (uint64_t)ftello(out),
		.cpu_seconds = cpu_seconds(),
		.n_offline = count_offline(r),
		.n_gone = r->session->n_gone,
		.signal = r->signal,
	};
	return NULL;
}

static void tear_down(struct recorder *r)
{
	cap_target_end(r->target);
	close_fd(r->begin_fd);
	close_fd(r->end_fd);
	close_fd(r->epoll_fd);
	close_fd(r->signal_fd);
	cap_offcpu_destroy(r->sink.offcpu);
	cap_sink_deinit(&r->sink);
	pd_writer_destroy(r->writer);
	cap_session_close(r->session);
}

struct pd_error *cap_record(struct cap_session *session, struct cap_target *target, FILE *out,
	const struct cap_record_opts *opts, struct cap_record_result *ret)
{
	struct recorder r = {
		.session = session,
		.target = target,
		.opts = opts,
		.epoll_fd = -1,
		.signal_fd = -1,
		.begin_fd = -1,
		.end_fd = -1,
		.calm_seconds = 1,
	};
	struct pd_error *err = cap_session_open(session, target, opts->pages);

	*ret = (struct cap_record_result){ 0 };
	if (!err)
		err = open_writer(&r, out);
	if (!err)
		err = record(&r);
	ret->has_begun = r.has_begun;
	if (!err)
		err = finish(&r, out, ret);
	tear_down(&r);
	return err;
}
