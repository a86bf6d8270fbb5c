/* Arrows next to a listing. */
#include "tests/unit/test.h"

#include "annotate/arrows.h"

/* Draw the arrows of @p n rows; targets[i] is the row to which row i jumps, or -1. */
static void expect(const int *targets, size_t n, const char *const *expected)
{
	struct ann_listing listing = { 0 };
	struct ann_arrows arrows;

	for (size_t i = 0; i < n; i++) {
		struct ann_row row = { .addr = i, .size = 1, .target_row = ANN_NO_ROW };

		if (targets[i] >= 0) {
			row.branch = ANN_BRANCH_JUMP;
			row.target_row = (uint32_t)targets[i];
		}
		assert_true(pd_vec_push(&listing.rows, row));
	}
	assert_ok(ann_arrows_create(&listing, &arrows));
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(strlen(expected[i]), arrows.width);
		if (arrows.width &&
			memcmp(ann_arrows_row(&arrows, i), expected[i], arrows.width) != 0)
			fail_msg("row %zu: '%.*s', expected '%s'", i, (int)arrows.width,
				ann_arrows_row(&arrows, i), expected[i]);
	}
	ann_arrows_deinit(&arrows);
	pd_vec_deinit(&listing.rows);
}

static void a_loop(void **state)
{
	static const int targets[] = { -1, -1, -1, 1, -1 };
	static const char *const expected[] = { "    ", "/-> ", "|   ", "\\-- ", "    " };

	(void)state;
	expect(targets, 5, expected);
}

static void nested_jumps(void **state)
{
	static const int targets[] = { 4, 3, -1, -1, -1 };
	static const char *const expected[] = { "/---- ", "| /-- ", "| |   ", "| \\-> ",
		"\\---> " };

	(void)state;
	expect(targets, 5, expected);
}

/* Jumps to one target share an arrow. */
static void one_target(void **state)
{
	static const int targets[] = { 3, 3, -1, -1 };
	static const char *const expected[] = { "/-- ", "+-- ", "|   ", "\\-> " };

	(void)state;
	expect(targets, 4, expected);
}

static void no_jumps(void **state)
{
	static const int targets[] = { -1, -1 };
	static const char *const expected[] = { "", "" };

	(void)state;
	expect(targets, 2, expected);
}

/* A jump to itself has no arrow. */
static void a_jump_to_itself(void **state)
{
	static const int targets[] = { 0 };
	static const char *const expected[] = { "" };

	(void)state;
	expect(targets, 1, expected);
}

/* If there are more jumps than lanes, the longest ones have no arrow. */
static void too_many_lanes(void **state)
{
	enum { N = 2 * ANN_MAX_LANES + 4 };
	struct ann_listing listing = { 0 };
	struct ann_arrows arrows;

	(void)state;
	for (uint32_t i = 0; i < N; i++) {
		struct ann_row row = { .addr = i, .size = 1, .target_row = ANN_NO_ROW };

		if (i < N / 2) {
			row.branch = ANN_BRANCH_JUMP;
			row.target_row = N - 1 - i;
		}
		assert_true(pd_vec_push(&listing.rows, row));
	}
	assert_ok(ann_arrows_create(&listing, &arrows));
	assert_int_equal(arrows.width, 2 * ANN_MAX_LANES + 2);
	assert_memory_equal(ann_arrows_row(&arrows, 0), "                  ", arrows.width);
	assert_memory_equal(ann_arrows_row(&arrows, 2), "/---------------- ", arrows.width);
	ann_arrows_deinit(&arrows);
	pd_vec_deinit(&listing.rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_loop),
		cmocka_unit_test(nested_jumps),
		cmocka_unit_test(one_target),
		cmocka_unit_test(no_jumps),
		cmocka_unit_test(a_jump_to_itself),
		cmocka_unit_test(too_many_lanes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
