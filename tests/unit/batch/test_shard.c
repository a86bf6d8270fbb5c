/* Shards: each name belongs to exactly one of any number, on each machine to the same. */
#include "tests/unit/test.h"

#include <stdio.h>
#include <string.h>

#include "batch/digest.h"
#include "batch/shard.h"

static void shards_are_disjoint_and_complete(void **state)
{
	enum { N_NAMES = 2000 };
	char name[64];

	(void)state;
	for (uint64_t count = 1; count < 20; count++) {
		size_t n_of[20] = { 0 };

		for (size_t i = 0; i < N_NAMES; i++) {
			size_t n = 0;

			snprintf(name, sizeof(name), "api/host%zu/perf.data", i);
			for (uint64_t index = 0; index < count; index++) {
				const struct bat_shard shard = { index, count };

				n_of[index] += bat_shard_has(&shard, name);
				n += bat_shard_has(&shard, name);
			}
			assert_int_equal(n, 1);
		}
		/* Parts are of similar sizes. The names are fixed, so this is not left to luck. */
		for (uint64_t index = 0; index < count; index++)
			assert_in_range(n_of[index], N_NAMES / count / 2, 2 * N_NAMES / count);
	}
}

static void everything_is_in_no_shard(void **state)
{
	const struct bat_shard all = { 0 };

	(void)state;
	assert_true(bat_shard_has(&all, ""));
	assert_true(bat_shard_has(&all, "a"));
}

/* Machines with other versions must find the same parts: these are XXH3 of 64 and 128 bits. */
static void digests_never_change(void **state)
{
	char digest[BAT_DIGEST_SIZE];

	(void)state;
	assert_int_equal(bat_digest_number(""), 0x2d06800538d394c2);
	bat_digest_text("", digest);
	assert_string_equal(digest, "99aa06d3014798d86001c324468d497f");
}

static void shards_are_parsed(void **state)
{
	static const char *const wrong[] = { "", "1", "/", "1/", "/2", "2/2", "0/0", "-1/2",
		"1/2/3", "1/2x", " 1/2", "a/b", "1/1000000001" };
	struct bat_shard shard;

	(void)state;
	assert_ok(bat_shard_parse("3/8", &shard));
	assert_int_equal(shard.index, 3);
	assert_int_equal(shard.count, 8);
	assert_ok(bat_shard_parse("0/1", &shard));
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_error(bat_shard_parse(wrong[i], &shard), PD_ERROR_USAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shards_are_disjoint_and_complete),
		cmocka_unit_test(everything_is_in_no_shard),
		cmocka_unit_test(digests_never_change),
		cmocka_unit_test(shards_are_parsed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
