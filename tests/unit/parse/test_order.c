/* Time order: windows of rounds, equal times, late records. */
#include "tests/unit/test.h"

#include "base/chunk.h"
#include "parse/order.h"

static void push(struct parse_order *order, uint64_t time, uint64_t offset)
{
	struct pd_record rec = { .time = time, .offset = offset };

	assert_true(parse_order_push(order, &rec));
}

static void expect(struct parse_order *order, uint64_t time, uint64_t offset)
{
	struct pd_record rec;

	assert_true(parse_order_pop(order, &rec));
	assert_int_equal(rec.time, time);
	assert_int_equal(rec.offset, offset);
}

static void nothing_more(struct parse_order *order)
{
	struct pd_record rec;

	assert_false(parse_order_pop(order, &rec));
}

static void a_window_of_two_rounds(void **state)
{
	struct parse_order order = { 0 };

	(void)state;
	push(&order, 10, 0);
	push(&order, 30, 1);
	push(&order, 20, 2);
	nothing_more(&order);
	assert_true(
		parse_order_round(&order)); /* emits nothing: 30 is the limit of the next round */
	nothing_more(&order);
	push(&order, 25, 3);
	push(&order, 40, 4);
	assert_true(parse_order_round(&order)); /* all up to 30 */
	expect(&order, 10, 0);
	expect(&order, 20, 2);
	expect(&order, 25, 3);
	expect(&order, 30, 1);
	nothing_more(&order);
	push(&order, 35, 5);
	assert_true(parse_order_end(&order));
	expect(&order, 35, 5);
	expect(&order, 40, 4);
	nothing_more(&order);
	parse_order_deinit(&order);
}

static void equal_times_keep_their_order(void **state)
{
	struct parse_order order = { 0 };

	(void)state;
	for (uint64_t i = 0; i < 100; i++)
		push(&order, 7 - i % 3, i);
	assert_true(parse_order_end(&order));
	for (uint64_t time = 5; time <= 7; time++) {
		for (uint64_t i = 7 - time; i < 100; i += 3)
			expect(&order, time, i);
	}
	parse_order_deinit(&order);
}

static void any_order_is_sorted(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 50; seed++) {
		struct parse_order order = { 0 };
		struct pd_record rec;
		uint64_t x = seed * 0x9e3779b97f4a7c15U;
		uint64_t last = 0;
		size_t n = seed * 13;

		for (size_t i = 0; i < n; i++) {
			x = x * 6364136223846793005U + 1442695040888963407U;
			push(&order, 1 + (x >> 40) % (seed * 20), i);
		}
		assert_true(parse_order_end(&order));
		for (size_t i = 0; i < n; i++) {
			assert_true(parse_order_pop(&order, &rec));
			assert_true(rec.time >= last);
			last = rec.time;
		}
		nothing_more(&order);
		parse_order_deinit(&order);
	}
}

static void serial_numbers_do_not_move_the_window(void **state)
{
	struct parse_order order = { 0 };

	(void)state;
	push(&order, PD_FIRST_FAKE_TIME + 1, 0);
	push(&order, 10, 1);
	assert_true(parse_order_round(&order));
	push(&order, 20, 2);
	assert_true(parse_order_round(&order)); /* all up to 10 */
	push(&order, 15, 3);
	expect(&order, 10, 1);
	nothing_more(&order);
	assert_true(parse_order_end(&order));
	expect(&order, 15, 3);
	expect(&order, 20, 2);
	expect(&order, PD_FIRST_FAKE_TIME + 1, 0);
	parse_order_deinit(&order);
}

static void chunks_live_as_long_as_their_records(void **state)
{
	struct parse_order order = { 0 };
	struct pd_chunk *chunk = base_chunk_create(16);
	struct pd_record rec = { .time = 1, .chunk = chunk };

	(void)state;
	assert_true(parse_order_push(&order, &rec));
	rec.time = 2;
	assert_true(parse_order_push(&order, &rec));
	assert_int_equal(chunk->refs, 3);
	base_chunk_unref(chunk);
	assert_true(parse_order_end(&order));
	assert_true(parse_order_pop(&order, &rec));
	assert_int_equal(rec.chunk->refs, 2);
	base_chunk_unref(rec.chunk);
	parse_order_deinit(
		&order); /* drops the other reference; otherwise the leak sanitizer reports it */
}

static void number_of_waiting_records_is_bounded(void **state)
{
	struct parse_order order = { .max_records = 3 };

	(void)state;
	push(&order, 40, 0);
	push(&order, 30, 1);
	push(&order, 20, 2);
	nothing_more(&order);
	push(&order, 10, 3); /* exceeds the limit: the older half is emitted */
	expect(&order, 10, 3);
	expect(&order, 20, 2);
	nothing_more(&order);
	push(&order, 35, 4); /* not late, since the newer half still waits */
	nothing_more(&order);
	assert_true(parse_order_end(&order));
	expect(&order, 30, 1);
	expect(&order, 35, 4);
	expect(&order, 40, 0);
	parse_order_deinit(&order);
}

static void memory_that_waiting_records_hold_is_bounded(void **state)
{
	struct parse_order order = { .max_held_bytes = 100 };
	struct pd_chunk *chunks[2] = { base_chunk_create(80), base_chunk_create(80) };
	struct pd_record rec = { .size = 8 };

	(void)state;
	/* A chunk is referenced once, no matter how many of its records wait. */
	for (rec.time = 2; rec.time <= 9; rec.time++) {
		rec.chunk = chunks[0];
		assert_true(parse_order_push(&order, &rec));
	}
	nothing_more(&order);
	rec.chunk = chunks[1];
	rec.time = 1;
	assert_true(parse_order_push(&order, &rec));
	for (uint64_t time = 1; time <= 5; time++) {
		assert_true(parse_order_pop(&order, &rec));
		assert_int_equal(rec.time, time);
		base_chunk_unref(rec.chunk);
	}
	nothing_more(&order);
	assert_int_equal(order.held_bytes, 80);
	parse_order_deinit(&order);
	base_chunk_unref(chunks[0]);
	base_chunk_unref(chunks[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_window_of_two_rounds),
		cmocka_unit_test(equal_times_keep_their_order),
		cmocka_unit_test(any_order_is_sorted),
		cmocka_unit_test(serial_numbers_do_not_move_the_window),
		cmocka_unit_test(chunks_live_as_long_as_their_records),
		cmocka_unit_test(number_of_waiting_records_is_bounded),
		cmocka_unit_test(memory_that_waiting_records_hold_is_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
