/* All layouts: generated in both byte orders, decoded, encoded, byteswapped and truncated. */
#include "tests/unit/made_layout.h"
#include "tests/unit/test.h"

#include <pdconv/attr.h>
#include <pdconv/feature.h>
#include <pdconv/record.h>

#include "base/array.h"
#include "parse/write/byteswap.h"

enum { MAX_VARIANTS = 18 };

static bool turn(const struct pd_layout *layout, const uint8_t *bytes, size_t len, bool swap,
	struct pd_bytes *out)
{
	struct pd_layout_env env = { .n_cpus = N_CPUS };
	struct pd_cursor c = pd_cursor_init(bytes, len, swap);
	struct pd_layout_fault fault = { 0 };
	union pd_any_struct body = { 0 };

	if (!pd_layout_decode(layout, &c, &env, &body, &fault)) {
		assert_non_null(fault.field);
		assert_non_null(fault.message);
		return false;
	}
	pd_layout_encode(layout, &body, &env, out);
	pd_bytes_put(out, c.pos, pd_cursor_left(&c));
	assert_false(out->failed);
	return true;
}

static void assert_same_bytes(
	const struct pd_layout *layout, const struct pd_bytes *a, const struct pd_bytes *b)
{
	if (a->buf.n != b->buf.n || (a->buf.n && memcmp(a->buf.data, b->buf.data, a->buf.n) != 0))
		fail_msg("%s: encoded to other bytes", layout->name);
}

static const struct pd_layout_env byteswap_env = { .n_cpus = N_CPUS };

/* Byteswapping a record must yield the record that was generated in the other byte order. */
static void check_byteswapped_record(
	const struct pd_layout *layout, const struct pd_bytes made[static 2], int from)
{
	struct pd_events events = { 0 };
	struct pd_bytes whole[2] = { { .swap = false }, { .swap = true } };

	for (int i = 0; i < 2; i++) {
		pd_bytes_u32(&whole[i], layout->type);
		pd_bytes_u16(&whole[i], layout->misc);
		pd_bytes_u16(&whole[i], (uint16_t)(PD_RECORD_HEADER_BYTES + made[i].buf.n));
		pd_bytes_put(&whole[i], made[i].buf.data, made[i].buf.n);
	}
	const struct pd_record rec = {
		.type = layout->type,
		.misc = layout->misc,
		.size = (uint32_t)whole[from].buf.n,
		.bytes = whole[from].buf.data,
		.swap = from,
	};
	struct pd_bytes out = { 0 };
	uint8_t *to = pd_bytes_extend(&out, rec.size);
	bool is_sample = layout->type == PD_RECORD_SAMPLE;

	assert_int_equal(parse_byteswap_record(&events, &byteswap_env, &rec, to),
		is_sample ? PD_BYTESWAPPED_HEADER : PD_BYTESWAPPED_ALL);
	assert_same_bytes(layout, &whole[!from], &out);
	pd_bytes_deinit(&whole[0]);
	pd_bytes_deinit(&whole[1]);
	pd_bytes_deinit(&out);
}

static void check_round_trip(const struct pd_layout *layout, uint64_t variant)
{
	struct maker made[2] = { { .variant = variant }, { .variant = variant } };

	made[1].out.swap = true;
	make(&made[0], layout);
	make(&made[1], layout);
	for (int from = 0; from < 2; from++) {
		for (int to = 0; to < 2; to++) {
			struct pd_bytes out = { .swap = to };

			assert_true(turn(
				layout, made[from].out.buf.data, made[from].out.buf.n, from, &out));
			assert_same_bytes(layout, &made[to].out, &out);
			pd_bytes_deinit(&out);
		}
		if (layout->type)
			check_byteswapped_record(
				layout, (struct pd_bytes[]){ made[0].out, made[1].out }, from);
	}
	pd_bytes_deinit(&made[0].out);
	pd_bytes_deinit(&made[1].out);
}

static void check_byteswapped_feature(
	unsigned bit, const struct pd_layout *layout, uint64_t variant)
{
	struct maker made[2] = { { .variant = variant }, { .variant = variant } };

	made[1].out.swap = true;
	for (int i = 0; i < 2; i++)
		make(&made[i], layout);
	for (int from = 0; from < 2; from++) {
		struct pd_events events = { 0 };
		struct pd_view body = {
			.data = made[from].out.buf.data,
			.elem_size = 1,
			.swap = from,
			.n = made[from].out.buf.n,
		};
		struct pd_bytes out = { 0 };
		uint8_t *to = pd_bytes_extend(&out, body.n);

		assert_int_equal(parse_byteswap_feature(&events, &byteswap_env, bit, &body, to),
			PD_BYTESWAPPED_ALL);
		assert_same_bytes(layout, &made[!from].out, &out);
		pd_bytes_deinit(&out);
	}
	for (int i = 0; i < 2; i++)
		pd_bytes_deinit(&made[i].out);
}

/*
 * Truncate the bytes at each position, in a block of that size, so that sanitizers find reads past
 * its end. If the rest can be decoded, encoding it must yield the same bytes.
 */
static void check_cuts(const struct pd_layout *layout, uint64_t variant)
{
	struct maker made = { .variant = variant };

	make(&made, layout);
	for (size_t cut = 0; cut < made.out.buf.n; cut++) {
		uint8_t *copy = malloc(cut + !cut);
		struct pd_bytes out = { 0 };

		if (cut)
			memcpy(copy, made.out.buf.data, cut);
		if (turn(layout, copy, cut, false, &out)) {
			assert_int_equal(out.buf.n, cut);
			assert_memory_equal(out.buf.data, copy, cut);
		}
		pd_bytes_deinit(&out);
		out = (struct pd_bytes){ .swap = true };
		if (turn(layout, copy, cut, false, &out))
			assert_int_equal(out.buf.n, cut);
		pd_bytes_deinit(&out);
		free(copy);
	}
	pd_bytes_deinit(&made.out);
}

static void check(const struct pd_layout *layout)
{
	uint64_t n = depends(layout) ? MAX_VARIANTS : 1;

	for (uint64_t variant = 0; variant < n; variant++) {
		check_round_trip(layout, variant);
		check_cuts(layout, variant);
	}
}

static void every_record(void **state)
{
	size_t n;
	const struct pd_layout *const *layouts = pd_layouts(&n);

	(void)state;
	for (size_t i = 0; i < n; i++)
		check(layouts[i]);
}

static void every_feature(void **state)
{
	size_t n = 0;

	(void)state;
	for (unsigned bit = 0; bit < PD_N_FEATURE_BITS; bit++) {
		if (!pd_feature_layout(bit))
			continue;
		check(pd_feature_layout(bit));
		for (uint64_t variant = 0; variant < MAX_VARIANTS; variant++)
			check_byteswapped_feature(bit, pd_feature_layout(bit), variant);
		n++;
	}
	assert_true(n >= 34);
}

/* HEADER_FEATURE records can contain every feature. */
static void every_feature_as_a_record(void **state)
{
	(void)state;
	for (unsigned bit = 0; bit < PD_N_FEATURE_BITS; bit++) {
		check_round_trip(&pd_layout_header_feature, bit);
		check_cuts(&pd_layout_header_feature, bit);
	}
}

static void fixed_layouts_need_all_their_bytes(void **state)
{
	const struct pd_layout *const fixed[] = {
		&pd_layout_lost,
		&pd_layout_exit,
		&pd_layout_throttle,
		&pd_layout_mmap2,
		&pd_layout_ksymbol,
		&pd_layout_auxtrace,
		&pd_layout_stat,
		&pd_layout_schedstat_cpu,
		&pd_layout_clock_data,
		&pd_layout_numa_topology,
	};

	(void)state;
	for (size_t i = 0; i < PD_ARRAY_LEN(fixed); i++) {
		struct maker made = { 0 };

		make(&made, fixed[i]);
		for (size_t cut = 0; cut < made.out.buf.n; cut++) {
			struct pd_bytes out = { 0 };
			assert_false(turn(fixed[i], made.out.buf.data, cut, false, &out));
			pd_bytes_deinit(&out);
		}
		pd_bytes_deinit(&made.out);
	}
}

/* u16 type 1, u16 nr, u16 long_size, and words at 6 or, of 8 bytes, at 10. */
static void masks_of_either_word_size(void **state)
{
	static const uint8_t mask32[] = { 1, 0, 4, 0, 0x11, 0x22, 0, 0 };
	static const uint8_t mask64[] = { 1, 0, 8, 0, 0, 0, 0, 0, 0x11, 0x22, 0, 0, 0, 0, 0, 0 };
	static const uint8_t big32[] = { 0, 1, 0, 4, 0, 0, 0x22, 0x11 };
	struct pd_cpu_map map = { .map_type = 1 };

	(void)state;
	assert_ptr_equal(
		parse_select_cpu_map(&map,
			(struct pd_view){ .data = mask32, .elem_size = 1, .n = sizeof(mask32) }),
		&pd_layout_cpu_map_mask32);
	assert_ptr_equal(
		parse_select_cpu_map(&map,
			(struct pd_view){ .data = mask64, .elem_size = 1, .n = sizeof(mask64) }),
		&pd_layout_cpu_map_mask64);
	assert_ptr_equal(
		parse_select_cpu_map(&map,
			(struct pd_view){
				.data = big32, .elem_size = 1, .swap = true, .n = sizeof(big32) }),
		&pd_layout_cpu_map_mask32);

	struct pd_bytes out = { .swap = true };
	assert_true(turn(&pd_layout_cpu_map_mask32, mask32, sizeof(mask32), false, &out));
	assert_memory_equal(out.buf.data, big32, sizeof(big32));
	pd_bytes_deinit(&out);
}

static void lists_stop_where_their_bytes_stop(void **state)
{
	/* The count is 2^32 - 1 nodes, but the bytes for them are missing. */
	static const uint8_t bytes[] = { 0xff, 0xff, 0xff, 0xff, 1, 0, 0, 0 };
	struct pd_cursor c = pd_cursor_init(bytes, sizeof(bytes), false);
	struct pd_layout_env env = { 0 };
	struct pd_layout_fault fault;
	struct pd_numa_topology topology;

	(void)state;
	assert_false(pd_layout_decode(&pd_layout_numa_topology, &c, &env, &topology, &fault));
	assert_string_equal(fault.field->name, "nodes");
	assert_int_equal(topology.nodes.n, 0);
}

/* Kernels before 4.3: no ids of cores, no dies. */
static void topologies_may_end_before_the_cpus(void **state)
{
	static const uint8_t bytes[] = { 1, 0, 0, 0, 4, 0, 0, 0, '0', '-', '2', 0, 0, 0, 0, 0 };
	struct pd_cursor c = pd_cursor_init(bytes, sizeof(bytes), false);
	struct pd_layout_env env = { .n_cpus = N_CPUS };
	struct pd_layout_fault fault;
	struct pd_cpu_topology topology;

	(void)state;
	assert_true(pd_layout_decode(&pd_layout_cpu_topology, &c, &env, &topology, &fault));
	assert_int_equal(topology.core_siblings.n, 1);
	assert_int_equal(topology.ids.n, 0);
	assert_int_equal(topology.dies.n, 0);
}

/* The empty feature that ends the features may have the number of a later feature. */
static void an_empty_feature_record_has_no_fields(void **state)
{
	struct pd_header_feature mark = { .feat_id = PD_FEATURE_CPU_DOMAIN_INFO };
	struct pd_view nothing = { .data = (const uint8_t *)"", .elem_size = 1 };

	(void)state;
	assert_null(parse_select_feature(&mark, nothing));
}

static void records_are_written_with_header_and_trailer(void **state)
{
	union pd_body body = { .comm = { .pid = 7, .tid = 8, .comm = { .s = "x", .len = 1 } } };
	static const uint8_t expected[] = { 3, 0, 0, 0, 0, 0x20, 0x20, 0, 7, 0, 0, 0, 8, 0, 0, 0,
		'x', 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8 };
	struct pd_bytes out = { 0 };
	char path[UINT16_MAX];

	(void)state;
	assert_true(pd_record_encode(
		&pd_layout_comm, PD_MISC_COMM_EXEC, &body, expected + 24, 8, &out));
	assert_int_equal(out.buf.n, sizeof(expected));
	assert_memory_equal(out.buf.data, expected, sizeof(expected));

	memset(path, 'x', sizeof(path));
	body.comm.comm = (struct pd_str){ .s = path, .len = sizeof(path) };
	assert_false(pd_record_encode(&pd_layout_comm, 0, &body, NULL, 0, &out));
	assert_int_equal(out.buf.n, sizeof(expected));
	pd_bytes_deinit(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_record),
		cmocka_unit_test(every_feature),
		cmocka_unit_test(every_feature_as_a_record),
		cmocka_unit_test(fixed_layouts_need_all_their_bytes),
		cmocka_unit_test(masks_of_either_word_size),
		cmocka_unit_test(lists_stop_where_their_bytes_stop),
		cmocka_unit_test(topologies_may_end_before_the_cpus),
		cmocka_unit_test(an_empty_feature_record_has_no_fields),
		cmocka_unit_test(records_are_written_with_header_and_trailer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
