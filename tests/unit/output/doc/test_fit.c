/* Texts of the report: names that are fitted to a line, shares and amounts. */
#include "tests/unit/test.h"

#include <stdlib.h>
#include <string.h>

#include "output/doc/fit.h"

static void expect_function(
	const struct out_function_text *function, size_t width, const char *expected)
{
	struct out_function_text in_line = *function;
	struct out_fitted fitted;
	char text[256];

	in_line.width = width;
	assert_true(out_fit_function(&in_line, NULL, &fitted));
	snprintf(text, sizeof(text), "%s%s", fitted.name, fitted.binary);
	assert_string_equal(text, expected);
	out_fitted_deinit(&fitted);
}

static void functions_share_the_line_with_binaries(void **state)
{
	const struct out_function_text function = {
		.name = "ns::Vector<ns::Item, std::less<ns::Item> >::push_back",
		.binary = "app",
		.is_inlined = true,
	};
	const struct out_function_text in_long = {
		.name = "encode",
		.binary = "_json.cpython-311-x86_64-linux-gnu.so",
	};

	(void)state;
	expect_function(&function, 0,
		"ns::Vector<ns::Item, std::less<ns::Item> >::push_back  (app, inlined)");
	expect_function(&function, 44, "ns::Vector<...>::push_back  (app, inlined)");
	/* Even in the narrowest line the method can be seen. */
	expect_function(&function, 5, "...::push_back  (app, inlined)");
	expect_function(&in_long, 0, "encode  (_json.cpython-311-x86_64-linux-gnu.so)");
	expect_function(&in_long, 60, "encode  (_json.cpy...x-gnu.so)");
	expect_function(
		&(struct out_function_text){ .name = "[unknown]", .binary = "" }, 60, "[unknown]");
}

static void binaries_are_named_once(void **state)
{
	struct out_function_text function = { .name = "[libc.so.6]", .binary = "libc.so.6" };

	(void)state;
	expect_function(&function, 0, "[libc.so.6]");
	function.name = "[libc.so.60]";
	expect_function(&function, 0, "[libc.so.60]  (libc.so.6)");
	function = (struct out_function_text){ "[kernel.kallsyms]", "[kernel.kallsyms]", false, 0 };
	expect_function(&function, 0, "[kernel.kallsyms]");
	function.name = "schedule";
	expect_function(&function, 0, "schedule  [kernel.kallsyms]");
	function.is_inlined = true;
	expect_function(&function, 0, "schedule  ([kernel.kallsyms], inlined)");
	function.binary = "";
	expect_function(&function, 0, "schedule  (inlined)");
}

static void expect_amount(uint64_t amount, const char *unit, const char *expected)
{
	char buf[OUT_AMOUNT_SIZE];

	assert_string_equal(out_fit_amount(amount, unit, buf), expected);
}

static void amounts_have_units(void **state)
{
	(void)state;
	expect_amount(0, "nanoseconds", "0 ns");
	expect_amount(999, "nanoseconds", "999 ns");
	expect_amount(565000000, "nanoseconds", "565 ms");
	expect_amount(999400000, "nanoseconds", "999 ms");
	expect_amount(999600000, "nanoseconds", "1 s");
	expect_amount(1240000000, "nanoseconds", "1.24 s");
	expect_amount(150000000000, "nanoseconds", "2.5 min");
	expect_amount(1234567, "page-faults", "1234567 page-faults");
	expect_amount(42, NULL, "42");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_share_the_line_with_binaries),
		cmocka_unit_test(binaries_are_named_once),
		cmocka_unit_test(amounts_have_units),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
