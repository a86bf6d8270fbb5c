/* Texts of the report: names that are fitted to a line, shares and amounts. */
#include "tests/unit/test.h"

#include <stdlib.h>
#include <string.h>

#include "output/report_text.h"

/* Symbols with a single one: @p name of @p binary. */
static struct prof_symbols one_symbol(const char *name, const char *binary)
{
	struct prof_symbols symbols = { 0 };
	const struct prof_symbol symbol = {
		.name = pd_intern_str(&symbols.texts, name),
		.binary = pd_intern_str(&symbols.texts, binary),
	};

	assert_int_equal(pd_intern_add(&symbols.list, &symbol, sizeof(symbol)), 0);
	return symbols;
}

static void expect_symbol(const char *name, const char *binary, size_t width, const char *expected)
{
	struct prof_symbols symbols = one_symbol(name, binary);
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	out_report_write_symbol(&symbols, 0, width, out);
	fclose(out);
	text[strcspn(text, "\n")] = '\0';
	assert_string_equal(text, expected);
	free(text);
	prof_symbols_deinit(&symbols);
}

static void names_keep_their_last_part(void **state)
{
	static const char cxx[] = "ns::Vector<ns::Item, std::less<ns::Item> >::push_back";

	(void)state;
	expect_symbol(
		cxx, "app", 0, "ns::Vector<ns::Item, std::less<ns::Item> >::push_back  (app)");
	expect_symbol(
		cxx, "app", 60, "ns::Vector<ns::Item, std::less<ns::Item> >::push_back  (app)");
	expect_symbol(cxx, "app", 40, "ns::Vector<ns::Item...::push_back  (app)");
	/* Even in the narrowest line the method can be seen. */
	expect_symbol(cxx, "app", 5, "...::push_back  (app)");
	expect_symbol("short", "", 80, "short");
}

static void last_parts_are_found(void **state)
{
	(void)state;
	expect_symbol("aaaaaaaaaaaaaaaaaaaa::f<b::c>", "", 16, "aaaa...::f<b::c>");
	expect_symbol("aaaaaaaaaaaaaaaaaaaa::operator<<", "", 20, "aaaaa...::operator<<");
	expect_symbol("aaaaaaaaaaaaaaaaaaaa::operator->", "", 20, "aaaaa...::operator->");
	expect_symbol("aaaaaaaaaaaaaaaaaaaa::operators::f", "", 12, "aaaaaa...::f");
	expect_symbol("github.com/someone/package.(*T).Method", "", 20, "github.com....Method");
	expect_symbol("<alloc::vec::Vec<T> as core::iter::FromIterator<T>>::from_iter", "", 30,
		"<alloc::vec::Vec...::from_iter");
	expect_symbol("a_name_without_parts_is_written_as_it_is", "", 10,
		"a_name_without_parts_is_written_as_it_is");
}

static void expect_amount(uint64_t amount, const char *unit, const char *expected)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	out_report_write_amount(amount, unit, out);
	fclose(out);
	assert_string_equal(text, expected);
	free(text);
}

static void amounts_have_units(void **state)
{
	(void)state;
	expect_amount(0, "nanoseconds", "0 ns");
	expect_amount(999, "nanoseconds", "999 ns");
	expect_amount(565000000, "nanoseconds", "565 ms");
	expect_amount(1240000000, "nanoseconds", "1.24 s");
	expect_amount(150000000000, "nanoseconds", "2.5 min");
	expect_amount(1234567, "page-faults", "1234567 page-faults");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_keep_their_last_part),
		cmocka_unit_test(last_parts_are_found),
		cmocka_unit_test(amounts_have_units),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
