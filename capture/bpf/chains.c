#include "capture/bpf/chains.h"

#include <stdlib.h>
#include <string.h>

#include <pdconv/record.h>
#include <pdconv/sample.h>

#include "base/cleanup.h"
#include "base/containers/map.h"

struct event {
	struct pd_plan plan;
	/** Kind of its stacks. */
	enum bw_record_kind kind;
};

/** Stacks that wait for their samples. Those of tracepoints may be interrupted by others. */
struct waiting {
	struct bw_record stacks[BW_N_RECORD_KINDS];
	bool is_valid[BW_N_RECORD_KINDS];
};

struct cap_chains {
	/** Number of the event by id, counted from 1; 0: a stack. */
	struct base_map events;
	PD_VEC(struct event) list;
	PD_VEC(uint8_t) merged;
	struct cap_chains_counts counts;
	const struct cap_bpf *bpf;
};

struct pd_error *cap_chains_add_ids(
	struct cap_chains *chains, size_t i, const uint64_t *ids, size_t n)
{
	for (size_t k = 0; k < n; k++) {
		uint64_t *slot = base_map_add(&chains->events, ids[k], NULL);

		if (!slot)
			return &pd_enomem;
		*slot = i + 1;
	}
	return NULL;
}

static struct pd_error *add_event(struct cap_chains *chains, const struct cap_opened *event)
{
	const struct pd_attr *attr = &event->event->attr;
	struct event new = {
		.kind = attr->type == PD_TYPE_TRACEPOINT ? BW_RECORD_TRACE : BW_RECORD_SAMPLE,
	};

	pd_plan_compile(attr, &new.plan);
	if (!pd_vec_push(&chains->list, new))
		return &pd_enomem;
	return cap_chains_add_ids(chains, chains->list.n - 1, event->ids.data, event->ids.n);
}

struct pd_error *cap_chains_create(
	const struct cap_session *session, const struct cap_bpf *bpf, struct cap_chains **ret)
{
	struct cap_chains *chains = calloc(1, sizeof(*chains));

	if (!chains)
		return &pd_enomem;
	chains->bpf = bpf;
	for (size_t i = 0; i < session->opened.n; i++) {
		struct pd_error *err = add_event(chains, &session->opened.data[i]);

		if (err) {
			cap_chains_destroy(chains);
			return err;
		}
	}
	*ret = chains;
	return NULL;
}

void cap_chains_destroy(struct cap_chains *chains)
{
	if (!chains)
		return;
	base_map_deinit(&chains->events);
	pd_vec_deinit(&chains->list);
	pd_vec_deinit(&chains->merged);
	free(chains);
}

struct pd_error *cap_chains_add_output(struct cap_chains *chains, uint64_t id)
{
	uint64_t *slot = base_map_add(&chains->events, id, NULL);

	if (!slot)
		return &pd_enomem;
	*slot = 0;
	return NULL;
}

const struct cap_chains_counts *cap_chains_counts(const struct cap_chains *chains)
{
	return &chains->counts;
}

const struct pd_plan *cap_chains_plan(const struct cap_chains *chains)
{
	return &chains->list.data[0].plan;
}

/** Offsets in a sample of the event that stacks are samples of: id, size of the data, data. */
enum {
	ID_AT = PD_RECORD_HEADER_BYTES,
	STACK_AT = ID_AT + 8 + 4,
	STACK_HEAD = offsetof(struct bw_record, pcs),
};

/** Read the stack in the record at @p bytes. Returns false if it is cut. */
static bool read_stack(const uint8_t *bytes, size_t size, struct bw_record *ret)
{
	if (size < STACK_AT + STACK_HEAD)
		return false;
	memcpy(ret, bytes + STACK_AT, STACK_HEAD);
	size_t n = ret->n;
	if (n > sizeof(ret->pcs) / 8 || size - STACK_AT - STACK_HEAD < 8 * n)
		return false;
	memcpy(ret->pcs, bytes + STACK_AT + STACK_HEAD, 8 * n);
	return ret->kind < BW_N_RECORD_KINDS;
}

static void take_stack(struct waiting *waiting, const uint8_t *bytes, size_t size)
{
	struct bw_record stack;

	if (!read_stack(bytes, size, &stack))
		return;
	waiting->stacks[stack.kind] = stack;
	waiting->is_valid[stack.kind] = true;
}

static bool put(struct cap_chains *chains, const void *bytes, size_t size)
{
	if (!pd_vec_reserve(&chains->merged, chains->merged.n + size))
		return false;
	memcpy(chains->merged.data + chains->merged.n, bytes, size);
	chains->merged.n += size;
	return true;
}

/** Count what became of the stack of a sample; @p stack is NULL if it was lost. */
static void count(struct cap_chains *chains, const struct bw_record *stack)
{
	struct cap_chains_counts *counts = &chains->counts;

	if (!stack) {
		counts->n_lost++;
	} else if (stack->end < BW_N_ENDS) {
		counts->ends[stack->end]++;
		counts->n_frames += stack->n;
	} else {
		counts->n_unknown += stack->is_missed;
	}
}

/**
 * Write the sample at @p rec with the user part of its chain: that of @p stack or, if there is
 * none, the instruction pointer of a sample in user space.
 */
static bool put_sample(struct cap_chains *chains, const struct pd_record *rec,
	const struct pd_sample *sample, const struct bw_record *stack)
{
	enum { MISC_CPUMODE = 7, MISC_USER = 2, LARGEST = UINT16_MAX & ~7 };
	const uint64_t marker = PD_CONTEXT_USER;
	bool is_user = (rec->misc & MISC_CPUMODE) == MISC_USER;
	const uint64_t *pcs = stack && stack->n ? stack->pcs : &sample->ip;
	uint64_t n = stack && stack->n ? stack->n : is_user;
	const uint8_t *end = sample->callchain.data + 8 * sample->callchain.n;
	size_t before = (size_t)(end - rec->bytes), at = chains->merged.n;

	if (n && rec->size + 8 * (n + 1) > LARGEST)
		n = (LARGEST - rec->size) / 8 > 1 ? (LARGEST - rec->size) / 8 - 1 : 0;
	if (!n)
		return put(chains, rec->bytes, rec->size);
	if (!put(chains, rec->bytes, before) || !put(chains, &marker, 8) ||
		!put(chains, pcs, 8 * n) || !put(chains, end, rec->size - before))
		return false;
	const uint16_t size = (uint16_t)(rec->size + 8 * (n + 1));
	const uint64_t length = sample->callchain.n + n + 1;
	size_t length_at = before - 8 * sample->callchain.n - 8;
	memcpy(chains->merged.data + at + 6, &size, sizeof(size));
	memcpy(chains->merged.data + at + length_at, &length, sizeof(length));
	return true;
}

/** Leave out frames that were found by tables of code that is no longer there. */
static void cut(
	const struct cap_chains *chains, const struct pd_sample *sample, struct bw_record *stack)
{
	uint16_t n = cap_bpf_n_certain(chains->bpf, stack, sample->time);

	if (n == stack->n)
		return;
	stack->n = n;
	stack->end = BW_END_LOADING;
}

/** Write the sample of @p event, which follows its stack. */
static bool merge_sample(struct cap_chains *chains, const struct event *event,
	const struct pd_record *rec, struct waiting *waiting)
{
	struct bw_record *stack =
		waiting->is_valid[event->kind] ? &waiting->stacks[event->kind] : NULL;
	struct pd_sample sample;
	const char *field;

	/* Other events of the tracepoint have samples after the same stack. */
	waiting->is_valid[event->kind] &= event->kind == BW_RECORD_TRACE;
	if (pd_sample_decode(&event->plan, rec, &sample, &field) != PD_SAMPLE_OK ||
		!sample.callchain.data)
		return put(chains, rec->bytes, rec->size);
	/* A stack of another thread belongs to a sample that was lost. */
	if (stack && (stack->tid != sample.tid || stack->pid != sample.pid))
		stack = NULL;
	if (stack && chains->bpf)
		cut(chains, &sample, stack);
	count(chains, stack);
	return put_sample(chains, rec, &sample, stack);
}

/** Whether the kernel says that stacks were lost: their event has an id that is not in the file. */
static bool is_loss_of_stacks(const struct cap_chains *chains, const struct pd_record *rec)
{
	uint64_t id;

	if (rec->type != PD_RECORD_LOST || rec->size < ID_AT + 8)
		return false;
	memcpy(&id, rec->bytes + ID_AT, sizeof(id));
	const uint64_t *event = base_map_find(&chains->events, id);
	return event && !*event;
}

struct pd_error *cap_chains_merge(
	struct cap_chains *chains, const uint8_t *bytes, size_t size, struct cap_merged *ret)
{
	struct pd_record rec;
	struct waiting waiting = { 0 };
	/** Where the stacks at the end begin. */
	size_t at, used = 0;

	chains->merged.n = 0;
	for (at = 0; at < size; at += rec.size) {
		if (!cap_record_read(bytes + at, size - at, &rec))
			return cap_not_records();
		const uint64_t *event = NULL;
		uint64_t id;

		if (rec.type == PD_RECORD_SAMPLE && rec.size >= ID_AT + 8) {
			memcpy(&id, rec.bytes + ID_AT, sizeof(id));
			event = base_map_find(&chains->events, id);
		}
		if (event && !*event) {
			take_stack(&waiting, rec.bytes, rec.size);
			continue;
		}
		/* Samples without their stacks are counted. */
		if (is_loss_of_stacks(chains, &rec))
			continue;
		bool done =
			event ? merge_sample(chains, &chains->list.data[*event - 1], &rec, &waiting)
			      : put(chains, rec.bytes, rec.size);
		if (!done)
			return &pd_enomem;
		used = at + rec.size;
	}
	*ret = (struct cap_merged){ chains->merged.data, chains->merged.n, used };
	return NULL;
}
