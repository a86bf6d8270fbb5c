#include "capture/run/recording_ends.h"

#include <stdlib.h>

#include <pdconv/sample.h>

#include "base/cleanup.h"
#include "capture/open.h"
#include "capture/session.h"

static struct pd_error *write_mark(struct cap_run *r, uint64_t time)
{
	_cleanup_(pd_bytes_deinit) struct pd_bytes mark = { 0 };
	const struct pd_attr *attr = &r->recording->session.opened.data[0].event->attr;
	struct pd_error *err = cap_time_marks_encode(attr, time, &mark);

	return err ? err : cap_sink_add(&r->sink, mark.buf.data, mark.buf.n);
}

/* Threads that exist already are recorded, and their waits are. */
static bool has_waiting_threads(const struct cap_run *r)
{
	const struct cap_target *target = &r->recording->session.target;

	return r->recording->opts.offcpu_event >= 0 && !target->is_system_wide &&
	       !target->records_child;
}

struct pd_error *cap_run_prepare(struct cap_run *r)
{
	const struct cap_recording *recording = r->recording;
	const struct cap_target *target = &recording->session.target;

	if (!has_waiting_threads(r))
		return NULL;
	const struct cap_opened *event =
		&recording->session.opened.data[recording->opts.offcpu_event];
	struct pd_error *err = event->ids.n ? cap_blocked_create(&event->event->attr,
						      event->ids.data[0], &r->blocked)
					    : NULL;
	return err || !r->blocked
		       ? err
		       : cap_blocked_learn(r->blocked, target->tids.data, target->tids.n);
}

struct pd_error *cap_run_sample_blocked(struct cap_run *r, size_t first, uint64_t begin_ns)
{
	const struct cap_target *target = &r->recording->session.target;
	struct pd_error *err = NULL;

	for (size_t i = first; !err && r->blocked && i < target->tids.n; i++) {
		_cleanup_(pd_bytes_deinit) struct pd_bytes sample = { 0 };

		err = cap_blocked_sample(
			r->blocked, target->tids.data[i], &r->marks, begin_ns, &sample);
		if (!err)
			err = cap_sink_add(&r->sink, sample.buf.data, sample.buf.n);
	}
	return err;
}

struct pd_error *cap_run_start(struct cap_run *r)
{
	struct pd_error *err = NULL;
	uint64_t begin_ns;
	/* The mark precedes all records of the events that are enabled now. */
	bool has_begin = cap_time_marks_now(&r->marks, &begin_ns);

	if (has_begin)
		err = write_mark(r, begin_ns);
	if (!err)
		err = cap_session_enable(&r->recording->session, true);
	return err || !has_begin ? err : cap_run_sample_blocked(r, 0, begin_ns);
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
