/* Paths without a look at files. */
#include "tests/unit/test.h"

#include "symbolize/file/path.h"

static void paths_below_a_directory(void **state)
{
	(void)state;
	assert_string_equal(sym_path_after("/usr/lib/debug/a", "/usr/lib"), "/debug/a");
	assert_string_equal(sym_path_after("/usr/lib/debug/a", "/usr/lib//"), "/debug/a");
	assert_string_equal(sym_path_after("sysroot/bin", "sysroot"), "/bin");
	assert_string_equal(sym_path_after("/usr/", "/usr"), "/");
}

static void paths_that_are_not_below_it(void **state)
{
	(void)state;
	assert_null(sym_path_after("/usr/library", "/usr/lib"));
	assert_null(sym_path_after("/usr/lib", "/usr/lib"));
	assert_null(sym_path_after("/usr", "/usr/lib"));
	assert_null(sym_path_after("/lib", "lib"));
}

static void every_absolute_path_is_below_the_root(void **state)
{
	(void)state;
	assert_string_equal(sym_path_after("/a/b", "/"), "/a/b");
	assert_string_equal(sym_path_after("/a/b", "//"), "/a/b");
	assert_string_equal(sym_path_after("/a/b", ""), "/a/b");
	assert_null(sym_path_after("a/b", "/"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(paths_below_a_directory),
		cmocka_unit_test(paths_that_are_not_below_it),
		cmocka_unit_test(every_absolute_path_is_below_the_root),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
