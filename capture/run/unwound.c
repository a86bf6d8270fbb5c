#include "capture/run/unwound.h"

#include <stdlib.h>

#include <pdconv/bytes.h>

#include "capture/stack_level.h"
#include "capture/stream.h"
#include "parse/callchain.h"
#include "parse/write/splice.h"

struct cap_unwound {
	struct cap_unwinder unwinder;
	struct cap_stream stream;
	struct parse_callchain_entries chain;
	struct pd_bytes out;
	struct cap_unwound_counts counts;
	/** Where the present round goes. */
	cap_unwound_emit *emit;
	void *ctx;
};

struct pd_error *cap_unwound_create(const struct cap_unwinder *unwinder,
	const struct pd_events *events, struct cap_unwound **ret)
{
	struct cap_unwound *unwound = calloc(1, sizeof(*unwound));

	if (!unwound)
		return &pd_enomem;
	unwound->unwinder = *unwinder;
	cap_stream_init(&unwound->stream, NULL, events);
	*ret = unwound;
	return NULL;
}

void cap_unwound_destroy(struct cap_unwound *unwound)
{
	if (!unwound)
		return;
	cap_stream_deinit(&unwound->stream);
	pd_vec_deinit(&unwound->chain.list);
	pd_bytes_deinit(&unwound->out);
	free(unwound);
}

const struct cap_unwound_counts *cap_unwound_counts(const struct cap_unwound *unwound)
{
	return &unwound->counts;
}

struct pd_error *cap_unwound_add(struct cap_unwound *unwound, const void *records, size_t size)
{
	return cap_stream_add(&unwound->stream, records, size);
}

/** Make the chain of a sample: the kernel's part as it was recorded, then the unwound one. */
static struct pd_error *make_chain(
	struct cap_unwound *unwound, const struct pd_record *rec, const struct pd_sample *sample)
{
	const struct cap_unwinder *unwinder = &unwound->unwinder;
	struct cap_user_chain user;

	unwound->chain.list.n = 0;
	struct pd_error *err = parse_callchain_entries_add(&unwound->chain, sample,
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
static struct pd_error *pass_sample(struct cap_unwound *unwound, const struct pd_record *rec)
{
	const struct pd_event *event = pd_events_find(unwound->stream.events, rec);
	struct pd_sample sample;
	const char *field;

	if (event && !event->attr.sample_stack_user)
		return unwound->emit(unwound->ctx, rec->bytes, rec->size);
	if (!event || pd_sample_decode(&event->plan, rec, &sample, &field) != PD_SAMPLE_OK) {
		unwound->counts.n_left_out++;
		return NULL;
	}
	if (cap_stack_level_of(event->attr.sample_stack_user, sample.stack_user.reserved))
		unwound->counts.n_shortened++;
	struct pd_error *err = make_chain(unwound, rec, &sample);
	if (err)
		return err;
	const struct parse_splice splice = { .chain = unwound->chain.list.data,
		.n = unwound->chain.list.n };
	unwound->out.buf.n = 0;
	if (!parse_sample_splice(&event->plan, rec, &sample, &splice, &unwound->out)) {
		unwound->counts.n_left_out++;
		return NULL;
	}
	if (unwound->out.failed)
		return &pd_enomem;
	return unwound->emit(unwound->ctx, unwound->out.buf.data, unwound->out.buf.n);
}

static struct pd_error *pass(void *ctx, const struct pd_record *rec)
{
	struct cap_unwound *unwound = ctx;
	const struct cap_unwinder *unwinder = &unwound->unwinder;

	if (rec->type == PD_RECORD_SAMPLE)
		return pass_sample(unwound, rec);
	struct pd_error *err = unwinder->add(unwinder->ctx, unwound->stream.events, rec);
	return err ? err : unwound->emit(unwound->ctx, rec->bytes, rec->size);
}

struct pd_error *cap_unwound_round(
	struct cap_unwound *unwound, bool is_end, cap_unwound_emit *emit, void *ctx)
{
	unwound->emit = emit;
	unwound->ctx = ctx;
	return cap_stream_round(&unwound->stream, is_end, pass, unwound);
}
