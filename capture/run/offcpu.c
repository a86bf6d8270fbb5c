#include "capture/run/offcpu.h"

#include <stdlib.h>
#include <string.h>

#include <pdconv/record.h>
#include <pdconv/sample.h>
#include <pdconv/vec.h>

#include "base/containers/map.h"

struct thread {
	/** The sample that was taken when it left the CPU, at out_ns. */
	PD_VEC(uint8_t) sample;
	bool is_held;
	/** The thread had a transition. */
	bool is_known;
	/**
	 * The thread has exited. It leaves the CPU for the last time after its EXIT record, and
	 * that is not a wait.
	 */
	bool is_gone;
	uint64_t out_ns;
};

enum transition_kind {
	/** It left the CPU to wait, and was sampled. */
	SWITCHED_OUT,
	/** It was sampled while it waited: it has done so since the recording began. */
	FOUND_WAITING,
	/** It was preempted, although it could have run on. */
	PREEMPTED,
	SWITCHED_IN,
	FORKED,
	EXITED,
};

/** A change of the state of a thread, as records report it. */
struct transition {
	uint64_t time;
	/** Order of arrival, which decides between equal times. */
	uint32_t number;
	uint32_t tid;
	enum transition_kind kind;
	/** Offset and size in the pool of the sample, and the time since which the thread waits. */
	size_t at;
	size_t size;
	uint64_t out_ns;
};

struct cap_offcpu {
	struct pd_plan plan;
	/** Offset of the period within the sample, in bytes. */
	size_t period_at;
	bool keep_switches;
	struct base_map ids;
	/** Thread id to number in threads. */
	struct base_map numbers;
	PD_VEC(struct thread) threads;
	/**
	 * Transitions that may not be complete yet, because the rings of several CPUs are read one
	 * after the other.
	 */
	PD_VEC(struct transition) transitions;
	PD_VEC(uint8_t) pool;
	/**
	 * Latest time of all records, and what it was when the last round ended: all earlier
	 * transitions are known. Readers release records by the same time, so samples that are
	 * emitted after it are in order.
	 */
	uint64_t last_ns;
	uint64_t safe_ns;
};

struct pd_error *cap_offcpu_create(
	const struct pd_attr *attr, bool keep_switches, struct cap_offcpu **ret)
{
	struct cap_offcpu *offcpu = calloc(1, sizeof(*offcpu));
	bool has_cpu = attr->sample_type >> PD_SAMPLE_CPU & 1;

	if (!offcpu)
		return &pd_enomem;
	pd_plan_compile(attr, &offcpu->plan);
	offcpu->period_at = offcpu->plan.sample_time_at + 8 * (size_t)(1 + has_cpu);
	offcpu->keep_switches = keep_switches;
	*ret = offcpu;
	return NULL;
}

struct pd_error *cap_offcpu_add_ids(struct cap_offcpu *offcpu, const uint64_t *ids, size_t n_ids)
{
	for (size_t i = 0; i < n_ids; i++) {
		if (!base_map_add(&offcpu->ids, ids[i], NULL))
			return &pd_enomem;
	}
	return NULL;
}

void cap_offcpu_destroy(struct cap_offcpu *offcpu)
{
	if (!offcpu)
		return;
	for (size_t i = 0; i < offcpu->threads.n; i++)
		pd_vec_deinit(&offcpu->threads.data[i].sample);
	pd_vec_deinit(&offcpu->threads);
	pd_vec_deinit(&offcpu->transitions);
	pd_vec_deinit(&offcpu->pool);
	base_map_deinit(&offcpu->ids);
	base_map_deinit(&offcpu->numbers);
	free(offcpu);
}

/* Find or add a thread. NULL: no memory. */
static struct thread *get_thread(struct cap_offcpu *offcpu, uint32_t tid)
{
	const struct thread none = { 0 };
	bool is_new;
	uint64_t *number = base_map_add(&offcpu->numbers, tid, &is_new);

	if (!number)
		return NULL;
	if (is_new) {
		*number = offcpu->threads.n;
		if (!pd_vec_push(&offcpu->threads, none))
			return NULL;
	}
	return &offcpu->threads.data[*number];
}

static bool is_ours(const struct cap_offcpu *offcpu, const struct pd_record *rec)
{
	size_t id_at = offcpu->plan.sample_id_at;

	return rec->type == PD_RECORD_SAMPLE && rec->size >= offcpu->period_at + 8 &&
	       base_map_find(&offcpu->ids, pd_load_u64(rec->bytes + id_at, false));
}

static struct pd_error *add_transition(
	struct cap_offcpu *offcpu, enum transition_kind kind, uint32_t tid, uint64_t time)
{
	const struct transition transition = {
		.time = time,
		.number = (uint32_t)offcpu->transitions.n,
		.tid = tid,
		.kind = kind,
	};

	return pd_vec_push(&offcpu->transitions, transition) ? NULL : &pd_enomem;
}

static struct pd_error *take_sample(struct cap_offcpu *offcpu, const struct pd_record *rec)
{
	enum { TID_BEFORE_TIME = 4, SWITCH_PERIOD = 1 };
	size_t time_at = offcpu->plan.sample_time_at;
	size_t at = offcpu->pool.n;

	if (!pd_vec_reserve(&offcpu->pool, at + rec->size))
		return &pd_enomem;
	memcpy(offcpu->pool.data + at, rec->bytes, rec->size);
	offcpu->pool.n += rec->size;
	uint64_t time = pd_load_u64(rec->bytes + time_at, false);
	uint64_t waited = pd_load_u64(rec->bytes + offcpu->period_at, false);
	bool is_found = waited > SWITCH_PERIOD;
	struct pd_error *err = add_transition(offcpu, is_found ? FOUND_WAITING : SWITCHED_OUT,
		pd_load_u32(rec->bytes + time_at - TID_BEFORE_TIME, false), time);
	if (err)
		return err;
	struct transition *transition = &offcpu->transitions.data[offcpu->transitions.n - 1];
	transition->at = at;
	transition->size = rec->size;
	transition->out_ns = is_found ? time - waited : time;
	return NULL;
}

static struct pd_error *take_switch(struct cap_offcpu *offcpu, const struct pd_record *rec)
{
	struct pd_sid sid = pd_sid_decode(&offcpu->plan, rec);

	if (!(rec->misc & PD_MISC_SWITCH_OUT))
		return add_transition(offcpu, SWITCHED_IN, sid.tid, sid.time);
	if (rec->misc & PD_MISC_SWITCH_OUT_PREEMPT)
		return add_transition(offcpu, PREEMPTED, sid.tid, sid.time);
	return NULL;
}

static struct pd_error *take_task(struct cap_offcpu *offcpu, const struct pd_record *rec)
{
	struct pd_sid sid = pd_sid_decode(&offcpu->plan, rec);
	union pd_body body;
	const char *wrong;

	if (!pd_record_decode(rec, offcpu->plan.sid_bytes, &body, &wrong))
		return NULL;
	return add_transition(
		offcpu, rec->type == PD_RECORD_EXIT ? EXITED : FORKED, body.fork.tid, sid.time);
}

static uint64_t time_of(const struct cap_offcpu *offcpu, const struct pd_record *rec)
{
	if (rec->type == PD_RECORD_SAMPLE)
		return pd_load_u64(rec->bytes + offcpu->plan.sample_time_at, false);
	/* Records that the kernel did not write have no sample_id. */
	if (rec->type >= PD_RECORD_FIRST_TOOL)
		return 0;
	return pd_sid_decode(&offcpu->plan, rec).time;
}

static void note_time(struct cap_offcpu *offcpu, const struct pd_record *rec)
{
	uint64_t time = time_of(offcpu, rec);

	if (time > offcpu->last_ns)
		offcpu->last_ns = time;
}

struct pd_error *cap_offcpu_take(
	struct cap_offcpu *offcpu, const struct pd_record *rec, bool *is_held_ret)
{
	note_time(offcpu, rec);
	*is_held_ret = is_ours(offcpu, rec);
	if (*is_held_ret)
		return take_sample(offcpu, rec);
	if (rec->type == PD_RECORD_EXIT || rec->type == PD_RECORD_FORK)
		return take_task(offcpu, rec);
	if (rec->type != PD_RECORD_SWITCH && rec->type != PD_RECORD_SWITCH_CPU_WIDE)
		return NULL;
	*is_held_ret = !offcpu->keep_switches;
	return take_switch(offcpu, rec);
}

/* Emit the held sample of a thread, with the time until @p until as its period. */
static struct pd_error *release(const struct cap_offcpu *offcpu, struct thread *thread,
	uint64_t until, cap_offcpu_emit *emit, void *ctx)
{
	uint64_t waited = until - thread->out_ns;
	uint8_t *sample = thread->sample.data;

	if (!thread->is_held || until <= thread->out_ns)
		return NULL;
	thread->is_held = false;
	memcpy(sample + offcpu->plan.sample_time_at, &until, sizeof(until));
	memcpy(sample + offcpu->period_at, &waited, sizeof(waited));
	return emit(ctx, sample, thread->sample.n);
}

static struct pd_error *hold(
	const struct cap_offcpu *offcpu, struct thread *thread, const struct transition *transition)
{
	if (thread->is_gone)
		return NULL;
	if (!pd_vec_reserve(&thread->sample, transition->size))
		return &pd_enomem;
	memcpy(thread->sample.data, offcpu->pool.data + transition->at, transition->size);
	thread->sample.n = transition->size;
	thread->out_ns = transition->out_ns;
	thread->is_held = true;
	return NULL;
}

static struct pd_error *apply(struct cap_offcpu *offcpu, const struct transition *transition,
	cap_offcpu_emit *emit, void *ctx)
{
	struct thread *thread = get_thread(offcpu, transition->tid);

	if (!thread)
		return &pd_enomem;
	bool was_known = thread->is_known;
	thread->is_known = true;
	switch (transition->kind) {
	case SWITCHED_OUT:
		return hold(offcpu, thread, transition);
	case FOUND_WAITING:
		/* A thread that has run since the recording began is in a later wait. */
		return was_known ? NULL : hold(offcpu, thread, transition);
	case SWITCHED_IN:
		return release(offcpu, thread, transition->time, emit, ctx);
	case PREEMPTED:
	case FORKED:
	case EXITED:
		thread->is_held = false;
		break;
	}
	/* The kernel reuses thread ids. */
	if (transition->kind != PREEMPTED)
		thread->is_gone = transition->kind == EXITED;
	return NULL;
}

static int compare(const void *a, const void *b)
{
	const struct transition *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

/* Move unfinished transitions and their samples to the front of the buffers. */
static void keep_rest(struct cap_offcpu *offcpu, size_t n_done)
{
	size_t n = offcpu->transitions.n - n_done;
	size_t pool_n = 0;

	if (!n_done)
		return;

	memmove(offcpu->transitions.data, offcpu->transitions.data + n_done,
		n * sizeof(*offcpu->transitions.data));
	offcpu->transitions.n = n;
	/*
	 * Samples are in the order of arrival but transitions are by time, so samples are copied,
	 * not moved within the pool.
	 */
	uint8_t *moved = n ? malloc(offcpu->pool.n + 1) : NULL;
	for (size_t i = 0; i < n && moved; i++) {
		struct transition *transition = &offcpu->transitions.data[i];

		transition->number = (uint32_t)i;
		memcpy(moved + pool_n, offcpu->pool.data + transition->at, transition->size);
		transition->at = pool_n;
		pool_n += transition->size;
	}
	if (n && !moved)
		return;
	if (moved)
		memcpy(offcpu->pool.data, moved, pool_n);
	offcpu->pool.n = pool_n;
	free(moved);
}

/* Apply the transitions before safe_ns, or all of them, in the order of time. */
static struct pd_error *apply_ready(
	struct cap_offcpu *offcpu, bool is_last, cap_offcpu_emit *emit, void *ctx)
{
	struct pd_error *err = NULL;
	size_t done = 0;

	if (offcpu->transitions.n)
		qsort(offcpu->transitions.data, offcpu->transitions.n,
			sizeof(*offcpu->transitions.data), compare);
	while (done < offcpu->transitions.n && !err) {
		const struct transition *transition = &offcpu->transitions.data[done];

		if (!is_last && transition->time > offcpu->safe_ns)
			break;
		err = apply(offcpu, transition, emit, ctx);
		done++;
	}
	keep_rest(offcpu, done);
	return err;
}

struct pd_error *cap_offcpu_round(
	struct cap_offcpu *offcpu, bool is_last, cap_offcpu_emit *emit, void *ctx)
{
	struct pd_error *err = apply_ready(offcpu, is_last, emit, ctx);

	if (err)
		return err;
	for (size_t i = 0; i < offcpu->threads.n && is_last; i++) {
		err = release(offcpu, &offcpu->threads.data[i], offcpu->last_ns, emit, ctx);
		if (err)
			return err;
	}
	offcpu->safe_ns = offcpu->last_ns;
	return NULL;
}
