/* The part of a listing that is shown. */
#include "tests/unit/test.h"

#include "annotate/function_listing.h"
#include "base/array.h"

/* A listing of @p n rows, of which @p hot has samples. */
static struct ann_listing make_listing(struct ann_functions *functions, size_t n, size_t hot)
{
	struct ann_listing listing = { .functions = functions };

	assert_true(pd_vec_push(&functions->events, (struct prof_event_id){ 0 }));
	for (size_t i = 0; i < n; i++) {
		const struct ann_row row = { .addr = i, .values = i };
		const struct prof_value value = { .samples = i == hot };

		assert_true(pd_vec_push(&listing.rows, row));
		assert_true(pd_vec_push(&listing.values, value));
	}
	return listing;
}

/* Expect that the rows from @p first up to @p end are shown, and no others. */
static void expect_shown(size_t n, size_t hot, size_t first, size_t end)
{
	struct ann_functions functions = { 0 };
	struct ann_listing listing = make_listing(&functions, n, hot);
	bool is_shown[600];

	assert_true(n <= PD_ARRAY_LEN(is_shown));
	ann_excerpt(&listing, is_shown);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(is_shown[i], i >= first && i < end);
	ann_listing_deinit(&listing);
	ann_functions_deinit(&functions);
}

static void short_functions_are_whole(void **state)
{
	(void)state;
	expect_shown(500, 100, 0, 500);
	expect_shown(1, 0, 0, 1);
}

static void long_functions_near_samples(void **state)
{
	(void)state;
	expect_shown(501, 100, 92, 109);
	expect_shown(501, 3, 0, 12);
	expect_shown(501, 500, 492, 501);
	expect_shown(501, 501, 0, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(short_functions_are_whole),
		cmocka_unit_test(long_functions_near_samples),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
