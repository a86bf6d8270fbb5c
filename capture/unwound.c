#include "capture/unwound.h"

#include <stdlib.h>
#include <string.h>

#include <pdconv/bytes.h>

#include "base/analyzer.h"
#include "base/chunk.h"
#include "capture/capture_opts.h"
#include "capture/stack_level.h"
#include "parse/callchain.h"
#include "parse/order.h"
#include "parse/write/splice.h"

struct cap_unwound {
	struct cap_unwinder unwinder;
	const struct pd_events *events;
	struct pd_order order;
	struct pd_callchain_entries chain;
	struct pd_bytes out;
	struct cap_unwound_counts counts;
};

struct pd_error *cap_unwound_create(const struct cap_unwinder *unwinder,
	const struct pd_events *events, struct cap_unwound **ret)
{
	struct cap_unwound *unwound = calloc(1, sizeof(*unwound));

	if (!unwound)
		return &pd_enomem;
	unwound->unwinder = *unwinder;
	unwound->events = events;
	*ret = unwound;
	return NULL;
}

void cap_unwound_destroy(struct cap_unwound *unwound)
{
	if (!unwound)
		return;
	pd_order_deinit(&unwound->order);
	pd_vec_deinit(&unwound->chain.list);
	pd_bytes_deinit(&unwound->out);
	free(unwound);
}

const struct cap_unwound_counts *cap_unwound_counts(const struct cap_unwound *unwound)
{
	return &unwound->counts;
}

static struct pd_error *queue(struct cap_unwound *unwound, struct pd_chunk *chunk)
{
	struct pd_record rec;

	for (size_t at = 0; at < chunk->size; at += rec.size) {
		if (!cap_ring_record(unwound->events, chunk->bytes + at, chunk->size - at, &rec))
			return pd_error_create(
				PD_ERROR_FORMAT, "ring buffer", "invalid record size");
		/* An old kernel writes no times in records that are not samples. */
		if (rec.time == PD_NO_TIME)
			rec.time = unwound->order.max_seen;
		rec.chunk = chunk;
		if (!pd_order_push(&unwound->order, &rec))
			return &pd_enomem;
	}
	return NULL;
}

struct pd_error *cap_unwound_add(struct cap_unwound *unwound, const void *records, size_t size)
{
	struct pd_chunk *chunk = pd_chunk_create(size);

	if (!chunk)
		return &pd_enomem;
	memcpy(chunk->bytes, records, size);
	struct pd_error *err = queue(unwound, chunk);
	pd_chunk_unref(chunk);
	PD_IS_OWNED(chunk, "records that wait refer to it");
	return err;
}

static void count(
	struct cap_unwound *unwound, const struct pd_event *event, const struct pd_sample *sample)
{
	if (cap_stack_level_of(event->attr.sample_stack_user, sample->stack_user.reserved))
		unwound->counts.n_shortened++;
}

/** Make the chain of a sample: the kernel's part as it was recorded, then the unwound one. */
static struct pd_error *make_chain(
	struct cap_unwound *unwound, const struct pd_record *rec, const struct pd_sample *sample)
{
	const struct cap_unwinder *unwinder = &unwound->unwinder;
	struct cap_user_chain user;

	unwound->chain.list.n = 0;
	struct pd_error *err = pd_callchain_entries_add(&unwound->chain, sample,
		rec->misc & PD_MISC_CPUMODE_MASK, PD_CALLCHAIN_PART_SYSTEM);
	if (!err)
		err = unwinder->unwind(unwinder->ctx, sample, rec->misc, &user);
	if (err)
		return err;
	unwound->counts.ends[user.end]++;
	for (size_t i = 0; i < user.n; i++) {
		if (!pd_vec_push(&unwound->chain.list, user.entries[i]))
			return &pd_enomem;
	}
	return NULL;
}

/**
 * Pass on a sample without its stack. One that cannot be decoded may hold a stack, and is left out,
 * like one that is too large.
 */
static struct pd_error *pass_sample(
	struct cap_unwound *unwound, const struct pd_record *rec, cap_unwound_emit *emit, void *ctx)
{
	const struct pd_event *event = pd_events_find(unwound->events, rec);
	struct pd_sample sample;
	const char *field;

	if (event && !event->attr.sample_stack_user)
		return emit(ctx, rec->bytes, rec->size);
	if (!event || pd_sample_decode(&event->plan, rec, &sample, &field) != PD_SAMPLE_OK) {
		unwound->counts.n_left_out++;
		return NULL;
	}
	count(unwound, event, &sample);
	struct pd_error *err = make_chain(unwound, rec, &sample);
	if (err)
		return err;
	const struct pd_splice splice = { .chain = unwound->chain.list.data,
		.n = unwound->chain.list.n };
	unwound->out.buf.n = 0;
	if (!pd_sample_splice(&event->plan, rec, &sample, &splice, &unwound->out)) {
		unwound->counts.n_left_out++;
		return NULL;
	}
	if (unwound->out.failed)
		return &pd_enomem;
	return emit(ctx, unwound->out.buf.data, unwound->out.buf.n);
}

static struct pd_error *pass(
	struct cap_unwound *unwound, const struct pd_record *rec, cap_unwound_emit *emit, void *ctx)
{
	const struct cap_unwinder *unwinder = &unwound->unwinder;

	if (rec->type == PD_RECORD_SAMPLE)
		return pass_sample(unwound, rec, emit, ctx);
	struct pd_error *err = unwinder->add(unwinder->ctx, unwound->events, rec);
	return err ? err : emit(ctx, rec->bytes, rec->size);
}

struct pd_error *cap_unwound_round(
	struct cap_unwound *unwound, bool is_end, cap_unwound_emit *emit, void *ctx)
{
	struct pd_error *err = NULL;
	struct pd_record rec;

	if (!(is_end ? pd_order_end : pd_order_round)(&unwound->order))
		return &pd_enomem;
	while (!err && pd_order_pop(&unwound->order, &rec)) {
		err = pass(unwound, &rec, emit, ctx);
		pd_record_release(&rec);
	}
	return err;
}
