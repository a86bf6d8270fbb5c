#include "tests/unit/parquet/parquet_reader.h"

static void assert_bytes(struct pd_bytes *bytes, const void *expected, size_t n)
{
	assert_false(bytes->failed);
	assert_int_equal(bytes->buf.n, n);
	assert_memory_equal(bytes->buf.data, expected, n);
	pd_bytes_deinit(bytes);
}

static void fields_have_the_distance_of_their_ids(void **state)
{
	struct pd_bytes out = { 0 };
	struct pq_thrift thrift = { .out = &out };

	(void)state;
	pq_thrift_struct(&thrift, 0);
	pq_thrift_i32(&thrift, 1, 1);
	pq_thrift_i64(&thrift, 3, -1);
	pq_thrift_bool(&thrift, 4, true);
	pq_thrift_bool(&thrift, 5, false);
	pq_thrift_byte(&thrift, 20, 32);
	/* Too far away for the header. */
	pq_thrift_binary(&thrift, 36, "ab", 2);
	pq_thrift_end(&thrift);
	assert_bytes(&out,
		"\x15\x02\x26\x01\x11\x12\xf3\x20\x08\x48\x02"
		"ab\0",
		14);
}

static void ids_begin_anew_in_each_struct(void **state)
{
	struct pd_bytes out = { 0 };
	struct pq_thrift thrift = { .out = &out };

	(void)state;
	pq_thrift_struct(&thrift, 0);
	pq_thrift_struct(&thrift, 2);
	pq_thrift_string(&thrift, 1, "x");
	pq_thrift_empty(&thrift, 2);
	pq_thrift_end(&thrift);
	pq_thrift_encoded(&thrift, 3, (const uint8_t *)"\x15\x02\0", 3);
	pq_thrift_end(&thrift);
	assert_bytes(&out, "\x2c\x18\x01x\x1c\0\0\x1c\x15\x02\0\0", 12);
}

static void elements_have_no_header(void **state)
{
	struct pd_bytes out = { 0 };
	struct pq_thrift thrift = { .out = &out };

	(void)state;
	pq_thrift_struct(&thrift, 0);
	pq_thrift_list(&thrift, 1, PQ_THRIFT_BOOL, 2);
	pq_thrift_bool(&thrift, 0, true);
	pq_thrift_bool(&thrift, 0, false);
	pq_thrift_list(&thrift, 2, PQ_THRIFT_I32, 1);
	pq_thrift_i32(&thrift, 0, -64);
	pq_thrift_list(&thrift, 3, PQ_THRIFT_STRUCT, 15);
	for (int i = 0; i < 15; i++)
		pq_thrift_empty(&thrift, 0);
	pq_thrift_end(&thrift);
	assert_bytes(&out,
		"\x19\x21\x01\x02\x19\x15\x7f\x19\xfc\x0f"
		"\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
		26);
}

static void extreme_numbers_are_read_again(void **state)
{
	static const int64_t numbers[] = { 0, 1, -1, INT64_MAX, INT64_MIN, INT32_MIN };
	struct base_arena arena = { 0 };
	struct pd_bytes out = { 0 };
	struct pq_thrift thrift = { .out = &out };

	(void)state;
	pq_thrift_struct(&thrift, 0);
	for (unsigned i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		pq_thrift_i64(&thrift, 1 + 40 * i, numbers[i]);
	pq_thrift_end(&thrift);
	struct pd_cursor c = little_endian(out.buf.data, out.buf.n);
	const struct node *node = read_node(&arena, &c, PQ_THRIFT_STRUCT, 0);
	for (unsigned i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		assert_true(number(node, 1 + 40 * i) == numbers[i]);
	base_arena_deinit(&arena);
	pd_bytes_deinit(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fields_have_the_distance_of_their_ids),
		cmocka_unit_test(ids_begin_anew_in_each_struct),
		cmocka_unit_test(elements_have_no_header),
		cmocka_unit_test(extreme_numbers_are_read_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
