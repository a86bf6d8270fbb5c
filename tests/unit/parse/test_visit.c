/* Samples with every field: encoded, byteswapped, truncated, and visited. */
#include "tests/unit/test.h"

#include "base/array.h"
#include "parse/event_index.h"
#include "parse/write/byteswap.h"
#include <pdconv/visitor.h>

enum {
	N_IPS = 3,
	N_BRANCHES = 2,
	STACK_BYTES = 16,
	ALL_READ_FORMATS = 32,
};

static uint64_t words[16];

static void fill_words(void)
{
	for (size_t i = 0; i < PD_ARRAY_LEN(words); i++)
		words[i] = 0x0102030405060708U * (i + 1) + 0x1122334455667788U;
}

static struct pd_view view_of(const void *data, uint32_t elem_size, uint64_t n)
{
	return (struct pd_view){ .data = data, .elem_size = elem_size, .n = n };
}

static uint64_t read_bytes(uint64_t format)
{
	uint64_t n_times = !!(format & PD_READ_TIME_ENABLED) + !!(format & PD_READ_TIME_RUNNING);
	uint64_t n_each = 1 + !!(format & PD_READ_ID) + !!(format & PD_READ_LOST);

	return format & PD_READ_GROUP ? (1 + n_times + 2 * n_each) * 8 : (n_times + n_each) * 8;
}

/* A sample in native byte order, with content in every field. */
static struct pd_sample full_sample(const struct pd_attr *attr)
{
	struct pd_sample sample = {
		.id = 0x11,
		.ip = 0x7f0000001234,
		.pid = 100,
		.tid = 101,
		.time = 123456789,
		.addr = 0xabcdef,
		.stream_id = 0x22,
		.cpu = 3,
		.cpu_reserved = 4,
		.period = 1000,
		.callchain = view_of(words, 8, N_IPS),
		.raw = view_of("rawdata bytes", 1, 12),
		.branch_stack = {
			.entries = view_of(words, 24, N_BRANCHES),
			.hw_idx = 9,
		},
		.regs_user = { .abi = PD_REGS_ABI_64, .mask = attr->sample_regs_user,
			.values = view_of(words, 8, 3) },
		.stack_user = { .bytes = view_of(words, 1, 8), .reserved = STACK_BYTES,
			.dyn_size = 8 },
		.weight = 0x0003000200000001,
		.data_src = 0x68100142,
		.transaction = 0x500000003,
		.regs_intr = { .abi = PD_REGS_ABI_32, .mask = attr->sample_regs_intr,
			.values = view_of(words, 8, 2) },
		.phys_addr = 0x33,
		.cgroup = 0x44,
		.data_page_size = 4096,
		.code_page_size = 8192,
		.aux = view_of("auxiliary", 1, 8),
	};

	if (attr->branch_sample_type & PD_BRANCH_COUNTERS)
		sample.branch_stack.counters = view_of(words, 8, N_BRANCHES);
	words[0] = 2; /* nr of a group read */
	sample.read = view_of(words, 1, read_bytes(attr->read_format));
	return sample;
}

/* Byteswapping must yield the bytes that were encoded in the other byte order. */
static void check_byteswapped(const struct pd_attr *attr, const struct pd_record *rec,
	const struct pd_bytes turns[static 2])
{
	struct pd_events events = { 0 };
	const struct pd_layout_env env = { 0 };
	uint8_t *to = malloc(rec->size);

	assert_ok(parse_events_add(&events, attr));
	assert_int_equal(parse_byteswap_record(&events, &env, rec, to), PD_BYTESWAPPED_ALL);
	assert_memory_equal(to, turns[1].buf.data, rec->size);
	free(to);
	parse_events_deinit(&events);
}

/* Encode, decode, encode in the other order, and back: the bytes must be the same again. */
static void check_round_trips(const struct pd_attr *attr)
{
	struct pd_sample sample = full_sample(attr);
	struct pd_bytes turns[3] = { [1] = { .swap = true } };
	struct pd_plan plan;

	pd_plan_compile(attr, &plan);
	assert_true(pd_sample_encode(&plan, PD_MISC_USER, &sample, &turns[0]));
	for (int i = 1; i < 3; i++) {
		const struct pd_bytes *from = &turns[i - 1];
		struct pd_record rec = {
			.type = PD_RECORD_SAMPLE,
			.misc = PD_MISC_USER,
			.bytes = from->buf.data,
			.size = (uint16_t)from->buf.n,
			.swap = from->swap,
		};
		struct pd_sample decoded;
		const char *field;

		assert_int_equal(pd_sample_decode(&plan, &rec, &decoded, &field), PD_SAMPLE_OK);
		assert_true(pd_sample_encode(&plan, PD_MISC_USER, &decoded, &turns[i]));
		check_byteswapped(attr, &rec, from);
	}
	assert_int_equal(turns[0].buf.n, turns[1].buf.n);
	assert_memory_not_equal(turns[0].buf.data, turns[1].buf.data, turns[0].buf.n);
	assert_int_equal(turns[0].buf.n, turns[2].buf.n);
	assert_memory_equal(turns[0].buf.data, turns[2].buf.data, turns[0].buf.n);
	for (int i = 0; i < 3; i++)
		pd_bytes_deinit(&turns[i]);
}

static struct pd_attr attr_of(uint64_t sample_type)
{
	return (struct pd_attr){
		.sample_type = sample_type,
		.read_format = PD_READ_ID,
		.branch_sample_type = PD_BRANCH_HW_INDEX | PD_BRANCH_COUNTERS,
		.sample_regs_user = 0x111,
		.sample_regs_intr = 0x3,
		.flags = (uint64_t)1 << PD_ATTR_sample_id_all,
	};
}

/* Every bit of sample_type except WEIGHT, which has the same place as WEIGHT_STRUCT. */
static uint64_t all_fields(void)
{
	uint64_t type = 0;

	for (size_t bit = 0; bit < pd_names_sample_type.n; bit++) {
		if (pd_names_sample_type.names[bit] && bit != PD_SAMPLE_WEIGHT)
			type |= (uint64_t)1 << bit;
	}
	return type;
}

static void every_field_is_byteswapped(void **state)
{
	(void)state;
	for (size_t bit = 0; bit < pd_names_sample_type.n; bit++) {
		struct pd_attr attr = attr_of((uint64_t)1 << bit);
		check_round_trips(&attr);
	}
	struct pd_attr attr = attr_of(all_fields());
	check_round_trips(&attr);
}

static void every_read_format_is_byteswapped(void **state)
{
	(void)state;
	for (uint64_t format = 0; format < ALL_READ_FORMATS; format++) {
		struct pd_attr attr = attr_of((uint64_t)1 << PD_SAMPLE_READ);

		attr.read_format = format;
		check_round_trips(&attr);
	}
}

static void every_branch_layout_is_byteswapped(void **state)
{
	static const uint64_t types[] = { 0, PD_BRANCH_HW_INDEX, PD_BRANCH_COUNTERS };

	(void)state;
	for (size_t i = 0; i < PD_ARRAY_LEN(types); i++) {
		struct pd_attr attr = attr_of((uint64_t)1 << PD_SAMPLE_BRANCH_STACK);

		attr.branch_sample_type = types[i];
		check_round_trips(&attr);
	}
}

static void bitfields_have_the_layout_of_big_endian_compilers(void **state)
{
	/* mispred 63, cycles 44-59, type 40-43, spec 38-39, priv 31-33. */
	uint64_t big = (uint64_t)1 << 63 | (uint64_t)0x1234 << 44 | (uint64_t)5 << 40 |
		       (uint64_t)2 << 38 | (uint64_t)3 << 31;
	uint64_t little = 1 | 0x1234 << 4 | 5 << 20 | 2 << 24 | (uint64_t)3 << 30;

	(void)state;
	assert_int_equal(pd_bitfields_byteswap(&pd_bitfields_branch_flags, big, true), little);
	assert_int_equal(pd_bitfields_byteswap(&pd_bitfields_branch_flags, little, false), big);
}

/*
 * Bytes after the last field are kept, and a truncated sample is byteswapped up to its end.
 * Byteswapping twice restores it.
 */
static void damaged_samples_are_byteswapped_up_to_the_damage(void **state)
{
	struct pd_attr attr = attr_of(all_fields());
	struct pd_sample sample = full_sample(&attr);
	struct pd_events events = { 0 };
	const struct pd_layout_env env = { 0 };
	struct pd_bytes bytes = { 0 };
	struct pd_plan plan;

	(void)state;
	pd_plan_compile(&attr, &plan);
	assert_true(pd_sample_encode(&plan, 0, &sample, &bytes));
	size_t whole = bytes.buf.n;
	pd_bytes_put(&bytes, "more....", 8);
	assert_ok(parse_events_add(&events, &attr));
	for (size_t size = PD_RECORD_HEADER_BYTES; size <= bytes.buf.n; size++) {
		uint8_t *turned[2] = { malloc(size), malloc(size) };
		struct pd_record rec = { .type = PD_RECORD_SAMPLE, .bytes = bytes.buf.data };

		rec.size = (uint32_t)size;
		assert_int_equal(parse_byteswap_record(&events, &env, &rec, turned[0]),
			size == whole ? PD_BYTESWAPPED_ALL : PD_BYTESWAPPED_PARTLY);
		rec.bytes = turned[0];
		rec.swap = true;
		parse_byteswap_record(&events, &env, &rec, turned[1]);
		assert_memory_equal(turned[1], bytes.buf.data, size);
		free(turned[0]);
		free(turned[1]);
	}
	parse_events_deinit(&events);
	pd_bytes_deinit(&bytes);
}

/* Bytes that were visited. */
struct coverage {
	uint8_t seen[512];
	size_t n_values;
	size_t depth;
	size_t n_damages;
};

static void cover(void *ctx, const struct pd_value *value)
{
	struct coverage *coverage = ctx;

	assert_non_null(value->name);
	assert_true(value->at + value->size <= sizeof(coverage->seen));
	memset(coverage->seen + value->at, 1, value->size);
	coverage->n_values++;
}

static void go_in(void *ctx, const char *name, bool is_list)
{
	struct coverage *coverage = ctx;

	(void)name, (void)is_list;
	coverage->depth++;
}

static void go_out(void *ctx)
{
	struct coverage *coverage = ctx;

	assert_true(coverage->depth--);
}

static void hurt(void *ctx, const char *name, const char *message)
{
	struct coverage *coverage = ctx;

	(void)name;
	assert_non_null(message);
	coverage->n_damages++;
}

static struct coverage walk(const struct pd_record *rec, const struct pd_plan *plan)
{
	struct coverage coverage = { 0 };
	const struct pd_visitor visitor = { &coverage, cover, go_in, go_out, hurt };

	pd_visit_record(rec, plan, NULL, &visitor);
	assert_int_equal(coverage.depth, 0);
	return coverage;
}

/* Another event of the group may ask for counters, or the kernel may have none. */
static void counters_are_where_the_record_shows_them(void **state)
{
	uint64_t type = (uint64_t)1 << PD_SAMPLE_BRANCH_STACK | (uint64_t)1 << PD_SAMPLE_CGROUP;

	(void)state;
	for (int has_counters = 0; has_counters < 2; has_counters++) {
		struct pd_attr attr = attr_of(type);
		struct pd_bytes bytes = { 0 };
		struct pd_plan plan;
		struct pd_sample decoded;
		const char *field;

		attr.branch_sample_type = has_counters ? PD_BRANCH_COUNTERS : 0;
		struct pd_sample sample = full_sample(&attr);
		pd_plan_compile(&attr, &plan);
		assert_true(pd_sample_encode(&plan, 0, &sample, &bytes));
		struct pd_record rec = {
			.type = PD_RECORD_SAMPLE,
			.bytes = bytes.buf.data,
			.size = (uint32_t)bytes.buf.n,
		};
		attr.branch_sample_type ^= PD_BRANCH_COUNTERS;
		pd_plan_compile(&attr, &plan);
		assert_int_equal(pd_sample_decode(&plan, &rec, &decoded, &field), PD_SAMPLE_OK);
		assert_int_equal(decoded.branch_stack.entries.n, N_BRANCHES);
		assert_int_equal(decoded.branch_stack.counters.n, has_counters ? N_BRANCHES : 0);
		assert_int_equal(decoded.cgroup, sample.cgroup);
		assert_int_equal(walk(&rec, &plan).n_damages, 0);
		pd_bytes_deinit(&bytes);
	}
}

/* Name of the field in which a record ends. */
static void note_damage(void *ctx, const char *name, const char *message)
{
	(void)message;
	*(const char **)ctx = name;
}

static void skip_value(void *ctx, const struct pd_value *value)
{
	(void)ctx, (void)value;
}

static void skip_in(void *ctx, const char *name, bool is_list)
{
	(void)ctx, (void)name, (void)is_list;
}

static void skip_out(void *ctx)
{
	(void)ctx;
}

static void keep_flags(void *ctx, const struct pd_value *value)
{
	if (strcmp(value->name, "flags") == 0)
		*(struct pd_value *)ctx = *value;
}

static void expect_no_damage(void *ctx, const char *name, const char *message)
{
	(void)ctx;
	fail_msg("%s: %s", name, message);
}

/* Flags of an AUX record are a mask. Bits 8 to 15, the format, have no names. */
static void flags_of_aux_have_names(void **state)
{
	struct pd_value flags = { 0 };
	const struct pd_visitor visitor = { &flags, keep_flags, skip_in, skip_out,
		expect_no_damage };
	const uint64_t body[] = { 0, 4096, 0x109 };
	uint8_t bytes[PD_RECORD_HEADER_BYTES + sizeof(body)] = { PD_RECORD_AUX };
	const struct pd_record rec = {
		.type = PD_RECORD_AUX, .size = sizeof(bytes), .bytes = bytes
	};

	(void)state;
	memcpy(bytes + PD_RECORD_HEADER_BYTES, body, sizeof(body));
	pd_visit_record(&rec, NULL, NULL, &visitor);
	assert_int_equal(flags.type, PD_VALUE_MASK);
	assert_int_equal(flags.number, 0x109);
	assert_int_equal(flags.n_names, 4);
	assert_string_equal(flags.names[0], "truncated");
	assert_string_equal(flags.names[3], "collision");
}

/* A record that ends in the counters of its branches is damaged there, not in the next field. */
static void damaged_counters_are_named(void **state)
{
	const uint64_t type = (uint64_t)1 << PD_SAMPLE_BRANCH_STACK |
			      (uint64_t)1 << PD_SAMPLE_REGS_USER | (uint64_t)1 << PD_SAMPLE_CGROUP;
	struct pd_attr attr = attr_of(type);
	struct pd_events events = { 0 };
	const struct pd_layout_env env = { 0 };
	struct pd_bytes bytes = { 0 };
	struct pd_plan plan;
	size_t counters_at;

	(void)state;
	attr.branch_sample_type = PD_BRANCH_COUNTERS;
	struct pd_sample sample = full_sample(&attr);
	counters_at = PD_RECORD_HEADER_BYTES + 8 + sizeof(uint64_t[3]) * N_BRANCHES;
	pd_plan_compile(&attr, &plan);
	assert_ok(parse_events_add(&events, &attr));
	assert_true(pd_sample_encode(&plan, 0, &sample, &bytes));
	for (size_t size = counters_at; size < counters_at + 8 * N_BRANCHES; size++) {
		const char *field = NULL;
		const char *visited = NULL;
		const struct pd_visitor visitor = { &visited, skip_value, skip_in, skip_out,
			note_damage };
		struct pd_record rec = { .type = PD_RECORD_SAMPLE, .bytes = bytes.buf.data };
		uint8_t *turned = malloc(size);

		rec.size = (uint32_t)size;
		assert_int_equal(pd_sample_decode(&plan, &rec, &sample, &field), PD_SAMPLE_SHORT);
		assert_string_equal(field, "BRANCH_STACK");
		pd_visit_record(&rec, &plan, NULL, &visitor);
		assert_string_equal(visited, "BRANCH_STACK");
		assert_int_equal(
			parse_byteswap_record(&events, &env, &rec, turned), PD_BYTESWAPPED_PARTLY);
		/* The bytes of the damaged field are left as they are. */
		assert_memory_equal(turned + PD_RECORD_HEADER_BYTES,
			rec.bytes + PD_RECORD_HEADER_BYTES, size - PD_RECORD_HEADER_BYTES);
		free(turned);
	}
	parse_events_deinit(&events);
	pd_bytes_deinit(&bytes);
}

/* Words that only hold a size or count are not visited; all other bytes must be. */
static void all_bytes_are_visited(void **state)
{
	struct pd_attr attr = attr_of(all_fields());
	struct pd_sample sample = full_sample(&attr);
	struct pd_bytes bytes = { 0 };
	struct pd_plan plan;
	size_t missing = 0;

	(void)state;
	pd_plan_compile(&attr, &plan);
	assert_true(pd_sample_encode(&plan, 0, &sample, &bytes));
	struct pd_record rec = {
		.type = PD_RECORD_SAMPLE,
		.bytes = bytes.buf.data,
		.size = (uint16_t)bytes.buf.n,
	};
	struct coverage whole = walk(&rec, &plan);
	assert_int_equal(whole.n_damages, 0);
	for (size_t i = PD_RECORD_HEADER_BYTES; i < rec.size; i++)
		missing += !whole.seen[i];
	assert_int_equal(missing, 8 + 4 + 8); /* callchain, raw, aux */

	/* Without a plan, the body of a sample is visited as plain bytes. */
	struct coverage opaque = walk(&rec, NULL);
	assert_int_equal(opaque.n_values, 1);
	pd_bytes_deinit(&bytes);
}

static void truncated_samples_are_visited_up_to_the_end(void **state)
{
	struct pd_attr attr = attr_of(all_fields());
	struct pd_sample sample = full_sample(&attr);
	struct pd_bytes bytes = { 0 };
	struct pd_plan plan;

	(void)state;
	pd_plan_compile(&attr, &plan);
	assert_true(pd_sample_encode(&plan, 0, &sample, &bytes));
	for (size_t cut = PD_RECORD_HEADER_BYTES; cut < bytes.buf.n; cut++) {
		uint8_t *copy = malloc(cut);
		struct pd_record rec = {
			.type = PD_RECORD_SAMPLE,
			.bytes = copy,
			.size = (uint16_t)cut,
		};

		assert_non_null(copy);
		memcpy(copy, bytes.buf.data, cut);
		assert_int_equal(walk(&rec, &plan).n_damages, 1);
		free(copy);
	}
	pd_bytes_deinit(&bytes);
}

static void trailers_are_visited(void **state)
{
	struct pd_attr attr = attr_of(all_fields());
	struct pd_sid sid = { .pid = 1, .tid = 2, .time = 3, .id = 4, .stream_id = 5, .cpu = 6 };
	union pd_body body = { .lost = { .id = 7, .lost = 8 } };
	struct pd_bytes trailer = { 0 };
	struct pd_bytes bytes = { 0 };
	struct pd_plan plan;

	(void)state;
	pd_plan_compile(&attr, &plan);
	pd_sid_encode(&plan, &sid, &trailer);
	assert_int_equal(trailer.buf.n, plan.sid_bytes);
	assert_true(pd_record_encode(
		&pd_layout_lost, 0, &body, trailer.buf.data, trailer.buf.n, &bytes));
	struct pd_record rec = {
		.type = PD_RECORD_LOST,
		.bytes = bytes.buf.data,
		.size = (uint16_t)bytes.buf.n,
	};
	struct pd_sid decoded = pd_sid_decode(&plan, &rec);
	assert_memory_equal(&decoded, &sid, sizeof(sid));
	struct coverage coverage = walk(&rec, &plan);
	assert_int_equal(coverage.n_values, 2 + 2 + 1 + 1 + 1 + 2 + 1);

	struct pd_events events = { 0 };
	uint8_t *turned = malloc(rec.size);
	assert_ok(parse_events_add(&events, &attr));
	assert_int_equal(parse_byteswap_record(&events, &(struct pd_layout_env){ 0 }, &rec, turned),
		PD_BYTESWAPPED_ALL);
	rec.bytes = turned;
	rec.swap = true;
	decoded = pd_sid_decode(&plan, &rec);
	assert_memory_equal(&decoded, &sid, sizeof(sid));
	free(turned);
	parse_events_deinit(&events);
	pd_bytes_deinit(&trailer);
	pd_bytes_deinit(&bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_field_is_byteswapped),
		cmocka_unit_test(every_read_format_is_byteswapped),
		cmocka_unit_test(every_branch_layout_is_byteswapped),
		cmocka_unit_test(counters_are_where_the_record_shows_them),
		cmocka_unit_test(damaged_counters_are_named),
		cmocka_unit_test(bitfields_have_the_layout_of_big_endian_compilers),
		cmocka_unit_test(damaged_samples_are_byteswapped_up_to_the_damage),
		cmocka_unit_test(all_bytes_are_visited),
		cmocka_unit_test(truncated_samples_are_visited_up_to_the_end),
		cmocka_unit_test(trailers_are_visited),
		cmocka_unit_test(flags_of_aux_have_names),
	};

	fill_words();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
