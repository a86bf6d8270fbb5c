#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "resolve/binaries/unwind_marks.h"

static void test_names(void **state)
{
	struct resolve_roots roots = { .n = 0 };

	(void)state;
	resolve_roots_add(&roots, "runtime.goexit.abi0", 0x10, 0x20);
	resolve_roots_add(&roots, "runtime.goexit0", 0x30, 0x40);
	resolve_roots_add(&roots, "runtime.goexit.abi01", 0x30, 0x40);
	resolve_roots_add(&roots, "runtime.systemstack_switch", 0x30, 0x40);
	resolve_roots_add(&roots, "runtime.mcall", 0x50, 0x60);
	resolve_roots_add(&roots, "runtime", 0x70, 0x80);
	resolve_roots_add(&roots, "", 0x70, 0x80);
	assert_int_equal(roots.n, 2);
	assert_int_equal(roots.list[0].start, 0x10);
	assert_int_equal(roots.list[0].end, 0x20);
	assert_false(roots.list[0].switches);
	assert_int_equal(roots.list[1].start, 0x50);
	assert_true(roots.list[1].switches);
}

static void test_limit(void **state)
{
	struct resolve_roots roots = { .n = 0 };

	(void)state;
	for (uint64_t i = 0; i < 2 * UNW_MAX_ROOTS; i++)
		resolve_roots_add(&roots, "runtime.mstart", i, i + 1);
	assert_int_equal(roots.n, UNW_MAX_ROOTS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
