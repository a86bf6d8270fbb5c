/* pd_unwinder: records and processes on one side, stacks on the other. */
#include <pdconv/unwinder.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pdconv/bytes.h>
#include <pdconv/capture.h>

#include "api/unwinder_state.h"
#include "api/unwinder_worker.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/system/file_map.h"
#include "base/limit.h"
#include "base/reserved.h"
#include "base/system/base_machine.h"
#include "base/text.h"
#include "capture/synth/synth.h"
#include "capture/synth/synth_kernel.h"
#include "parse/frame.h"
#include "parse/space/long_space.h"
#include "parse/open_file.h"
#include "resolve/stacks/sample_walk.h"

struct pd_unwinder {
	const struct pd_arch *arch;
	/** Protects the members below, and those of the states that say so. */
	pthread_mutex_t lock;
	struct api_unwinder_state *state;
	/** Number of mappings and threads from which the state is renewed. */
	size_t most_created;
	/** Memory ran out while the space changed, which can only be released then. */
	bool has_failed;
	/** A binary has shrunk: the next state opens the files again. */
	bool has_shrunk;
};

static void set_limit(struct pd_unwinder *unwinder)
{
	/* Twice what lives: then the work of all renewals is proportional to the records. */
	unwinder->most_created =
		2 * parse_space_n_created(unwinder->state->space) + PD_LIMIT_UNWINDER_MAPPINGS;
}

static struct pd_error *find_arch(const char *name, const struct pd_arch **ret)
{
	struct utsname here;

	if (!name && !base_machine_here(&here))
		return pd_error_os(NULL, "cannot find the architecture of this machine");
	*ret = pd_arch_find(name ? name : here.machine);
	if (*ret)
		return NULL;
	return pd_error_create(PD_ERROR_UNSUPPORTED, NULL,
		"unwinding the architecture '%s' is not supported", name ? name : here.machine);
}

struct pd_error *pd_unwinder_create(
	const char *arch, const struct pd_unwinder_opts *opts, struct pd_unwinder **ret)
{
	static const struct pd_unwinder_opts defaults;
	_cleanup_free_ struct pd_unwinder *unwinder = calloc(1, sizeof(*unwinder));
	struct pd_error *err = unwinder ? find_arch(arch, &unwinder->arch) : &pd_enomem;

	if (err)
		return err;
	err = opts ? PD_CHECK_RESERVED("struct pd_unwinder_opts", opts) : NULL;
	if (err)
		return err;
	err = api_unwinder_state_create(unwinder->arch, opts ? opts : &defaults, &unwinder->state);
	if (err)
		return err;
	pthread_mutex_init(&unwinder->lock, NULL);
	set_limit(unwinder);
	*ret = take_ptr(unwinder);
	return NULL;
}

void pd_unwinder_destroy(struct pd_unwinder *unwinder)
{
	if (!unwinder)
		return;
	api_unwinder_state_unref(unwinder->state);
	pthread_mutex_destroy(&unwinder->lock);
	free(unwinder);
}

void pd_unwinder_report(const struct pd_unwinder *unwinder, struct pd_diag *diag)
{
	api_reading_report(&unwinder->state->config->reading, diag);
}

/* Check the state, and replace it if it has become large. To be called with the lock. */
static struct pd_error *prepare_state(struct pd_unwinder *unwinder)
{
	struct api_unwinder_state *old = unwinder->state;
	size_t n_binaries = atomic_load_explicit(&old->n_binaries, memory_order_relaxed);

	if (unwinder->has_failed)
		return &pd_enomem;
	if (parse_space_n_created(old->space) < unwinder->most_created &&
		n_binaries < PD_LIMIT_UNWINDER_BINARIES && !unwinder->has_shrunk)
		return NULL;
	struct pd_error *err = api_unwinder_state_renew(old, &unwinder->state);
	if (err)
		return err;
	api_unwinder_state_unref(old);
	unwinder->has_shrunk = false;
	set_limit(unwinder);
	return NULL;
}

/* Records. */

static struct pd_error *check_record(const struct pd_record *rec, size_t sid_bytes)
{
	union pd_body body;
	const char *wrong;

	if (pd_record_decode(rec, sid_bytes, &body, &wrong))
		return NULL;
	return pd_error_at(NULL, rec->offset, pd_record_name(rec->type), "%s", wrong);
}

static bool is_wanted(uint32_t type)
{
	return type == PD_RECORD_MMAP || type == PD_RECORD_MMAP2 || type == PD_RECORD_COMM ||
	       type == PD_RECORD_FORK || type == PD_RECORD_EXIT || type == PD_RECORD_KSYMBOL;
}

struct pd_error *pd_unwinder_add_record(
	struct pd_unwinder *unwinder, const struct pd_events *events, const struct pd_record *rec)
{
	if (!is_wanted(rec->type))
		return NULL;
	const struct pd_plan *plan = events ? pd_events_plan(events, rec) : NULL;
	size_t sid_bytes = plan ? plan->sid_bytes : 0;
	struct pd_error *err = check_record(rec, sid_bytes);
	if (err)
		return err;
	pthread_mutex_lock(&unwinder->lock);
	err = prepare_state(unwinder);
	if (!err) {
		err = parse_space_apply(unwinder->state->space, rec, sid_bytes);
		unwinder->has_failed = err;
	}
	pthread_mutex_unlock(&unwinder->lock);
	return err;
}

/* Synthesised records. They are collected without the lock, because reading /proc takes long. */

static struct pd_error *collect(void *ctx, const void *record, size_t size)
{
	struct pd_bytes *bytes = ctx;

	pd_bytes_put(bytes, record, size);
	return bytes->failed ? &pd_enomem : NULL;
}

/* A record that was just encoded, in host byte order. */
static struct pd_record record_at(const uint8_t *bytes)
{
	static const struct pd_file host;

	return parse_frame_record(&host, bytes, parse_frame_header(&host, bytes));
}

/* The COMM record of the first thread precedes the mappings of a process, which are all it has. */
static struct pd_error *forget_mappings(struct parse_space *space, const struct pd_record *rec)
{
	union pd_body body;
	const char *wrong;

	if (rec->type != PD_RECORD_COMM || !pd_record_decode(rec, 0, &body, &wrong) ||
		body.comm.pid != body.comm.tid)
		return NULL;
	return parse_space_unmap_all(space, body.comm.pid);
}

static struct pd_error *apply_collected(struct parse_space *space, const struct pd_bytes *bytes)
{
	for (size_t at = 0; at < bytes->buf.n;) {
		struct pd_record rec = record_at(bytes->buf.data + at);
		struct pd_error *err = forget_mappings(space, &rec);

		if (!err)
			err = parse_space_apply(space, &rec, 0);
		if (err)
			return err;
		at += rec.size;
	}
	return NULL;
}

static struct pd_error *report_misses(const struct cap_synth *synth, pid_t pid)
{
	const struct cap_synth_counts *counts = cap_synth_counts(synth);

	if (!counts->processes || (counts->denied && pid >= 0)) {
		errno = counts->denied ? EACCES : ESRCH;
		return pd_error_os(NULL, "cannot read the mappings of process %d", (int)pid);
	}
	return NULL;
}

static struct pd_error *add_collected(struct pd_unwinder *unwinder, const struct pd_bytes *bytes)
{
	pthread_mutex_lock(&unwinder->lock);
	struct pd_error *err = prepare_state(unwinder);
	if (!err) {
		err = apply_collected(unwinder->state->space, bytes);
		unwinder->has_failed = err;
	}
	pthread_mutex_unlock(&unwinder->lock);
	return err;
}

struct pd_error *pd_unwinder_add_process(struct pd_unwinder *unwinder, pid_t pid)
{
	const struct cap_synth_opts opts = { 0 };
	struct pd_bytes bytes = { 0 };
	struct cap_synth *synth;
	struct pd_error *err = cap_synth_create(&opts, collect, &bytes, &synth);

	if (err)
		return err;
	if (!pid)
		pid = getpid();
	err = pid < 0 ? cap_synth_all(synth) : cap_synth_process(synth, (uint32_t)pid);
	if (!err)
		err = report_misses(synth, pid);
	if (!err)
		err = add_collected(unwinder, &bytes);
	cap_synth_destroy(synth);
	pd_bytes_deinit(&bytes);
	return err;
}

struct pd_error *pd_unwinder_add_kernel(struct pd_unwinder *unwinder)
{
	const struct cap_synth_opts opts = { .build_ids = true };
	struct pd_bytes bytes = { 0 };
	struct cap_synth *synth;
	struct pd_error *err = cap_synth_create(&opts, collect, &bytes, &synth);

	if (err)
		return err;
	err = cap_synth_kernel(synth);
	if (!err)
		err = cap_synth_bpf(synth);
	if (!err)
		err = add_collected(unwinder, &bytes);
	cap_synth_destroy(synth);
	pd_bytes_deinit(&bytes);
	return err;
}

/* Stacks. */

struct pd_stack_frames_state {
	/** Referenced; NULL after an error. */
	struct api_unwinder_state *unwinder;
	struct api_unwinder_result result;
	/** Facts about the kernel; ref_symbol is NULL if it is not mapped. */
	struct sym_kernel_identity kernel;
	/** Thread of the sample. */
	uint32_t pid;
	uint32_t tid;
	/** Memory of names. */
	struct base_arena arena;
};

/* Empty the stack, but keep its memory. Errors: NOMEM. */
static struct pd_error *reset(struct pd_stack_frames *stack)
{
	struct pd_stack_frames_state *state = stack->state;

	if (!state)
		state = calloc(1, sizeof(*state));
	*stack = (struct pd_stack_frames){ .state = state };
	if (!state)
		return &pd_enomem;
	base_arena_deinit(&state->arena);
	api_unwinder_state_unref(take_ptr(state->unwinder));
	return NULL;
}

void pd_stack_frames_deinit(struct pd_stack_frames *stack)
{
	struct pd_stack_frames_state *state = stack->state;

	if (state) {
		api_unwinder_state_unref(state->unwinder);
		pd_vec_deinit(&state->result.frames);
		base_arena_deinit(&state->arena);
		free(state);
	}
	*stack = (struct pd_stack_frames){ 0 };
}

static struct sym_kernel_identity kernel_facts(const struct parse_space *space)
{
	const struct parse_kernel *kernel = parse_space_kernel(space);

	if (!kernel->dso)
		return (struct sym_kernel_identity){ 0 };
	return (struct sym_kernel_identity){
		.ref_symbol = kernel->ref_symbol,
		.ref_addr = kernel->ref_addr,
		.build_id = kernel->dso->build_id,
	};
}

/* Take what the job needs from @p state. To be called with the lock. */
static struct pd_error *take_worker(struct api_unwinder_state *state, uint32_t pid,
	struct api_unwinder_job *job, struct api_unwinder_worker **worker_ret)
{
	struct parse_maps *maps = parse_space_known_maps(state->space, pid);

	if (state->idle.n) {
		*worker_ret = state->idle.data[--state->idle.n];
	} else {
		struct pd_error *err = api_unwinder_worker_create(state, worker_ret);

		if (err)
			return err;
	}
	job->maps = parse_maps_ref(maps ? maps : state->no_maps);
	job->kernel_maps = parse_maps_ref(parse_space_kernel_maps(state->space));
	return NULL;
}

/* Begin to unwind a sample. To be called with the lock. */
static struct pd_error *begin(struct pd_unwinder *unwinder, struct api_unwinder_job *job,
	struct pd_stack_frames *stack, struct api_unwinder_worker **worker_ret)
{
	const struct pd_sample *sample = job->sample;
	struct pd_error *err = prepare_state(unwinder);

	if (err)
		return err;
	struct api_unwinder_state *state = unwinder->state;
	err = take_worker(state, sample->pid, job, worker_ret);
	if (err)
		return err;
	stack->state->unwinder = api_unwinder_state_ref(state);
	stack->state->kernel = kernel_facts(state->space);
	stack->state->pid = sample->pid;
	stack->state->tid = sample->tid;
	stack->comm = parse_space_known_comm(state->space, sample->pid, sample->tid);
	job->can_walk = resolve_can_walk(state->config->arch, state->space, sample, job->cpumode);
	return NULL;
}

/* Give back what take_worker() took. To be called with the lock. */
static void end(struct api_unwinder_state *state, const struct api_unwinder_job *job,
	struct api_unwinder_worker *worker)
{
	parse_maps_unref(job->maps);
	parse_maps_unref(job->kernel_maps);
	if (!pd_vec_push(&state->idle, worker))
		api_unwinder_worker_destroy(worker);
}

static void show(struct pd_stack_frames *stack)
{
	const struct api_unwinder_result *result = &stack->state->result;

	stack->frames = result->frames.data;
	stack->n = result->frames.n;
	stack->n_kernel = result->n_kernel;
	stack->end = result->end;
	stack->is_deferred = result->is_deferred;
}

/*
 * Replace @p err, which may be NULL, if a binary has shrunk: see pdconv/file_guard.h. Takes
 * ownership of @p err.
 */
static struct pd_error *or_shrunk(struct api_unwinder_state *state, struct pd_error *err)
{
	struct pd_error *shrunk =
		base_file_maps_have_shrunk() ? resolve_binaries_check(state->binaries) : NULL;

	if (!shrunk)
		return err;
	pd_error_destroy(err);
	return shrunk;
}

struct pd_error *pd_unwinder_unwind(struct pd_unwinder *unwinder, const struct pd_sample *sample,
	uint16_t misc, struct pd_stack_frames *ret)
{
	struct api_unwinder_job job = { .sample = sample, .cpumode = misc & PD_MISC_CPUMODE_MASK };
	struct api_unwinder_worker *worker;
	struct pd_error *err = reset(ret);

	if (err)
		return err;
	pthread_mutex_lock(&unwinder->lock);
	err = begin(unwinder, &job, ret, &worker);
	pthread_mutex_unlock(&unwinder->lock);
	if (err)
		return err;
	err = or_shrunk(
		ret->state->unwinder, api_unwinder_worker_run(worker, &job, &ret->state->result));
	pthread_mutex_lock(&unwinder->lock);
	unwinder->has_shrunk |= err && err->code == PD_ERROR_OS;
	end(ret->state->unwinder, &job, worker);
	pthread_mutex_unlock(&unwinder->lock);
	if (!err)
		show(ret);
	return err;
}

/* Whether a record of the thread @p sid (NULL: not known) decides about the user frames. */
static bool is_awaited(const struct pd_stack_frames *stack, const struct pd_sid *sid)
{
	return stack->is_deferred && (!sid || sid->tid == stack->state->tid);
}

/* Replace the user frames by @p ips. The worker is one of the state that the frames are from. */
static struct pd_error *replace_user(
	struct pd_unwinder *unwinder, const struct pd_view *ips, struct pd_stack_frames *stack)
{
	struct api_unwinder_state *state = stack->state->unwinder;
	struct api_unwinder_job job = { .sample = NULL };
	struct api_unwinder_worker *worker;

	pthread_mutex_lock(&unwinder->lock);
	struct pd_error *err = take_worker(state, stack->state->pid, &job, &worker);
	pthread_mutex_unlock(&unwinder->lock);
	if (err)
		return err;
	err = api_unwinder_worker_complete(worker, &job, ips, &stack->state->result);
	pthread_mutex_lock(&unwinder->lock);
	end(state, &job, worker);
	pthread_mutex_unlock(&unwinder->lock);
	return err;
}

struct pd_error *pd_unwinder_complete(struct pd_unwinder *unwinder, const struct pd_events *events,
	const struct pd_record *rec, struct pd_stack_frames *stack)
{
	const struct pd_plan *plan = events ? pd_events_plan(events, rec) : NULL;
	union pd_body body;
	const char *wrong;

	if (rec->type != PD_RECORD_CALLCHAIN_DEFERRED)
		return NULL;
	if (!pd_record_decode(rec, plan ? plan->sid_bytes : 0, &body, &wrong))
		return pd_error_at(NULL, rec->offset, pd_record_name(rec->type), "%s", wrong);
	struct pd_sid sid = plan ? pd_sid_decode(plan, rec) : (struct pd_sid){ 0 };
	if (!is_awaited(stack, plan ? &sid : NULL))
		return NULL;
	struct api_unwinder_result *result = &stack->state->result;
	struct pd_error *err = NULL;
	if (result->cookie == body.callchain_deferred.cookie)
		err = replace_user(unwinder, &body.callchain_deferred.ips, stack);
	result->is_deferred = false;
	show(stack);
	return err;
}

static struct pd_error *set_names(
	struct pd_frame *frame, const struct sym_names *found, struct base_arena *arena)
{
	struct pd_frame_name *names = base_arena_alloc(arena, found->n * sizeof(*names) + 1);

	if (!names)
		return &pd_enomem;
	for (size_t i = 0; i < found->n; i++) {
		const struct sym_name *name = &found->names[i];

		names[i] = (struct pd_frame_name){
			.function = name->function,
			.linkage = name->linkage,
			.file = name->file,
			.line = name->line,
			.start_line = name->start_line,
		};
	}
	frame->names = names;
	frame->n_names = found->n;
	return NULL;
}

struct pd_error *pd_stack_frames_name(struct pd_stack_frames *stack)
{
	struct pd_stack_frames_state *state = stack->state;

	for (size_t i = 0; i < stack->n; i++) {
		struct pd_frame *frame = &state->result.frames.data[i];
		struct sym_names found;

		if (!frame->binary || frame->names)
			continue;
		struct pd_error *err = api_unwinder_state_name(
			state->unwinder, &state->kernel, frame, &state->arena, &found);
		if (!err)
			err = set_names(frame, &found, &state->arena);
		if (err)
			return err;
	}
	return NULL;
}

/* Stacks as text. */

static void write_name(FILE *stream, const char *name)
{
	size_t len;
	_cleanup_free_ char *text = base_text_dup(name, strlen(name), &len);

	if (!text)
		return;
	len = base_text_copy_folded(text, text, len, ' ');
	if (len)
		fwrite(text, 1, len, stream);
	else
		fputs("[unknown]", stream);
}

static void write_frame(FILE *stream, const struct pd_frame *frame)
{
	for (size_t i = frame->n_names; i-- > 0;) {
		fputc(';', stream);
		write_name(stream, frame->names[i].function ? frame->names[i].function : "");
	}
	if (frame->n_names)
		return;
	fputs(";[", stream);
	write_name(stream, frame->binary ? base_file_name(frame->binary->path) : "unknown");
	fputc(']', stream);
}

void pd_stack_frames_write(const struct pd_stack_frames *stack, FILE *stream)
{
	write_name(stream, stack->comm ? stack->comm : "");
	for (size_t i = stack->n; i-- > 0;)
		write_frame(stream, &stack->frames[i]);
}

/* Records of this machine, added to an unwinder or unwound as they are written. */

struct live {
	struct pd_unwinder *unwinder;
	const struct pd_events *events;
	struct pd_stack_frames stack;
	pd_on_stack *fn;
	void *ctx;
};

static struct pd_error *take_record(
	void *ctx, const struct pd_record *rec, const struct pd_sample *sample)
{
	struct live *live = ctx;

	if (!sample)
		return pd_unwinder_add_record(live->unwinder, live->events, rec);
	struct pd_error *err = pd_unwinder_unwind(live->unwinder, sample, rec->misc, &live->stack);
	if (!err)
		err = pd_stack_frames_name(&live->stack);
	return err ? err : live->fn(live->ctx, sample, &live->stack);
}

struct pd_error *pd_unwinder_read(struct pd_unwinder *unwinder, struct pd_perf_set *set,
	int timeout_ms, pd_on_stack *fn, void *ctx)
{
	struct live live = {
		.unwinder = unwinder,
		.events = pd_perf_set_events(set),
		.fn = fn,
		.ctx = ctx,
	};
	struct pd_error *err = pd_perf_set_read(set, timeout_ms, take_record, &live);

	pd_stack_frames_deinit(&live.stack);
	return err;
}

/* Milliseconds between reads of the rings. */
enum { READ_MS = 100 };

static struct pd_error *read_for(struct pd_unwinder *unwinder, struct pd_perf_set *set,
	int milliseconds, pd_on_stack *fn, void *ctx)
{
	double end = base_clock_now() + milliseconds / 1000.0;
	struct pd_error *err;

	do {
		double left = (end - base_clock_now()) * 1000;
		int wait = milliseconds < 0 || left > READ_MS ? READ_MS : left > 0 ? (int)left : 0;

		err = pd_unwinder_read(unwinder, set, wait, fn, ctx);
	} while (!err && (milliseconds < 0 || base_clock_now() < end));
	if (!err)
		err = pd_perf_set_enable(set, false);
	/* A disabled set passes on everything that is left. */
	return err ? err : pd_unwinder_read(unwinder, set, 0, fn, ctx);
}

struct pd_error *pd_unwinder_run(struct pd_unwinder *unwinder, const struct pd_capture_opts *opts,
	pid_t pid, int milliseconds, pd_on_stack *fn, void *ctx)
{
	struct pd_capture_opts tracking = opts ? *opts : (struct pd_capture_opts){ 0 };
	struct pd_perf_set *set;

	tracking.tracking = true;
	struct pd_error *err = pd_perf_set_open(&tracking, pid, &set);
	if (err)
		return err;
	err = pd_perf_set_enable(set, true);
	if (!err)
		err = pd_unwinder_add_process(unwinder, pid);
	if (!err)
		err = read_for(unwinder, set, milliseconds, fn, ctx);
	pd_perf_set_close(set);
	return err;
}
