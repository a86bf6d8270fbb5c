#include "tests/unit/parquet/parquet_reader.h"

#include "base/array.h"
#include "parquet/packing.h"

enum { N = 2000 };

static uint64_t state = 88172645463325252;

static uint64_t next_random(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static uint64_t low_bits(uint64_t value, unsigned width)
{
	return width == 64 ? value : value & ((UINT64_C(1) << width) - 1);
}

static void assert_bytes(struct pd_bytes *bytes, const void *expected, size_t n)
{
	assert_false(bytes->failed);
	assert_int_equal(bytes->buf.n, n);
	assert_memory_equal(bytes->buf.data, expected, n);
	pd_bytes_deinit(bytes);
}

/* The example of the specification. */
static void the_first_value_is_in_the_lowest_bits(void **unused)
{
	const uint64_t values[] = { 0, 1, 2, 3, 4, 5, 6, 7 };
	struct pd_bytes out = { 0 };

	(void)unused;
	pq_pack(values, 8, 3, &out);
	assert_bytes(&out, "\x88\xc6\xfa", 3);
}

static void values_of_each_width_are_packed(void **unused)
{
	uint64_t values[100];

	(void)unused;
	for (unsigned width = 0; width <= 64; width++) {
		struct pd_bytes out = { 0 };
		size_t n = 90 + width % 10;

		for (size_t i = 0; i < n; i++)
			values[i] = low_bits(next_random(), width);
		pq_pack(values, n, width, &out);
		assert_int_equal(out.buf.n, (n + 7) / 8 * width);
		for (size_t i = 0; i < (n + 7) / 8 * 8; i++)
			assert_int_equal(unpack(out.buf.data, i, width), i < n ? values[i] : 0);
		pd_bytes_deinit(&out);
	}
}

static void a_long_run_is_one(void **unused)
{
	uint64_t values[300];
	struct pd_bytes out = { 0 };

	(void)unused;
	for (size_t i = 0; i < PD_ARRAY_LEN(values); i++)
		values[i] = 0x102;
	pq_pack_runs(values, PD_ARRAY_LEN(values), 9, &out);
	/* 300 << 1, in two bytes, and the value in two. */
	assert_bytes(&out, "\xd8\x04\x02\x01", 4);
}

static void other_values_are_packed_in_one_run(void **unused)
{
	const uint64_t values[] = { 0, 1, 2, 3, 4, 5, 6, 7, 1, 2 };
	struct pd_bytes out = { 0 };

	(void)unused;
	pq_pack_runs(values, PD_ARRAY_LEN(values), 3, &out);
	/* Two groups of eight; the second is filled up. */
	assert_bytes(&out, "\x05\x88\xc6\xfa\x11\x00\x00", 7);
}

static void nothing_has_no_runs(void **unused)
{
	const uint64_t values[] = { 1 };
	struct pd_bytes out = { 0 };

	(void)unused;
	pq_pack_runs(values, 0, 1, &out);
	assert_int_equal(out.buf.n, 0);
}

/* Values whose runs have lengths of up to 100. */
static void make_runs(uint64_t *values, size_t n, unsigned width)
{
	for (size_t i = 0; i < n;) {
		size_t run = next_random() % 3 ? 1 : next_random() % 100;
		uint64_t value = low_bits(next_random(), width);

		for (; run && i < n; run--)
			values[i++] = value;
	}
}

static void runs_of_each_width_are_read_again(void **unused)
{
	static uint64_t values[N], found[N];

	(void)unused;
	for (unsigned i = 0; i < 1000; i++) {
		unsigned width = 1 + i % 32;
		size_t n = next_random() % N;
		struct pd_bytes out = { .swap = pd_is_big_endian(false) };

		make_runs(values, n, width);
		pq_pack_runs(values, n, width, &out);
		struct pd_cursor c = little_endian(out.buf.data, out.buf.n);
		read_runs(&c, n, width, found);
		assert_memory_equal(values, found, n * sizeof(*values));
		/* Never much larger than without runs. */
		assert_true(out.buf.n <= (n + 7) / 8 * width + 4);
		pd_bytes_deinit(&out);
	}
}

/* The examples of the specification, with blocks of the size that we write. */
static void differences_have_the_bytes_of_the_specification(void **unused)
{
	const uint64_t ascending[] = { 1, 2, 3, 4, 5 };
	const uint64_t turning[] = { 7, 5, 3, 1, 2, 3, 4, 5 };
	struct pd_bytes out = { 0 };

	(void)unused;
	pq_pack_deltas(ascending, PD_ARRAY_LEN(ascending), 64, &out);
	/* Block, parts, values, 1; least difference 1; no bits. */
	assert_bytes(&out, "\x80\x01\x04\x05\x02\x02\0\0\0\0", 10);
	out = (struct pd_bytes){ 0 };
	pq_pack_deltas(turning, PD_ARRAY_LEN(turning), 32, &out);
	/* The least is -2, differences are 0, 0, 0, 3, 3, 3, 3 of 2 bits. */
	assert_bytes(&out, "\x80\x01\x04\x08\x0e\x03\x02\0\0\0\xc0\x3f\0\0\0\0\0\0", 18);
}

static void differences_that_overflow_are_read_again(void **unused)
{
	static const unsigned widths[] = { 32, 64 };
	static uint64_t values[N], found[N];

	(void)unused;
	for (unsigned i = 0; i < 600; i++) {
		unsigned width = widths[i % 2];
		unsigned bits = 1 + (unsigned)(next_random() % width);
		size_t n = i < 300 ? i / 2 : next_random() % N;
		struct pd_bytes out = { .swap = pd_is_big_endian(false) };

		for (size_t k = 0; k < n; k++)
			values[k] = (uint64_t)base_sign_extend(
				low_bits(next_random(), bits) + (i % 3 ? 1000 * k : 0), width / 8);
		pq_pack_deltas(values, n, width, &out);
		struct pd_cursor c = little_endian(out.buf.data, out.buf.n);
		read_deltas(&c, n, width, found);
		assert_memory_equal(values, found, n * sizeof(*values));
		pd_bytes_deinit(&out);
	}
}

static void the_extremes_of_integers_have_differences(void **unused)
{
	const uint64_t values[] = { (uint64_t)INT64_MIN, INT64_MAX, (uint64_t)INT64_MIN, 0,
		UINT64_MAX };
	uint64_t found[PD_ARRAY_LEN(values)];
	struct pd_bytes out = { .swap = pd_is_big_endian(false) };

	(void)unused;
	pq_pack_deltas(values, PD_ARRAY_LEN(values), 64, &out);
	struct pd_cursor c = little_endian(out.buf.data, out.buf.n);
	read_deltas(&c, PD_ARRAY_LEN(values), 64, found);
	assert_memory_equal(values, found, sizeof(values));
	pd_bytes_deinit(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_value_is_in_the_lowest_bits),
		cmocka_unit_test(values_of_each_width_are_packed),
		cmocka_unit_test(a_long_run_is_one),
		cmocka_unit_test(other_values_are_packed_in_one_run),
		cmocka_unit_test(nothing_has_no_runs),
		cmocka_unit_test(runs_of_each_width_are_read_again),
		cmocka_unit_test(differences_have_the_bytes_of_the_specification),
		cmocka_unit_test(differences_that_overflow_are_read_again),
		cmocka_unit_test(the_extremes_of_integers_have_differences),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
