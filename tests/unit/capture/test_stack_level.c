/* The amount of captured stack follows the load. */
#include "tests/unit/test.h"

#include "capture/stack_level.h"

/*
 * Report rings as full as @p fill every tenth of a second from @p from to @p to, and return the
 * level at the end.
 */
static size_t run(struct cap_stack_level *state, size_t level, double fill, double from, double to)
{
	for (double now = from; now < to; now += 0.1)
		level = cap_stack_level_next(state, level, fill, state->n_lost, now);
	return level;
}

static void test_quiet_rings_keep_the_full_stack(void **ctx)
{
	struct cap_stack_level state;

	(void)ctx;
	cap_stack_level_init(&state);
	assert_int_equal(run(&state, 0, 0.3, 100, 200), 0);
}

static void test_full_rings_and_lost_samples_shorten_the_stack(void **ctx)
{
	struct cap_stack_level state;

	(void)ctx;
	cap_stack_level_init(&state);
	assert_int_equal(cap_stack_level_next(&state, 0, 0.6, 0, 100), 1);
	assert_int_equal(cap_stack_level_next(&state, 1, 0.1, 5, 100.1), 2);
	/* Level 2 is the last one. */
	assert_int_equal(cap_stack_level_next(&state, 2, 0.9, 9, 100.2), 2);
}

static void test_calm_rings_restore_the_stack_level_by_level(void **ctx)
{
	struct cap_stack_level state;

	(void)ctx;
	cap_stack_level_init(&state);
	assert_int_equal(run(&state, 0, 0.9, 100, 100.25), 2);
	/* Rings that are rather full do not count as calm. */
	assert_int_equal(run(&state, 2, 0.45, 101, 110), 2);
	assert_int_equal(run(&state, 2, 0.1, 110, 110.85), 2);
	assert_int_equal(run(&state, 2, 0.1, 111, 111.05), 1);
	assert_int_equal(run(&state, 1, 0.1, 111.1, 111.95), 1);
	assert_int_equal(run(&state, 1, 0.1, 112.1, 112.15), 0);
}

static void test_a_relapse_doubles_the_calm_time_until_it_is_long_ago(void **ctx)
{
	struct cap_stack_level state;

	(void)ctx;
	cap_stack_level_init(&state);
	assert_int_equal(cap_stack_level_next(&state, 0, 0.6, 0, 100), 1);
	assert_int_equal(cap_stack_level_next(&state, 1, 0.1, 0, 101), 0);
	assert_int_equal(cap_stack_level_next(&state, 0, 0.6, 0, 102), 1);
	assert_int_equal(cap_stack_level_next(&state, 1, 0.1, 0, 103.5), 1);
	assert_int_equal(cap_stack_level_next(&state, 1, 0.1, 0, 104), 0);
	/* After more than a minute it is a new load. */
	assert_int_equal(cap_stack_level_next(&state, 0, 0.6, 0, 170), 1);
	assert_int_equal(cap_stack_level_next(&state, 1, 0.1, 0, 171), 0);
}

static void test_each_level_captures_a_quarter(void **ctx)
{
	(void)ctx;
	assert_int_equal(cap_stack_level_bytes(8192, 0), 8192);
	assert_int_equal(cap_stack_level_bytes(8192, 2), 512);
	assert_int_equal(cap_stack_level_bytes(65528, 1), 16376);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_quiet_rings_keep_the_full_stack),
		cmocka_unit_test(test_full_rings_and_lost_samples_shorten_the_stack),
		cmocka_unit_test(test_calm_rings_restore_the_stack_level_by_level),
		cmocka_unit_test(test_a_relapse_doubles_the_calm_time_until_it_is_long_ago),
		cmocka_unit_test(test_each_level_captures_a_quarter),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
