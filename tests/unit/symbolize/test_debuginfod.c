#include "symbolize/find/debuginfod.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Environment of a program that sets the variables itself, so that strings show who set them. */
static char urls[] = "DEBUGINFOD_URLS=http://localhost:1";
static char timeout[] = "DEBUGINFOD_TIMEOUT=30";
static char retry[] = "DEBUGINFOD_RETRY_LIMIT=0";

static void put_all(void)
{
	assert_int_equal(putenv(urls), 0);
	assert_int_equal(putenv(timeout), 0);
	assert_int_equal(putenv(retry), 0);
	unsetenv("DEBUGINFOD_PROGRESS");
	unsetenv("DEBUGINFOD_VERBOSE");
}

static void create(const struct sym_debuginfod_opts *opts)
{
	struct sym_debuginfod *debuginfod;

	assert_null(sym_debuginfod_create(opts, &debuginfod));
	sym_debuginfod_destroy(debuginfod);
}

static const char *value_of(const char *variable)
{
	return strchr(variable, '=') + 1;
}

static void variables_with_the_right_values_stay(void **state)
{
	(void)state;
	put_all();
	create(&(struct sym_debuginfod_opts){ .urls = "http://localhost:1" });
	assert_ptr_equal(getenv("DEBUGINFOD_URLS"), value_of(urls));
	assert_ptr_equal(getenv("DEBUGINFOD_TIMEOUT"), value_of(timeout));
	assert_ptr_equal(getenv("DEBUGINFOD_RETRY_LIMIT"), value_of(retry));
}

static void variables_with_other_values_are_set(void **state)
{
	(void)state;
	put_all();
	setenv("DEBUGINFOD_PROGRESS", "1", 1);
	create(&(struct sym_debuginfod_opts){ .urls = "http://localhost:2", .timeout = 7 });
	assert_string_equal(getenv("DEBUGINFOD_URLS"), "http://localhost:2");
	assert_string_equal(getenv("DEBUGINFOD_TIMEOUT"), "7");
	assert_ptr_equal(getenv("DEBUGINFOD_RETRY_LIMIT"), value_of(retry));
	assert_null(getenv("DEBUGINFOD_PROGRESS"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(variables_with_the_right_values_stay),
		cmocka_unit_test(variables_with_other_values_are_set),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
