#include "capture/run/recording_ends.h"

#include <stdlib.h>

#include <pdconv/sample.h>

#include "base/cleanup.h"
#include "capture/open.h"
#include "capture/session.h"
#include "capture/synth/synth.h"

static struct pd_error *write_mark(struct cap_run *r, uint64_t time)
{
	_cleanup_(pd_bytes_deinit) struct pd_bytes mark = { 0 };
	const struct pd_attr *attr = &r->recording->session.opened.data[0].event->attr;
	struct pd_error *err = cap_time_marks_encode(attr, time, &mark);

	return err ? err : cap_sink_add(&r->sink, mark.buf.data, mark.buf.n);
}

/*
 * Whether threads exist before events are enabled whose waits are recorded: those of running
 * processes, and those of a command that has run during the delay.
 */
static bool has_waiting_threads(const struct cap_run *r)
{
	const struct cap_recording *recording = r->recording;

	return recording->opts.offcpu_event >= 0 && !recording->session.target.is_system_wide &&
	       (!recording->session.target.records_child || recording->opts.delay > 0);
}

struct pd_error *cap_run_prepare(struct cap_run *r)
{
	const struct cap_recording *recording = r->recording;
	const struct cap_target *target = &recording->session.target;

	if (!has_waiting_threads(r))
		return NULL;
	const struct cap_opened *event =
		&recording->session.opened.data[recording->opts.offcpu_event];
	if (!event->ids.n)
		return NULL;
	struct pd_error *err =
		cap_blocked_create(&event->event->attr, event->ids.data[0], &r->blocked);
	if (err || target->records_child)
		return err;
	return cap_blocked_learn(r->blocked, target->tids.data, target->tids.n);
}

static struct pd_error *sample_blocked(
	struct cap_run *r, const pid_t *tids, size_t n, uint64_t begin_ns)
{
	struct pd_error *err = NULL;

	for (size_t i = 0; !err && r->blocked && i < n; i++) {
		_cleanup_(pd_bytes_deinit) struct pd_bytes sample = { 0 };

		err = cap_blocked_sample(r->blocked, tids[i], &r->marks, begin_ns, &sample);
		if (!err)
			err = cap_sink_add(&r->sink, sample.buf.data, sample.buf.n);
	}
	return err;
}

struct pd_error *cap_run_sample_blocked(struct cap_run *r, size_t first, uint64_t begin_ns)
{
	const struct cap_target *target = &r->recording->session.target;

	/* Only the first thread of a command is in the target. */
	if (target->records_child || first == target->tids.n)
		return NULL;
	return sample_blocked(r, target->tids.data + first, target->tids.n - first, begin_ns);
}

/* Processes of a command that has run during the delay, and their threads. */
struct running {
	struct cap_pids processes;
	struct cap_pids threads;
};

static void running_deinit(struct running *running)
{
	cap_pids_deinit(&running->processes);
	cap_pids_deinit(&running->threads);
}

static struct pd_error *list_command(struct cap_run *r, struct running *ret)
{
	const struct cap_target *target = &r->recording->session.target;

	if (!target->records_child)
		return NULL;
	if (!pd_vec_push(&ret->processes.list, target->child))
		return &pd_enomem;
	for (size_t i = 0; i < ret->processes.list.n; i++) {
		pid_t pid = ret->processes.list.data[i];
		struct pd_error *err = cap_process_children(pid, &ret->processes);

		if (err)
			return err;
		/* One that has exited has no threads. */
		pd_error_destroy(cap_target_list_threads(pid, &ret->threads));
	}
	const struct cap_pids *threads = &ret->threads;
	return r->blocked ? cap_blocked_learn(r->blocked, threads->list.data, threads->list.n)
			  : NULL;
}

/* No event has recorded what the processes have mapped so far. */
static struct pd_error *describe_command(struct cap_run *r, const struct running *command)
{
	struct pd_error *err = NULL;

	for (size_t i = 0; !err && i < command->processes.list.n; i++)
		err = cap_synth_process(
			r->recording->synth, (uint32_t)command->processes.list.data[i]);
	return err;
}

struct pd_error *cap_run_start(struct cap_run *r)
{
	_cleanup_(running_deinit) struct running command = { 0 };
	const struct cap_pids *threads = &command.threads;
	struct pd_error *err = list_command(r, &command);
	uint64_t begin_ns = 0;

	if (err)
		return err;
	/* The mark precedes all records of the events that are enabled now. */
	bool has_begin = cap_time_marks_now(&r->marks, &begin_ns);
	if (has_begin)
		err = write_mark(r, begin_ns);
	if (!err)
		err = cap_session_enable(&r->recording->session, true);
	if (!err)
		err = describe_command(r, &command);
	if (err || !has_begin)
		return err;
	err = sample_blocked(r, threads->list.data, threads->list.n, begin_ns);
	return err ? err : cap_run_sample_blocked(r, 0, begin_ns);
}

bool cap_run_has_no_threads(struct cap_run *r)
{
	const struct cap_opened *first = &r->recording->session.opened.data[0];

	if (r->recording->session.target.is_system_wide)
		return false;
	while (r->n_hung_up < first->fds.n && cap_has_hung_up(first->fds.data[r->n_hung_up]))
		r->n_hung_up++;
	return r->n_hung_up == first->fds.n;
}

struct pd_error *cap_run_stop(struct cap_run *r)
{
	if (r->is_stopped)
		return NULL;
	r->is_stopped = true;
	struct pd_error *err = cap_session_enable(&r->recording->session, false);
	/* The last record is the end if all threads have exited: that was noticed later. */
	if (!err && !cap_run_has_no_threads(r))
		r->has_end = cap_time_marks_now(&r->marks, &r->end_ns);
	return err;
}

struct pd_error *cap_run_mark_end(struct cap_run *r)
{
	return r->has_end ? write_mark(r, r->end_ns) : NULL;
}

struct pd_error *cap_run_encode_lost(const struct cap_run *r, struct pd_bytes *ret)
{
	const struct cap_session *session = &r->recording->session;
	uint64_t n = cap_session_n_lost(session);
	const union pd_body body = { .lost_samples = { .lost = n - r->sink.counts.n_lost } };
	struct pd_plan plan;

	if (n <= r->sink.counts.n_lost)
		return NULL;
	pd_plan_compile(&session->opened.data[0].event->attr, &plan);
	/*
	 * sample_id_all requires a sample id after the body. It is all zeros, as in records that
	 * perf itself makes.
	 */
	_cleanup_free_ uint8_t *zeros = calloc(1, plan.sid_bytes + 1);
	if (!zeros ||
		!pd_record_encode(&pd_layout_lost_samples, 0, &body, zeros, plan.sid_bytes, ret))
		return &pd_enomem;
	return NULL;
}

struct pd_error *cap_run_write_lost(struct cap_run *r)
{
	_cleanup_(pd_bytes_deinit) struct pd_bytes record = { 0 };
	struct pd_error *err = cap_run_encode_lost(r, &record);

	return err ? err : cap_sink_add(&r->sink, record.buf.data, record.buf.n);
}
