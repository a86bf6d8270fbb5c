#include "capture/run/recording.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "base/analyzer.h"
#include "base/cleanup.h"
#include "capture/events/event_item.h"
#include "capture/run/offcpu.h"
#include "capture/run/recording_context.h"
#include "capture/run/recording_ends.h"
#include "capture/run/recording_run.h"
#include "capture/session_open.h"
#include "parse/event_index.h"
#include "parse/write/branch.h"
#include "parse/write/splice.h"

/* Most processes of a machine with thousands are read in a part of this time. */
static const double default_mappings_seconds = 0.5;

void cap_recording_init(struct cap_recording *recording)
{
	*recording = (struct cap_recording){
		.opts = {
			.offcpu_event = -1,
			.stop_fd = -1,
			.begun_fd = -1,
			.request_fd = -1,
			.mappings_seconds = default_mappings_seconds,
		},
	};
	cap_session_init(&recording->session);
}

void cap_recording_deinit(struct cap_recording *recording)
{
	cap_synth_destroy(recording->synth);
	cap_postponed_deinit(&recording->postponed);
	cap_session_deinit(&recording->session);
}

struct pd_attr cap_recording_attr(const struct cap_recording *recording, size_t i)
{
	struct pd_attr attr = recording->session.opened.data[i].event->attr;

	if (recording->opts.offcpu_event >= 0 && !recording->opts.keep_switches)
		attr.flags &= ~CAP_FLAG(context_switch);
	if (!recording->opts.unwinder || !attr.sample_stack_user)
		return attr;
	/* The user's part stays excluded: the kernel did not find it by frame pointers. */
	parse_attr_splice(&attr);
	return attr;
}

struct pd_error *cap_recording_add_offcpu(struct cap_recording *recording)
{
	struct pd_error *err = cap_events_parse(&recording->session.events, "context-switches");

	if (err)
		return err;
	size_t last = recording->session.events.list.n - 1;
	struct cap_event *event = &recording->session.events.list.data[last];
	char *name = strdup(CAP_OFFCPU_NAME);
	PD_IS_OWNED(name, "cap_event_deinit() frees it with the list");
	free(event->name);
	event->name = name;
	event->has_period = true;
	event->needs_kernel = true;
	event->attr.sample_period = 1;
	/* Its samples become those of waits, whose length is the period. */
	event->attr.sample_type |= PERF_SAMPLE_PERIOD;
	recording->opts.offcpu_event = (int)last;
	return event->name ? NULL : &pd_enomem;
}

struct pd_error *cap_recording_add_wakers(struct cap_recording *recording)
{
	struct cap_events *events = &recording->session.events;
	struct pd_error *err = cap_events_parse(events, "sched:sched_waking");

	if (!err)
		events->list.data[events->list.n - 1].has_no_stacks = true;
	return err;
}

/* More processes. */

/* Add the threads of process @p pid that are not recorded yet to the target. */
static struct pd_error *add_to_target(struct cap_run *run, pid_t pid)
{
	struct cap_target *target = &run->recording->session.target;
	_cleanup_(cap_pids_deinit) struct cap_pids tids = { 0 };
	struct pd_error *err = cap_target_list_threads(pid, &tids);

	if (err)
		return err;
	for (size_t i = 0; i < tids.list.n; i++) {
		pid_t tid = tids.list.data[i];
		const uint64_t *exists = base_map_find(&run->threads, (uint32_t)tid);

		if ((!exists || !*exists) && !pd_vec_push(&target->tids, tid))
			return &pd_enomem;
	}
	return NULL;
}

/* Number of instances that are open of the event that reports mappings. */
static size_t n_instances(const struct cap_run *run)
{
	return run->recording->session.opened.data[0].ids.n;
}

/* List the ids of event @p i that follow the first @p n. */
static struct pd_error *list_ids(struct cap_run *run, size_t i, size_t n)
{
	const struct cap_opened *event = &run->recording->session.opened.data[i];
	const uint64_t *ids = event->ids.data + n;
	struct pd_error *err = pd_writer_add_ids(run->writer, i, ids, event->ids.n - n);

	bool decodes = run->sink.shortened_to || run->unwound;

	for (size_t k = n; !err && decodes && k < event->ids.n; k++)
		err = parse_events_add_id(&run->events, event->ids.data[k], (uint32_t)i);
	if (!err)
		err = cap_unwinding_add_ids(&run->recording->unwinding, i, ids, event->ids.n - n);
	if (err || (int)i != run->recording->opts.offcpu_event)
		return err;
	return cap_offcpu_add_ids(run->sink.offcpu, ids, event->ids.n - n);
}

/* Note what was opened for the threads from number @p first on, since events had @p n_ids ids. */
static struct pd_error *note_opened(struct cap_run *run, size_t first, const size_t *n_ids)
{
	const struct cap_recording *recording = run->recording;
	struct pd_error *err;

	for (size_t i = 0; i < recording->session.opened.n; i++) {
		err = list_ids(run, i, n_ids[i]);
		if (err)
			return err;
	}
	for (size_t i = first; i < recording->session.target.tids.n; i++) {
		if (!cap_sink_note_thread(
			    &run->sink, (uint32_t)recording->session.target.tids.data[i], true))
			return &pd_enomem;
	}
	return NULL;
}

/* Open events for the threads of the target from number @p first on. */
static struct pd_error *open_threads(struct cap_run *run, size_t first)
{
	struct cap_recording *recording = run->recording;
	struct cap_session *session = &recording->session;
	size_t n_rings = session->rings.n;
	_cleanup_free_ size_t *n_ids = calloc(session->opened.n, sizeof(*n_ids));

	if (!n_ids)
		return &pd_enomem;
	for (size_t i = 0; i < session->opened.n; i++)
		n_ids[i] = session->opened.data[i].ids.n;
	struct pd_error *err = cap_session_add_threads(session, first);
	if (err)
		return err;
	err = note_opened(run, first, n_ids);
	return err ? err : cap_stream_watch_rings(&run->stream, n_rings);
}

/*
 * Events are enabled before the mappings are read, so that none is missed in between: those that
 * were read have time 0 and come first.
 */
static struct pd_error *add_threads(struct cap_run *run, pid_t pid, size_t first)
{
	size_t n = n_instances(run);
	struct cap_unwinding *unwinding = &run->recording->unwinding;
	uint64_t begin_ns = 0;
	/* Let BPF unwind the process from its first sample on, and below read what has changed. */
	struct pd_error *err = cap_unwinding_read_process(unwinding, (uint32_t)pid);

	if (err)
		return err;
	bool has_begin = cap_time_marks_now(&run->marks, &begin_ns);
	err = open_threads(run, first);
	if (err)
		return err;
	if (n_instances(run) == n)
		return pd_error_explained(ESRCH, NULL, "process %d has exited", (int)pid);
	err = cap_unwinding_read_process(unwinding, (uint32_t)pid);
	if (!err)
		err = cap_synth_process(run->recording->synth, (uint32_t)pid);
	return err || !has_begin ? err : cap_run_sample_blocked(run, first, begin_ns);
}

struct pd_error *cap_run_add_process(struct cap_run *run, pid_t pid)
{
	struct cap_target *target = &run->recording->session.target;
	size_t first = target->tids.n;

	if (target->is_system_wide)
		return pd_error_create(PD_ERROR_USAGE, NULL,
			"processes cannot be added to a recording of %s",
			target->cgroup_fds.n ? "control groups" : "the whole machine");
	struct pd_error *err = add_to_target(run, pid);
	if (!err && target->tids.n > first)
		err = add_threads(run, pid, first);
	if (err)
		target->tids.n = first;
	return err;
}

/* Snapshots. */

/* Add what a recording that ends now has after its records. */
static struct pd_error *finish(struct cap_run *run, struct pd_writer *branch)
{
	_cleanup_(pd_bytes_deinit) struct pd_bytes lost = { 0 };
	struct pd_error *err = cap_run_encode_lost(run, &lost);

	if (err)
		return err;
	err = pd_writer_add_records(branch, lost.buf.data, lost.buf.n);
	if (err)
		return err;
	err = cap_recording_add_features(run->recording, branch, &run->sink.counts);
	return err ? err : pd_writer_finish(branch);
}

static struct pd_error *write_branch(struct cap_run *run, FILE *out)
{
	struct pd_writer *branch;
	struct pd_error *err = parse_writer_branch(run->writer, out, &branch);

	if (err)
		return err;
	err = finish(run, branch);
	pd_writer_destroy(branch);
	return err;
}

struct pd_error *cap_run_snapshot(struct cap_run *run, FILE *out, struct cap_snapshot *ret)
{
	/* Waits that have ended are written one round later. */
	struct pd_error *err = run->sink.offcpu ? cap_run_drain(run) : NULL;

	if (err)
		return err;
	err = pd_writer_sync(run->writer);
	if (err)
		return err;
	err = write_branch(run, out);
	if (err)
		return err;
	*ret = (struct cap_snapshot){
		.counts = run->sink.counts,
		.n_shared = pd_writer_size(run->writer),
	};
	uint64_t n_lost = cap_session_n_lost(&run->recording->session);
	if (n_lost > ret->counts.n_lost)
		ret->counts.n_lost = n_lost;
	return NULL;
}
