/* Stacks that BPF wrote, put into the samples that follow them. */
#include "tests/unit/test_recording.h"

#include <pdconv/record.h>
#include <pdconv/sample.h>

#include "capture/bpf/chains.h"

enum { ID = 77, STACKS = 78, TRACE_ID = 79, PID = 40, TID = 41, MISC_KERNEL = 1, MISC_USER = 2 };

static const uint64_t TYPE = (uint64_t)1 << PD_SAMPLE_IDENTIFIER | (uint64_t)1 << PD_SAMPLE_IP |
			     (uint64_t)1 << PD_SAMPLE_TID | (uint64_t)1 << PD_SAMPLE_CALLCHAIN |
			     (uint64_t)1 << PD_SAMPLE_CPU;

/** Merger for one event, and its plan. */
struct fixture {
	struct cap_chains *chains;
	struct pd_plan plan;
	struct bytes ring;
};

static void set_up(struct fixture *f)
{
	struct cap_event event = { .attr = { .size = 128, .sample_type = TYPE } };
	struct cap_event trace = {
		.attr = { .type = PD_TYPE_TRACEPOINT, .size = 128, .sample_type = TYPE }
	};
	struct cap_opened entry = { .event = &event }, trace_entry = { .event = &trace };
	struct cap_session session = { 0 };

	*f = (struct fixture){ 0 };
	pd_plan_compile(&event.attr, &f->plan);
	assert_true(pd_vec_push(&entry.ids, ID));
	assert_true(pd_vec_push(&session.opened, entry));
	assert_true(pd_vec_push(&trace_entry.ids, TRACE_ID));
	assert_true(pd_vec_push(&session.opened, trace_entry));
	assert_ok(cap_chains_create(&session, NULL, &f->chains));
	assert_ok(cap_chains_add_output(f->chains, STACKS));
	pd_vec_deinit(&entry.ids);
	pd_vec_deinit(&trace_entry.ids);
	pd_vec_deinit(&session.opened);
}

static void tear_down(struct fixture *f)
{
	cap_chains_destroy(f->chains);
	free(f->ring.data);
}

static void add(struct fixture *f, uint16_t misc, const void *body, size_t size)
{
	const struct {
		uint32_t type;
		uint16_t misc;
		uint16_t size;
	} header = { PD_RECORD_SAMPLE, misc, (uint16_t)(sizeof(header) + size) };

	bytes_add(&f->ring, &header, sizeof(header));
	bytes_add(&f->ring, body, size);
}

/* A sample of the event @p id with @p n links of the kernel. */
static void add_chain_of(struct fixture *f, uint64_t id, uint16_t misc, uint32_t tid, uint64_t n)
{
	uint64_t body[5 + 2] = { id, 0x1000, PID | (uint64_t)tid << 32, 3, n, PD_CONTEXT_KERNEL,
		UINT64_MAX - 0xfff };

	add(f, misc, body, (5 + n) * 8);
}

static void add_chain(struct fixture *f, uint16_t misc, uint32_t tid, uint64_t n)
{
	add_chain_of(f, ID, misc, tid, n);
}

/* A stack of @p n addresses, from 0x5000 on. */
static void add_stack_of(struct fixture *f, uint32_t kind, uint32_t tid, uint16_t n, uint8_t end)
{
	struct {
		uint64_t id;
		uint32_t size;
		uint8_t data[sizeof(struct bw_record)];
	} __attribute__((packed)) body = { .id = STACKS };
	struct bw_record stack = { .pid = PID, .tid = tid, .kind = kind, .n = n, .end = end };
	size_t size = offsetof(struct bw_record, pcs) + 8 * n;

	for (uint16_t i = 0; i < n; i++)
		stack.pcs[i] = 0x5000 + i;
	/* The kernel pads the data to a multiple of 8 bytes with its size. */
	body.size = (uint32_t)size + 4;
	memcpy(body.data, &stack, size);
	add(f, MISC_USER, &body, 8 + 4 + size + 4);
}

static void add_stack(struct fixture *f, uint32_t tid, uint16_t n, uint8_t end)
{
	add_stack_of(f, BW_RECORD_SAMPLE, tid, n, end);
}

/* The chain of the sample at @p at of @p merged; moves on. */
static struct pd_sample next(const struct fixture *f, const struct cap_merged *merged, size_t *at)
{
	struct pd_record rec;
	struct pd_sample sample;
	const char *field;

	assert_true(cap_record_read(merged->bytes + *at, merged->size - *at, &rec));
	assert_int_equal(pd_sample_decode(&f->plan, &rec, &sample, &field), PD_SAMPLE_OK);
	*at += rec.size;
	return sample;
}

static void expect_chain(const struct pd_sample *sample, const uint64_t *expected, size_t n)
{
	assert_int_equal(sample->callchain.n, n);
	for (size_t i = 0; i < n; i++)
		assert_true(pd_view_u64(&sample->callchain, i) == expected[i]);
}

static void merges(void **state)
{
	const uint64_t user[] = { PD_CONTEXT_USER, 0x5000, 0x5001, 0x5002 };
	const uint64_t both[] = { PD_CONTEXT_KERNEL, UINT64_MAX - 0xfff, PD_CONTEXT_USER, 0x5000 };
	const uint64_t leaf[] = { PD_CONTEXT_USER, 0x1000 };
	struct cap_merged merged;
	struct pd_sample sample;
	struct fixture f;
	size_t at = 0;

	(void)state;
	set_up(&f);
	add_stack(&f, TID, 3, BW_END_ROOT);
	add_chain(&f, MISC_USER, TID, 0);
	add_stack(&f, TID, 1, BW_END_MEMORY);
	add_chain(&f, MISC_KERNEL, TID, 2);
	/* The stack of a sample that was lost, and a sample whose stack was lost. */
	add_stack(&f, TID + 1, 2, BW_END_ROOT);
	add_chain(&f, MISC_USER, TID, 0);
	/* A kernel thread has no user stack. */
	add_stack(&f, TID, 0, BW_N_ENDS);
	add_chain(&f, MISC_KERNEL, TID, 2);
	assert_ok(cap_chains_merge(f.chains, f.ring.data, f.ring.n, &merged));
	assert_int_equal(merged.used, f.ring.n);
	sample = next(&f, &merged, &at);
	expect_chain(&sample, user, 4);
	assert_int_equal(sample.cpu, 3);
	sample = next(&f, &merged, &at);
	expect_chain(&sample, both, 4);
	sample = next(&f, &merged, &at);
	expect_chain(&sample, leaf, 2);
	sample = next(&f, &merged, &at);
	expect_chain(&sample, both, 2);
	assert_int_equal(at, merged.size);
	const struct cap_chains_counts *counts = cap_chains_counts(f.chains);
	assert_int_equal(counts->ends[BW_END_ROOT], 1);
	assert_int_equal(counts->ends[BW_END_MEMORY], 1);
	assert_int_equal(counts->n_frames, 4);
	assert_int_equal(counts->n_lost, 1);
	tear_down(&f);
}

/* A stack at the end of the ring waits for its sample. */
static void waits(void **state)
{
	struct cap_merged merged;
	struct pd_sample sample;
	struct fixture f;
	size_t at = 0;

	(void)state;
	set_up(&f);
	add_chain(&f, MISC_USER, TID, 0);
	size_t first = f.ring.n;
	add_stack(&f, TID, 2, BW_END_ROOT);
	assert_ok(cap_chains_merge(f.chains, f.ring.data, f.ring.n, &merged));
	assert_int_equal(merged.used, first);
	next(&f, &merged, &at);
	assert_int_equal(at, merged.size);
	add_chain(&f, MISC_USER, TID, 0);
	assert_ok(cap_chains_merge(f.chains, f.ring.data + first, f.ring.n - first, &merged));
	at = 0;
	sample = next(&f, &merged, &at);
	assert_int_equal(sample.callchain.n, 3);
	tear_down(&f);
}

/* The stack of a tracepoint is for the samples of all its events, and others may be in between. */
static void merges_traces(void **state)
{
	static const uint64_t lengths[] = { 2, 3, 4, 4, 2 };
	struct cap_merged merged;
	struct fixture f;
	size_t at = 0;

	(void)state;
	set_up(&f);
	/* A stack for an event that overflows is not for a tracepoint. */
	add_stack(&f, TID, 1, BW_END_ROOT);
	add_chain_of(&f, TRACE_ID, MISC_USER, TID, 0);
	add_stack_of(&f, BW_RECORD_TRACE, TID, 3, BW_END_ROOT);
	add_stack(&f, TID, 2, BW_END_ROOT);
	add_chain(&f, MISC_USER, TID, 0);
	add_chain_of(&f, TRACE_ID, MISC_USER, TID, 0);
	add_chain_of(&f, TRACE_ID, MISC_USER, TID, 0);
	add_chain(&f, MISC_USER, TID, 0);
	/* A stack of no kind that is known. */
	add_stack_of(&f, BW_N_RECORD_KINDS, TID, 5, BW_END_ROOT);
	assert_ok(cap_chains_merge(f.chains, f.ring.data, f.ring.n, &merged));
	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		struct pd_sample sample = next(&f, &merged, &at);

		assert_int_equal(sample.callchain.n, lengths[i]);
	}
	assert_int_equal(at, merged.size);
	assert_int_equal(cap_chains_counts(f.chains)->ends[BW_END_ROOT], 3);
	assert_int_equal(cap_chains_counts(f.chains)->n_lost, 2);
	tear_down(&f);
}

static void rejects_damage(void **state)
{
	struct cap_merged merged;
	struct fixture f;

	(void)state;
	set_up(&f);
	add_chain(&f, MISC_USER, TID, 0);
	struct pd_error *err = cap_chains_merge(f.chains, f.ring.data, f.ring.n - 8, &merged);
	assert_non_null(err);
	assert_int_equal(err->code, PD_ERROR_FORMAT);
	pd_error_destroy(err);
	tear_down(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(merges),
		cmocka_unit_test(waits),
		cmocka_unit_test(merges_traces),
		cmocka_unit_test(rejects_damage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
