/* The run of a recording: the preamble, then records round by round, then the features. */
#include "capture/run/recording_run.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <pdconv/bytes.h>
#include <pdconv/feature.h>
#include <pdconv/sample.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "capture/capture_opts.h"
#include "capture/machine/machine.h"
#include "capture/run/recording_context.h"
#include "capture/run/recording_ends.h"
#include "capture/session_open.h"
#include "capture/stack_level.h"
#include "parse/event_index.h"

/* How often rings are read even if the kernel does not wake the reader, in milliseconds. */
enum { DRAIN_MS = 250 };

/* Signals that end a recording, and SIGCHLD for its command. */
static sigset_t watched_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGCHLD);
	return set;
}

static struct pd_error *watch_end(struct cap_run *r)
{
	const sigset_t set = watched_signals();

	if (r->recording->opts.stop_fd >= 0)
		return cap_stream_watch(&r->stream, r->recording->opts.stop_fd);
	r->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (r->signal_fd < 0)
		return pd_error_os(NULL, "cannot wait for signals");
	return cap_stream_watch(&r->stream, r->signal_fd);
}

static struct pd_error *open_stream(struct cap_run *r)
{
	struct pd_error *err = cap_stream_open(&r->stream);

	if (!err)
		err = watch_end(r);
	if (!err && r->recording->opts.request_fd >= 0)
		err = cap_stream_watch(&r->stream, r->recording->opts.request_fd);
	return err ? err : cap_unwinding_watch(&r->recording->unwinding, &r->stream);
}

/*
 * Samples on a further stack level are smaller than the data of a full stack alone. The size of
 * their stack decides, so only such samples are decoded.
 */
static struct pd_error *set_sizes(struct cap_run *r)
{
	const struct cap_session *session = &r->recording->session;
	struct pd_plan plan;

	for (size_t i = 0; i < session->opened.n; i++) {
		uint32_t bytes = session->opened.data[i].event->attr.sample_stack_user;

		if (bytes > r->sink.shortened_to)
			r->sink.shortened_to = bytes;
		if (bytes)
			r->sink.shortened_from = cap_stack_level_bytes(bytes, CAP_N_LEVELS - 1);
	}
	pd_plan_compile(&session->opened.data[0].event->attr, &plan);
	r->sink.time_at = plan.sample_time_at;
	r->sink.events = &r->events;
	return r->sink.shortened_to ? cap_session_list_events(session, &r->events) : NULL;
}

/* Samples reach the sink without stacks then, so they are decoded before. */
static struct pd_error *create_unwound(struct cap_run *r)
{
	const struct cap_unwinder *unwinder = r->recording->opts.unwinder;

	if (!unwinder || !r->sink.shortened_to)
		return NULL;
	r->sink.shortened_from = r->sink.shortened_to = 0;
	struct pd_error *err = cap_unwound_create(unwinder, &r->events, &r->unwound);
	r->sink.unwound = err ? NULL : r->unwound;
	return err;
}

static struct pd_error *create_offcpu(struct cap_run *r)
{
	const struct cap_recording_opts *opts = &r->recording->opts;

	if (opts->offcpu_event < 0)
		return NULL;
	const struct cap_opened *event = &r->recording->session.opened.data[opts->offcpu_event];
	struct pd_error *err =
		cap_offcpu_create(&event->event->attr, opts->keep_switches, &r->sink.offcpu);
	return err ? err : cap_offcpu_add_ids(r->sink.offcpu, event->ids.data, event->ids.n);
}

/* Note which threads are recorded, if others can be added later. */
static struct pd_error *note_threads(struct cap_run *r)
{
	const struct cap_target *target = &r->recording->session.target;

	if (!r->recording->opts.on_request || target->is_system_wide)
		return NULL;
	r->sink.threads = &r->threads;
	for (size_t i = 0; i < target->tids.n; i++) {
		if (!cap_sink_note_thread(&r->sink, (uint32_t)target->tids.data[i], true))
			return &pd_enomem;
	}
	return NULL;
}

static struct pd_error *open_writer(struct cap_run *r, FILE *out)
{
	const struct cap_recording_opts *opts = &r->recording->opts;
	const struct cap_session *session = &r->recording->session;
	const struct pd_writer_opts writer_opts = { .is_pipe = opts->is_pipe };
	struct pd_error *err = pd_writer_create(out, opts->name, &writer_opts, &r->writer);

	if (err)
		return err;
	/*
	 * The kernel assigns ids when events are opened, so the header can only be written
	 * afterwards.
	 */
	for (size_t i = 0; i < session->opened.n; i++) {
		const struct cap_opened *event = &session->opened.data[i];
		const struct pd_attr attr = cap_recording_attr(r->recording, i);

		err = pd_writer_add_event(r->writer, &attr, event->ids.data, event->ids.n);
		if (err)
			return err;
	}
	err = cap_sink_init(&r->sink, &r->recording->unwinding, r->writer, opts->level);
	if (err)
		return err;
	err = set_sizes(r);
	if (!err)
		err = create_unwound(r);
	if (err)
		return err;
	err = create_offcpu(r);
	return err ? err : note_threads(r);
}

static struct pd_error *adapt_stack_level(struct cap_run *r, double fill)
{
	struct cap_session *session = &r->recording->session;
	size_t old = session->level;

	if (!cap_session_has_levels(session))
		return NULL;
	if (cap_overlap_is_on(&r->sink.overlap))
		return cap_session_confirm_level(session, r->sink.overlap.old_level);
	size_t level = cap_stack_level_next(
		&r->stack_level, old, fill, r->sink.counts.n_lost, base_clock_now());
	if (level == old)
		return NULL;
	cap_overlap_begin(&r->sink.overlap, old, level);
	return cap_session_set_level(session, level);
}

/*
 * The filled share of the queue that the recording is written to. One that is full has a reader
 * that is too slow, and the rings will be full next.
 */
static double output_fill(const struct cap_run *r)
{
	const struct cap_recording_opts *opts = &r->recording->opts;

	return opts->fill ? opts->fill(opts->fill_ctx) : 0;
}

static struct pd_error *drain_rings(struct cap_run *r)
{
	struct cap_session *session = &r->recording->session;
	double fill, fullest = output_fill(r);

	for (size_t i = 0; i < session->rings.n; i++) {
		struct pd_error *err = cap_sink_look_ahead(&r->sink, &session->rings.data[i].ring);

		if (err)
			return err;
	}
	for (size_t i = 0; i < session->rings.n; i++) {
		struct pd_error *err =
			cap_sink_drain(&r->sink, &session->rings.data[i].ring, &fill);

		if (err)
			return err;
		if (fill > fullest)
			fullest = fill;
	}
	cap_overlap_drained(&r->sink.overlap);
	struct pd_error *err = cap_unwinding_refresh(&r->recording->unwinding);
	return err ? err : adapt_stack_level(r, fullest);
}

struct pd_error *cap_run_drain(struct cap_run *r)
{
	bool has_more;

	do {
		struct pd_error *err = drain_rings(r);

		if (err)
			return err;
		err = cap_preamble_write_postponed(r->recording, &has_more);
		if (err)
			return err;
	} while (has_more);
	return cap_sink_round(&r->sink);
}

/* SIGCHLD also comes when the command is stopped or continued, which does not end the recording. */
static void reap_command(struct cap_run *r)
{
	struct cap_target *target = &r->recording->session.target;
	int status;

	if (!target->child || target->has_ended ||
		waitpid(target->child, &status, WNOHANG) != target->child)
		return;
	target->has_ended = r->has_ended = true;
	target->status = status;
}

static void take_signals(struct cap_run *r)
{
	struct signalfd_siginfo info;

	while (read(r->signal_fd, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGCHLD) {
			reap_command(r);
			continue;
		}
		r->recording->result.signal = (int)info.ssi_signo;
		r->has_ended = true;
	}
}

static struct pd_error *take_ready(struct cap_run *r, int fd)
{
	if (fd == r->signal_fd)
		take_signals(r);
	if (fd == r->end_timer || fd == r->recording->opts.stop_fd)
		r->has_ended = true;
	if (fd == r->recording->opts.request_fd)
		r->has_request = true;
	if (fd != r->begin_timer)
		return cap_unwinding_take_ready(&r->recording->unwinding, fd);
	base_close(&r->begin_timer);
	return cap_run_start(r);
}

/* Serve requests after the rings were drained: they see what was recorded until now. */
static struct pd_error *serve(struct cap_run *r)
{
	const struct cap_recording_opts *opts = &r->recording->opts;
	eventfd_t n;

	if (!r->has_request)
		return NULL;
	r->has_request = false;
	if (eventfd_read(opts->request_fd, &n) < 0)
		return pd_error_os(NULL, "cannot read a request");
	opts->on_request(opts->request_ctx, r);
	return NULL;
}

static struct pd_error *wait_once(struct cap_run *r)
{
	struct cap_ready ready;
	struct pd_error *err = cap_stream_wait(&r->stream, DRAIN_MS, &ready);

	if (err)
		return err;
	for (size_t i = 0; i < ready.n; i++) {
		err = take_ready(r, ready.fds[i]);
		if (err)
			return err;
	}
	/* Nothing is recorded while the rings are read for the last time. */
	err = r->has_ended ? cap_run_stop(r) : NULL;
	if (!err)
		err = cap_run_drain(r);
	return err ? err : serve(r);
}

/* All threads of the target have exited, and none can be added. */
static bool is_abandoned(struct cap_run *r)
{
	if (r->recording->session.target.records_child || r->recording->opts.on_request)
		return false;
	return cap_run_has_no_threads(r);
}

/*
 * Events of a recorded command are enabled by its exec (enable_on_exec), others here unless there
 * is a delay.
 */
static struct pd_error *enable_events(struct cap_run *r)
{
	const struct cap_target *target = &r->recording->session.target;
	struct cap_session *session = &r->recording->session;

	if (r->begin_timer >= 0)
		return NULL;
	if (!target->records_child)
		return cap_run_start(r);
	session->is_enabled = true;
	return NULL;
}

static struct pd_error *begin(struct cap_run *r)
{
	struct cap_recording *recording = r->recording;
	const struct cap_recording_opts *opts = &recording->opts;
	struct pd_error *err = cap_run_prepare(r);

	if (err)
		return err;
	err = cap_stream_watch_timer(&r->stream, opts->duration, &r->end_timer);
	if (err)
		return err;
	err = cap_stream_watch_timer(&r->stream, opts->delay, &r->begin_timer);
	if (err)
		return err;
	err = enable_events(r);
	if (err)
		return err;
	/*
	 * Start the command only after events are enabled, or ready to be enabled by its exec
	 * (enable_on_exec).
	 */
	if (recording->session.target.child) {
		err = cap_target_start(&recording->session.target);
		if (err)
			return err;
	}
	if (opts->begun) {
		err = opts->begun(opts->begun_ctx);
		if (err)
			return err;
	}
	recording->result.has_begun = true;
	if (opts->begun_fd >= 0 && eventfd_write(opts->begun_fd, 1) < 0)
		return pd_error_os(NULL, "cannot report that the recording has begun");
	return NULL;
}

static struct pd_error *end(struct cap_run *r)
{
	struct pd_error *err = cap_run_stop(r);

	if (err)
		return err;
	err = cap_run_drain(r);
	if (err)
		return err;
	/* Waits that are not over last until the end mark. */
	err = cap_run_mark_end(r);
	if (!err)
		err = cap_sink_end(&r->sink);
	if (err)
		return err;
	/*
	 * All LOST records have been counted by now, so what is missing from them can be written.
	 */
	err = cap_run_write_lost(r);
	return err ? err : cap_sink_round(&r->sink);
}

static struct pd_error *add_compressed_feature(struct cap_run *r)
{
	struct pd_bytes body = { 0 };

	if (!r->sink.pack)
		return NULL;
	parse_pack_describe(r->sink.pack, &body);
	struct pd_error *err = body.failed ? &pd_enomem
					   : pd_writer_add_feature(r->writer, PD_FEATURE_COMPRESSED,
						     body.buf.data, body.buf.n);
	pd_bytes_deinit(&body);
	return err;
}

static struct pd_error *write_records(struct cap_run *r)
{
	struct pd_error *err = open_stream(r);

	if (err)
		return err;
	/* Readers of a stream need to know how records are compressed before the first of them. */
	if (r->recording->opts.is_pipe) {
		err = add_compressed_feature(r);
		if (err)
			return err;
	}
	err = cap_preamble_write(r->recording, &r->sink);
	if (err)
		return err;
	/*
	 * End the round now, so that a reader of the stream gets the preamble before the first
	 * sample.
	 */
	err = cap_sink_round(&r->sink);
	if (err)
		return err;
	err = begin(r);
	if (err)
		return err;
	while (!r->has_ended && !is_abandoned(r)) {
		err = wait_once(r);
		if (err)
			return err;
	}
	return end(r);
}

static double cpu_seconds(void)
{
	struct rusage usage;

	if (getrusage(RUSAGE_SELF, &usage) < 0)
		return 0;
	return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
	       1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

/* Events of a CPU that goes offline stop counting without any record of it. */
static size_t count_offline(const struct cap_recording *recording)
{
	const struct cap_session *session = &recording->session;
	size_t n = recording->session.target.n_offline + session->n_offline;

	for (size_t i = 0; i < session->rings.n; i++)
		n += !cap_cpu_is_online(session->rings.data[i].cpu);
	return n;
}

static struct pd_error *finish_file(struct cap_run *r, FILE *out)
{
	struct pd_error *err = NULL;

	if (!r->recording->opts.is_pipe) {
		err = add_compressed_feature(r);
		if (err)
			return err;
		err = cap_recording_add_features(r->recording, r->writer, &r->sink.counts);
		if (err)
			return err;
	}
	err = pd_writer_finish(r->writer);
	if (err)
		return err;
	return fflush(out) == 0 ? NULL : pd_error_os(r->recording->opts.name, "cannot write");
}

/* Open the events, and prepare BPF to walk their stacks if that was asked for. */
static struct pd_error *open_session(struct cap_recording *recording)
{
	struct cap_unwinding *unwinding = &recording->unwinding;
	struct cap_session *session = &recording->session;
	struct pd_error *err = NULL;

	if (session->sampling.stacks == CAP_STACKS_BPF)
		err = cap_unwinding_init(
			unwinding, &recording->opts.tables, recording->opts.table_bytes, session);
	if (!err)
		err = cap_session_open(session);
	return err ? err : cap_unwinding_connect(unwinding, session);
}

/*
 * Threads that are created between opening and enabling events inherit them without a FORK record.
 * That must not happen if it matters which threads have events.
 */
static bool enables_early(const struct cap_recording *recording)
{
	const struct cap_target *target = &recording->session.target;

	return recording->opts.on_request && !target->is_system_wide && !target->records_child &&
	       !(recording->opts.delay > 0);
}

static struct pd_error *run(struct cap_run *r, FILE *out)
{
	struct cap_recording *recording = r->recording;
	struct cap_recording_result *result = &recording->result;

	recording->session.is_enabled = enables_early(recording);
	struct pd_error *err = open_session(recording);

	if (err)
		return err;
	err = open_writer(r, out);
	if (err)
		return err;
	r->nice = cap_priority_raise();
	r->has_priority = true;
	err = write_records(r);
	if (err)
		return err;
	err = finish_file(r, out);
	if (err)
		return err;
	/* Collect the result here, because run_deinit() closes the session and the rings. */
	result->counts = r->sink.counts;
	result->file_bytes = pd_writer_size(r->writer);
	result->cpu_seconds = cpu_seconds();
	result->n_offline = count_offline(recording);
	result->n_gone = recording->session.n_gone;
	if (r->blocked)
		result->blocked = cap_blocked_counts(r->blocked);
	if (r->unwound) {
		result->unwound = *cap_unwound_counts(r->unwound);
		result->counts.n_shortened = result->unwound.n_shortened;
	}
	cap_unwinding_counts(&recording->unwinding, &result->chains, &result->bpf);
	return NULL;
}

static void run_deinit(struct cap_run *r)
{
	if (r->has_priority)
		cap_priority_restore(r->nice);
	base_map_deinit(&r->threads);
	cap_target_end(&r->recording->session.target);
	base_close(&r->begin_timer);
	base_close(&r->end_timer);
	base_close(&r->signal_fd);
	cap_time_marks_deinit(&r->marks);
	cap_blocked_destroy(r->blocked);
	cap_stream_deinit(&r->stream);
	cap_offcpu_destroy(r->sink.offcpu);
	cap_unwound_destroy(r->unwound);
	cap_sink_deinit(&r->sink);
	parse_events_deinit(&r->events);
	pd_writer_destroy(r->writer);
	cap_session_close(&r->recording->session);
	cap_unwinding_deinit(&r->recording->unwinding);
}

/* Record, and remove the probes even if the recording fails. */
static struct pd_error *record(struct cap_recording *recording, FILE *out)
{
	struct cap_run r = {
		.recording = recording,
		.signal_fd = -1,
		.begin_timer = -1,
		.end_timer = -1,
	};

	cap_stream_init(&r.stream, &recording->session, &r.events);
	cap_stack_level_init(&r.stack_level);
	cap_time_marks_init(&r.marks, recording->session.sampling.clock);
	struct pd_error *err = run(&r, out);
	run_deinit(&r);
	struct pd_error *left =
		recording->session.probes ? cap_probes_remove(recording->session.probes) : NULL;
	if (!err)
		return left;
	pd_error_destroy(left);
	return err;
}

/*
 * A second Ctrl-C during the end of the recording must not kill what the caller does next with it.
 */
static void discard_signals(const sigset_t *signals)
{
	const struct timespec now = { 0 };

	while (sigtimedwait(signals, NULL, &now) > 0)
		;
}

struct pd_error *cap_recording_run(struct cap_recording *recording, FILE *out)
{
	const sigset_t signals = watched_signals();
	sigset_t before;

	struct pd_error *err = cap_session_prepare(&recording->session);
	if (err)
		return err;
	/* With a stop_fd, the caller handles signals. */
	if (recording->opts.stop_fd >= 0)
		return record(recording, out);
	sigprocmask(SIG_BLOCK, &signals, &before);
	err = record(recording, out);
	discard_signals(&signals);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return err;
}
