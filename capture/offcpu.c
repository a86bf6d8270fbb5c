#include "capture/offcpu.h"

#include <stdlib.h>
#include <string.h>

#include <pdconv/record.h>
#include <pdconv/sample.h>
#include <pdconv/vec.h>

#include "base/map.h"

struct thread {
	/** The sample as it left the CPU, and when that was. */
	PD_VEC(uint8_t) sample;
	bool is_held;
	/** It has ended; what it leaves the CPU for is not to wait. */
	bool is_gone;
	uint64_t out_ns;
	/** When it last came back. */
	uint64_t in_ns;
};

struct cap_offcpu {
	struct pd_plan plan;
	/** Of the period in a sample, bytes from its start. */
	size_t period_at;
	bool keep_switches;
	struct pd_map ids;
	/** Thread id to number in threads. */
	struct pd_map numbers;
	PD_VEC(struct thread) threads;
	/** The latest time of all. */
	uint64_t last_ns;
	size_t next;
};

static uint64_t load_u64(const uint8_t *at)
{
	uint64_t value;

	memcpy(&value, at, sizeof(value));
	return value;
}

static uint32_t load_u32(const uint8_t *at)
{
	uint32_t value;

	memcpy(&value, at, sizeof(value));
	return value;
}

struct pd_error *cap_offcpu_create(const struct pd_attr *attr, const uint64_t *ids, size_t n_ids,
	bool keep_switches, struct cap_offcpu **ret)
{
	struct cap_offcpu *offcpu = calloc(1, sizeof(*offcpu));
	bool has_cpu = attr->sample_type >> PD_SAMPLE_CPU & 1;

	if (!offcpu)
		return &pd_enomem;
	pd_plan_compile(attr, &offcpu->plan);
	offcpu->period_at = offcpu->plan.sample_time_at + 8 * (size_t)(1 + has_cpu);
	offcpu->keep_switches = keep_switches;
	for (size_t i = 0; i < n_ids; i++) {
		if (!pd_map_add(&offcpu->ids, ids[i], NULL)) {
			cap_offcpu_destroy(offcpu);
			return &pd_enomem;
		}
	}
	*ret = offcpu;
	return NULL;
}

void cap_offcpu_destroy(struct cap_offcpu *offcpu)
{
	if (!offcpu)
		return;
	for (size_t i = 0; i < offcpu->threads.n; i++)
		pd_vec_deinit(&offcpu->threads.data[i].sample);
	pd_vec_deinit(&offcpu->threads);
	pd_map_deinit(&offcpu->ids);
	pd_map_deinit(&offcpu->numbers);
	free(offcpu);
}

/* NULL: no memory. */
static struct thread *get_thread(struct cap_offcpu *offcpu, uint32_t tid)
{
	const struct thread none = { 0 };
	bool is_new;
	uint64_t *number = pd_map_add(&offcpu->numbers, tid, &is_new);

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
	       pd_map_find(&offcpu->ids, load_u64(rec->bytes + id_at));
}

/* It waited until then. */
static void release(struct cap_offcpu *offcpu, struct thread *thread, uint64_t until,
	struct cap_offcpu_verdict *ret)
{
	uint64_t waited = until - thread->out_ns;
	uint8_t *sample = thread->sample.data;

	thread->is_held = false;
	memcpy(sample + offcpu->plan.sample_time_at, &until, sizeof(until));
	memcpy(sample + offcpu->period_at, &waited, sizeof(waited));
	ret->sample = sample;
	ret->sample_bytes = thread->sample.n;
}

static struct pd_error *take_sample(
	struct cap_offcpu *offcpu, const struct pd_record *rec, struct cap_offcpu_verdict *ret)
{
	enum { TID_BEFORE_TIME = 4 };
	size_t time_at = offcpu->plan.sample_time_at;
	struct thread *thread =
		get_thread(offcpu, load_u32(rec->bytes + time_at - TID_BEFORE_TIME));

	if (!thread || !pd_vec_reserve(&thread->sample, rec->size))
		return &pd_enomem;
	ret->is_held = true;
	if (thread->is_gone)
		return NULL;
	memcpy(thread->sample.data, rec->bytes, rec->size);
	thread->sample.n = rec->size;
	thread->out_ns = load_u64(rec->bytes + time_at);
	thread->is_held = true;
	/* It came back on another CPU, whose ring was read first. */
	if (thread->in_ns > thread->out_ns)
		release(offcpu, thread, thread->in_ns, ret);
	return NULL;
}

static struct pd_error *take_switch(
	struct cap_offcpu *offcpu, const struct pd_record *rec, struct cap_offcpu_verdict *ret)
{
	struct pd_sid sid = pd_sid_decode(&offcpu->plan, rec, false);
	struct thread *thread = get_thread(offcpu, sid.tid);

	if (!thread)
		return &pd_enomem;
	ret->is_held = !offcpu->keep_switches;
	if (rec->misc & PD_MISC_SWITCH_OUT_PREEMPT && rec->misc & PD_MISC_SWITCH_OUT) {
		thread->is_held = false;
		return NULL;
	}
	if (rec->misc & PD_MISC_SWITCH_OUT)
		return NULL;
	thread->in_ns = sid.time;
	if (thread->is_held && thread->in_ns > thread->out_ns)
		release(offcpu, thread, thread->in_ns, ret);
	return NULL;
}

/* A thread ends, or one begins that may have the number of one that ended. */
static struct pd_error *take_task(struct cap_offcpu *offcpu, const struct pd_record *rec)
{
	union pd_body body;
	const char *wrong;

	if (!pd_record_decode(rec, offcpu->plan.sid_bytes, false, &body, &wrong))
		return NULL;
	struct thread *thread = get_thread(offcpu, body.fork.tid);
	if (!thread)
		return &pd_enomem;
	thread->is_held = false;
	thread->is_gone = rec->type == PD_RECORD_EXIT;
	return NULL;
}

static void note_time(struct cap_offcpu *offcpu, const struct pd_record *rec)
{
	uint64_t time = rec->type == PD_RECORD_SAMPLE
				? load_u64(rec->bytes + offcpu->plan.sample_time_at)
				: 0;

	if (time > offcpu->last_ns)
		offcpu->last_ns = time;
}

struct pd_error *cap_offcpu_take(struct cap_offcpu *offcpu, const uint8_t *bytes, size_t size,
	struct cap_offcpu_verdict *ret)
{
	struct pd_record rec = { .bytes = bytes, .size = (uint32_t)size };

	memcpy(&rec.type, bytes, sizeof(rec.type));
	memcpy(&rec.misc, bytes + 4, sizeof(rec.misc));
	*ret = (struct cap_offcpu_verdict){ 0 };
	note_time(offcpu, &rec);
	if (is_ours(offcpu, &rec))
		return take_sample(offcpu, &rec, ret);
	if (rec.type == PD_RECORD_SWITCH || rec.type == PD_RECORD_SWITCH_CPU_WIDE)
		return take_switch(offcpu, &rec, ret);
	if (rec.type == PD_RECORD_EXIT || rec.type == PD_RECORD_FORK)
		return take_task(offcpu, &rec);
	return NULL;
}

bool cap_offcpu_next(struct cap_offcpu *offcpu, struct cap_offcpu_verdict *ret)
{
	*ret = (struct cap_offcpu_verdict){ 0 };
	for (; offcpu->next < offcpu->threads.n; offcpu->next++) {
		struct thread *thread = &offcpu->threads.data[offcpu->next];

		if (!thread->is_held || thread->out_ns >= offcpu->last_ns)
			continue;
		release(offcpu, thread, offcpu->last_ns, ret);
		return true;
	}
	return false;
}
