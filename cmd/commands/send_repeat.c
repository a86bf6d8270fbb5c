/*
 * pdconv record --send --every: a recorder for each profile, one after the other.
 *
 *	recorder 1: record ──► convert
 *	recorder 2:            record ──► convert
 *	sender:                          send 1 ──► send 2
 *
 * Each of them is a process, so nothing grows in this one. A server that is slow or dead only holds
 * up the sender: profiles wait in the spool.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "cmd/options/commands.h"
#include "cmd/options/message.h"
#include "cmd/commands/send_state.h"

/* Most recorders at a time: one that records, and those that still convert. */
enum { MAX_RECORDERS = 4 };

/* Seconds between two recordings that are worth a message. */
static const double MIN_GAP = 0.5;

struct recorder {
	/** 0: none. */
	pid_t pid;
	char *path;
};

struct repetition {
	struct cmd_sending *s;
	struct recorder recorders[MAX_RECORDERS];
	size_t n_recorders;
	/** Process that sends; 0: none does. */
	pid_t sender;
	/** Profiles have been added since the sender began. */
	bool has_more;
	/** Signals that end it or report processes, and those that were blocked before. */
	sigset_t watched;
	sigset_t mask;
	bool is_over;
	/** A recorder has succeeded, so that later failures may be of the moment. */
	bool has_recorded;
	int status;
	double next;
};

static struct pd_error *start_recorder(struct repetition *r)
{
	struct cmd_options *options = r->s->options;
	size_t i = 0;

	while (r->recorders[i].pid)
		i++;
	struct recorder *recorder = &r->recorders[i];
	recorder->path = snd_spool_new_path(&r->s->spool, options->format->suffix);
	if (!recorder->path)
		return &pd_enomem;
	options->output = recorder->path;
	options->record.opts.duration = options->send.every;
	fflush(NULL);
	recorder->pid = fork();
	if (recorder->pid == 0)
		cmd_sending_become(r->s, &r->mask);
	options->output = NULL;
	if (recorder->pid > 0) {
		r->n_recorders++;
		return NULL;
	}
	recorder->pid = 0;
	free(take_ptr(recorder->path));
	return pd_error_os(NULL, "cannot create a process");
}

/* In a new process: send what waits. */
static _Noreturn void become_sender(struct repetition *r)
{
	bool is_all = false;

	signal(SIGINT, SIG_IGN);
	sigprocmask(SIG_SETMASK, &r->mask, NULL);
	struct pd_error *err = cmd_sending_send(r->s, &is_all);
	if (err)
		pd_error_print(err, cmd_begin());
	exit(is_all ? CMD_DONE : CMD_FAILED);
}

static struct pd_error *start_sender(struct repetition *r)
{
	r->has_more = false;
	fflush(NULL);
	r->sender = fork();
	if (r->sender == 0)
		become_sender(r);
	if (r->sender > 0)
		return NULL;
	r->sender = 0;
	return pd_error_os(NULL, "cannot create a process");
}

/*
 * Once a profile was recorded, an error may be of the moment, such as a full disk: report it and go
 * on. Returns an error that ends everything.
 */
static struct pd_error *outlive(struct repetition *r, struct pd_error *err)
{
	if (!err || !r->has_recorded)
		return err;
	pd_error_print(err, cmd_begin());
	r->status = CMD_FAILED;
	return NULL;
}

/* A recorder has ended: keep its profile. If the first one fails, everything ends. */
static struct pd_error *settle(struct repetition *r, struct recorder *recorder, int status)
{
	_cleanup_free_ char *path = take_ptr(recorder->path);
	bool has_succeeded = WIFEXITED(status) && WEXITSTATUS(status) == CMD_DONE;
	/* The signal that ends everything may have come before it had recorded anything. */
	bool was_stopped = r->is_over && r->has_recorded;

	recorder->pid = 0;
	r->n_recorders--;
	r->has_recorded |= has_succeeded;
	if (!has_succeeded && !was_stopped) {
		r->status = WIFEXITED(status) ? WEXITSTATUS(status) : CMD_FAILED;
		r->is_over |= !r->has_recorded;
	}
	r->has_more = true;
	return outlive(r, cmd_sending_keep(r->s, path));
}

/* Wait for the end of processes that have ended. */
static struct pd_error *reap(struct repetition *r)
{
	pid_t pid;
	int status;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		if (pid == r->sender)
			r->sender = 0;
		for (size_t i = 0; i < MAX_RECORDERS; i++) {
			if (r->recorders[i].pid != pid)
				continue;
			struct pd_error *err = settle(r, &r->recorders[i], status);
			if (err)
				return err;
		}
	}
	return NULL;
}

/* Ask the recorders to end what they record. Those that convert already ignore it. */
static void stop(struct repetition *r)
{
	r->is_over = true;
	for (size_t i = 0; i < MAX_RECORDERS; i++) {
		if (r->recorders[i].pid)
			kill(r->recorders[i].pid, SIGINT);
	}
}

/* Wait for a signal, or until the next recorder begins. */
static void wait_for_signal(struct repetition *r)
{
	double left = r->next - base_clock_now();
	siginfo_t info;
	struct timespec time = { 0 };

	if (r->is_over || r->n_recorders == MAX_RECORDERS)
		left = 1;
	if (left > 0) {
		time.tv_sec = (time_t)left;
		time.tv_nsec = (long)((left - (double)time.tv_sec) * 1e9);
	}
	int number = sigtimedwait(&r->watched, &info, &time);
	if (number == SIGTERM || (number == SIGINT && info.si_code <= 0))
		stop(r);
	/* The terminal has sent it to the recorders, too. */
	r->is_over |= number == SIGINT;
}

static struct pd_error *begin_next(struct repetition *r)
{
	double now = base_clock_now();

	if (r->is_over || r->n_recorders == MAX_RECORDERS || now < r->next)
		return NULL;
	if (now - r->next >= MIN_GAP && !r->s->options->quiet)
		cmd_say("%.1f s were not recorded, because conversions take too long",
			now - r->next);
	/* After a delay, go on from now instead of making up for it. */
	r->next = (r->next + r->s->options->send.every > now ? r->next : now) +
		  r->s->options->send.every;
	return start_recorder(r);
}

static struct pd_error *repeat(struct repetition *r)
{
	while (!r->is_over || r->n_recorders) {
		struct pd_error *err = outlive(r, begin_next(r));

		if (!err && r->has_more && !r->sender)
			err = outlive(r, start_sender(r));
		if (err)
			return err;
		wait_for_signal(r);
		err = reap(r);
		if (err)
			return err;
	}
	return NULL;
}

struct pd_error *cmd_sending_repeat(struct cmd_sending *s, int *status_ret)
{
	struct repetition r = { .s = s, .next = base_clock_now() };
	bool is_all = true;

	sigemptyset(&r.watched);
	sigaddset(&r.watched, SIGINT);
	sigaddset(&r.watched, SIGTERM);
	sigaddset(&r.watched, SIGCHLD);
	sigprocmask(SIG_BLOCK, &r.watched, &r.mask);
	struct pd_error *err = repeat(&r);
	if (err)
		stop(&r);
	for (size_t i = 0; i < MAX_RECORDERS; i++)
		free(r.recorders[i].path);
	while (r.sender && waitpid(r.sender, NULL, 0) < 0 && errno == EINTR)
		;
	sigprocmask(SIG_SETMASK, &r.mask, NULL);
	/* Also what the last sender did not see. */
	if (!err)
		err = cmd_sending_send(s, &is_all);
	*status_ret = !is_all && r.status == CMD_DONE ? CMD_FAILED : r.status;
	return err;
}
