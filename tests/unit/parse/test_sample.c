/* Samples: plans, every field, every cut. */
#include "tests/unit/test.h"

#include <pdconv/sample.h>

#include "base/array.h"

struct bytes {
	uint8_t data[4096];
	size_t n;
};

static void put(struct bytes *b, uint64_t value, size_t size)
{
	for (size_t i = 0; i < size; i++)
		b->data[b->n++] = (uint8_t)(value >> (8 * i));
}

static void u64(struct bytes *b, uint64_t value)
{
	put(b, value, 8);
}

static void start(struct bytes *b, uint32_t type, uint16_t misc)
{
	b->n = 0;
	put(b, type, 4);
	put(b, misc, 2);
	put(b, 0, 2);
}

static struct pd_record finish(struct bytes *b)
{
	b->data[6] = (uint8_t)b->n;
	b->data[7] = (uint8_t)(b->n >> 8);
	return (struct pd_record){
		.type = b->data[0],
		.misc = (uint16_t)(b->data[4] | b->data[5] << 8),
		.size = (uint16_t)b->n,
		.bytes = b->data,
	};
}

static uint64_t bit(enum pd_sample_bit b)
{
	return (uint64_t)1 << b;
}

/* All fields, except for those that cannot be combined. */
static struct pd_attr full_attr(void)
{
	return (struct pd_attr){
		.sample_type = 0x1ffffffu & ~bit(PD_SAMPLE_WEIGHT_STRUCT),
		.read_format = PD_READ_GROUP | PD_READ_ID | PD_READ_TIME_ENABLED,
		.branch_sample_type = PD_BRANCH_HW_INDEX,
		.sample_regs_user = 0x7,
		.sample_regs_intr = 0x3,
		.sample_stack_user = 16,
		.flags = (uint64_t)1 << PD_ATTR_sample_id_all,
	};
}

/* Sample with all fields in the order of perf_output_sample() in kernel/events/core.c. */
static struct pd_record full_sample(struct bytes *b)
{
	start(b, PD_RECORD_SAMPLE, PD_MISC_USER);
	u64(b, 101); /* identifier */
	u64(b, 0x401000);
	put(b, 11, 4);
	put(b, 12, 4);
	u64(b, 5000);
	u64(b, 0xadd0);
	u64(b, 101);
	u64(b, 102);
	put(b, 3, 4);
	put(b, 0, 4);
	u64(b, 777); /* period */
	u64(b, 2);   /* read: nr, time enabled, two of (value, id) */
	for (int i = 0; i < 5; i++)
		u64(b, 1000 + (uint64_t)i);
	u64(b, 2); /* call chain */
	u64(b, PD_CONTEXT_USER);
	u64(b, 0x401000);
	put(b, 4, 4); /* raw */
	put(b, 0xaabbccdd, 4);
	u64(b, 1); /* branch stack */
	u64(b, 9);
	for (int i = 0; i < 3; i++)
		u64(b, 2000 + (uint64_t)i);
	u64(b, PD_REGS_ABI_64);
	for (int i = 0; i < 3; i++)
		u64(b, 3000 + (uint64_t)i);
	u64(b, 16); /* stack */
	u64(b, 4000);
	u64(b, 4001);
	u64(b, 8);
	u64(b, 21); /* weight */
	u64(b, 22); /* data source */
	u64(b, 23); /* transaction */
	u64(b, PD_REGS_ABI_64);
	u64(b, 31);
	u64(b, 32);
	u64(b, 41); /* physical address */
	u64(b, 42); /* cgroup */
	u64(b, 43);
	u64(b, 44);
	u64(b, 8); /* aux */
	u64(b, 45);
	return finish(b);
}

static void every_field_is_decoded(void **state)
{
	struct pd_attr attr = full_attr();
	struct pd_plan plan;
	struct bytes b;
	struct pd_record rec = full_sample(&b);
	struct pd_sample s;
	const char *field;

	(void)state;
	pd_plan_compile(&attr, &plan);
	assert_int_equal(pd_sample_decode(&plan, &rec, &s, &field), PD_SAMPLE_OK);
	assert_int_equal(s.id, 101);
	assert_int_equal(s.ip, 0x401000);
	assert_int_equal(s.pid, 11);
	assert_int_equal(s.tid, 12);
	assert_int_equal(s.time, 5000);
	assert_int_equal(s.addr, 0xadd0);
	assert_int_equal(s.stream_id, 102);
	assert_int_equal(s.cpu, 3);
	assert_int_equal(s.period, 777);
	assert_int_equal(s.read.n, 48);
	assert_int_equal(s.callchain.n, 2);
	assert_int_equal(s.raw.n, 4);
	assert_int_equal(s.branch_stack.entries.n, 1);
	assert_int_equal(s.branch_stack.hw_idx, 9);
	assert_int_equal(s.regs_user.abi, PD_REGS_ABI_64);
	assert_int_equal(s.regs_user.values.n, 3);
	assert_int_equal(s.stack_user.reserved, 16);
	assert_int_equal(s.stack_user.bytes.n, 8);
	assert_int_equal(s.weight, 21);
	assert_int_equal(s.data_src, 22);
	assert_int_equal(s.transaction, 23);
	assert_int_equal(s.regs_intr.values.n, 2);
	assert_int_equal(s.phys_addr, 41);
	assert_int_equal(s.cgroup, 42);
	assert_int_equal(s.data_page_size, 43);
	assert_int_equal(s.code_page_size, 44);
	assert_int_equal(s.aux.n, 8);
	assert_int_equal(plan.sample_id_at, 8);
	assert_int_equal(plan.sample_time_at, 32);
}

static void every_truncation_is_detected(void **state)
{
	struct pd_attr attr = full_attr();
	struct pd_plan plan;
	struct bytes b;
	struct pd_record rec = full_sample(&b);

	(void)state;
	pd_plan_compile(&attr, &plan);
	for (size_t cut = PD_RECORD_HEADER_BYTES; cut < b.n; cut++) {
		uint8_t *copy = malloc(cut);
		struct pd_record part = rec;
		struct pd_sample s;
		const char *field = NULL;

		memcpy(copy, b.data, cut);
		part.bytes = copy;
		part.size = (uint16_t)cut;
		assert_int_equal(pd_sample_decode(&plan, &part, &s, &field), PD_SAMPLE_SHORT);
		assert_non_null(field);
		free(copy);
	}
}

static void leftover_is_noticed(void **state)
{
	struct pd_attr attr = { .sample_type = bit(PD_SAMPLE_IP) };
	struct pd_plan plan;
	struct bytes b;
	struct pd_sample s;
	const char *field;

	(void)state;
	start(&b, PD_RECORD_SAMPLE, PD_MISC_USER);
	u64(&b, 1);
	u64(&b, 2);
	struct pd_record rec = finish(&b);
	pd_plan_compile(&attr, &plan);
	assert_int_equal(pd_sample_decode(&plan, &rec, &s, &field), PD_SAMPLE_LEFTOVER);
	assert_int_equal(s.ip, 1);
	/* With an unknown bit in sample_type, leftover bytes may belong to its field. */
	attr.sample_type |= (uint64_t)1 << 40;
	pd_plan_compile(&attr, &plan);
	assert_int_equal(pd_sample_decode(&plan, &rec, &s, &field), PD_SAMPLE_OK);
}

static void period_has_a_default(void **state)
{
	struct pd_attr attr = { .sample_type = bit(PD_SAMPLE_IP), .sample_period = 4242 };
	struct pd_plan plan;
	struct bytes b;
	struct pd_sample s;
	const char *field;

	(void)state;
	start(&b, PD_RECORD_SAMPLE, PD_MISC_USER);
	u64(&b, 1);
	struct pd_record rec = finish(&b);
	pd_plan_compile(&attr, &plan);
	assert_int_equal(pd_sample_decode(&plan, &rec, &s, &field), PD_SAMPLE_OK);
	assert_int_equal(s.period, 4242);
	attr.flags = (uint64_t)1 << PD_ATTR_freq;
	pd_plan_compile(&attr, &plan);
	assert_int_equal(pd_sample_decode(&plan, &rec, &s, &field), PD_SAMPLE_OK);
	assert_int_equal(s.period, 1);
}

/* Kernels omit hw_idx if they have no branch data. */
static void hw_idx_may_be_missing(void **state)
{
	struct pd_attr attr = {
		.sample_type = bit(PD_SAMPLE_BRANCH_STACK) | bit(PD_SAMPLE_DATA_SRC),
		.branch_sample_type = PD_BRANCH_HW_INDEX,
	};
	struct pd_plan plan;
	struct bytes b;
	struct pd_sample s;
	const char *field;

	(void)state;
	pd_plan_compile(&attr, &plan);
	for (int with = 0; with < 2; with++) {
		start(&b, PD_RECORD_SAMPLE, PD_MISC_USER);
		u64(&b, 0);
		if (with)
			u64(&b, 77);
		u64(&b, 55);
		struct pd_record rec = finish(&b);
		assert_int_equal(pd_sample_decode(&plan, &rec, &s, &field), PD_SAMPLE_OK);
		assert_int_equal(s.data_src, 55);
		assert_int_equal(s.branch_stack.hw_idx, with ? 77 : 0);
	}
}

static void empty_parts_have_no_tail(void **state)
{
	struct pd_attr attr = {
		.sample_type = bit(PD_SAMPLE_REGS_USER) | bit(PD_SAMPLE_STACK_USER),
		.sample_regs_user = 0xff0fff,
	};
	struct pd_plan plan;
	struct bytes b;
	struct pd_sample s;
	const char *field;

	(void)state;
	start(&b, PD_RECORD_SAMPLE, PD_MISC_KERNEL);
	u64(&b, PD_REGS_ABI_NONE);
	u64(&b, 0);
	struct pd_record rec = finish(&b);
	pd_plan_compile(&attr, &plan);
	assert_int_equal(pd_sample_decode(&plan, &rec, &s, &field), PD_SAMPLE_OK);
	assert_int_equal(s.regs_user.values.n, 0);
	assert_int_equal(s.stack_user.bytes.n, 0);
}

static void counts_are_checked(void **state)
{
	const uint64_t types[] = { bit(PD_SAMPLE_CALLCHAIN), bit(PD_SAMPLE_BRANCH_STACK),
		bit(PD_SAMPLE_STACK_USER), bit(PD_SAMPLE_AUX), bit(PD_SAMPLE_READ) };
	const uint64_t counts[] = { 3, UINT64_MAX, UINT64_MAX / 8, UINT64_MAX / 24 + 1 };

	(void)state;
	for (size_t t = 0; t < PD_ARRAY_LEN(types); t++) {
		for (size_t c = 0; c < PD_ARRAY_LEN(counts); c++) {
			struct pd_attr attr = {
				.sample_type = types[t],
				.read_format = PD_READ_GROUP,
			};
			struct pd_plan plan;
			struct bytes b;
			struct pd_sample s;
			const char *field;

			start(&b, PD_RECORD_SAMPLE, PD_MISC_USER);
			u64(&b, counts[c]);
			u64(&b, 1);
			struct pd_record rec = finish(&b);
			pd_plan_compile(&attr, &plan);
			/* Three bytes of stack or AUX data fit. */
			int result = pd_sample_decode(&plan, &rec, &s, &field);
			assert_true(result == PD_SAMPLE_SHORT ||
				    (c == 0 && types[t] == bit(PD_SAMPLE_AUX)));
		}
	}
}

static void trailer_is_read_from_the_end(void **state)
{
	struct pd_attr attr = {
		.sample_type = bit(PD_SAMPLE_TID) | bit(PD_SAMPLE_TIME) | bit(PD_SAMPLE_CPU) |
			       bit(PD_SAMPLE_IDENTIFIER) | bit(PD_SAMPLE_IP),
		.flags = (uint64_t)1 << PD_ATTR_sample_id_all,
	};
	struct pd_plan plan;
	struct bytes b;

	(void)state;
	pd_plan_compile(&attr, &plan);
	assert_int_equal(plan.sid_bytes, 32);
	start(&b, PD_RECORD_SWITCH, 0);
	put(&b, 7, 4);
	put(&b, 8, 4);
	u64(&b, 99);
	put(&b, 2, 4);
	put(&b, 0, 4);
	u64(&b, 1234);
	struct pd_record rec = finish(&b);
	struct pd_sid sid = pd_sid_decode(&plan, &rec);
	assert_int_equal(sid.pid, 7);
	assert_int_equal(sid.tid, 8);
	assert_int_equal(sid.time, 99);
	assert_int_equal(sid.cpu, 2);
	assert_int_equal(sid.id, 1234);
	assert_int_equal(plan.sid_id_from_end, 8);
	assert_int_equal(plan.sid_time_from_end, 24);
	rec.size = 16;
	sid = pd_sid_decode(&plan, &rec);
	assert_int_equal(sid.id, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_field_is_decoded),
		cmocka_unit_test(every_truncation_is_detected),
		cmocka_unit_test(leftover_is_noticed),
		cmocka_unit_test(period_has_a_default),
		cmocka_unit_test(hw_idx_may_be_missing),
		cmocka_unit_test(empty_parts_have_no_tail),
		cmocka_unit_test(counts_are_checked),
		cmocka_unit_test(trailer_is_read_from_the_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
