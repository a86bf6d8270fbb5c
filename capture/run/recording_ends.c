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

struct pd_error *cap_run_start(struct cap_run *r)
{
	struct cap_time_marks *marks = &r->marks;
	struct pd_error *err = NULL;

	/* The mark precedes all records of the events that are enabled now. */
	if (cap_time_marks_now(marks, &marks->begin_ns))
		err = write_mark(r, marks->begin_ns);
	return err ? err : cap_session_enable(&r->recording->session, true);
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
