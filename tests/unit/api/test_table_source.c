/* Tests of api/table_maker.h: programs that a command has started are found again. */
#include "tests/unit/test.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "api/table_maker.h"
#include "base/array.h"
#include "base/io/cache_dir.h"

static char dir[64] = "/tmp/pdconv-test-XXXXXX";

static int make_dir(void **state)
{
	(void)state;
	return mkdtemp(dir) ? 0 : -1;
}

static int remove_dir(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf '%s'", dir);
	return system(command);
}

static void expect_started(const char *command, const char *const *paths, size_t n)
{
	struct api_started started = { 0 };

	assert_ok(api_started_load(dir, command, &started));
	assert_int_equal(started.paths.n, n);
	for (size_t i = 0; i < n; i++)
		assert_string_equal(started.paths.data[i], paths[i]);
	api_started_deinit(&started);
}

static void test_kept(void **state)
{
	static const char *const paths[] = { "/usr/lib/gcc/cc1", "/usr/bin/as\n" };
	static const char *const one[] = { "/bin/ls" };

	(void)state;
	expect_started("gcc", NULL, 0);
	api_started_save(dir, "gcc", paths, PD_ARRAY_LEN(paths));
	expect_started("gcc", paths, PD_ARRAY_LEN(paths));
	expect_started("g++", NULL, 0);
	api_started_save(dir, "gcc", one, 1);
	expect_started("gcc", one, 1);
	/* A path is the same in each folder, and one that does not exist has none. */
	api_started_save(dir, "/bin/../bin/sh", one, 1);
	expect_started("/bin/sh", one, 1);
	api_started_save(dir, "/no/such/program", one, 1);
	expect_started("/no/such/program", NULL, 0);
	/* Without a cache nothing is kept. */
	api_started_save(NULL, "gcc", paths, PD_ARRAY_LEN(paths));
	expect_started("gcc", one, 1);
}

/* A file that was cut, or is that of another command, is not used. */
static void test_damaged(void **state)
{
	static const struct {
		const char *bytes;
		size_t size;
	} contents[] = { { "", 0 }, { "cat", 3 }, { "cc\0/bin/ls", 11 }, { "cat\0/bin/ls", 11 } };
	static const char *const one[] = { "/bin/ls" };
	glob_t found;
	char pattern[128];

	(void)state;
	snprintf(pattern, sizeof(pattern), "%s/*" PD_STARTED_SUFFIX, dir);
	if (glob(pattern, 0, NULL, &found) == 0) {
		for (size_t i = 0; i < found.gl_pathc; i++)
			unlink(found.gl_pathv[i]);
		globfree(&found);
	}
	api_started_save(dir, "cat", one, 1);
	assert_int_equal(glob(pattern, 0, NULL, &found), 0);
	assert_int_equal(found.gl_pathc, 1);
	const char *name = strrchr(found.gl_pathv[0], '/') + 1;
	for (size_t i = 0; i < PD_ARRAY_LEN(contents); i++) {
		const struct iovec parts[] = { { (void *)(uintptr_t)contents[i].bytes,
			contents[i].size } };

		assert_true(base_cache_dir_write(dir, name, parts, 1));
		expect_started("cat", NULL, 0);
	}
	globfree(&found);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kept),
		cmocka_unit_test(test_damaged),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
