/* Names of functions that are fitted to a line. */
#include "tests/unit/test.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/printable.h"
#include "base/names/name_fit.h"
#include "base/names/name_match.h"

static void expect(const char *name, size_t width, const char *expected)
{
	char *fitted = base_name_fit(name, NULL, width);

	assert_non_null(fitted);
	assert_string_equal(fitted, expected);
	free(fitted);
}

static void arguments_collapse_first(void **state)
{
	static const char nested[] =
		"ns::Map<ns::Key, ns::List<ns::Item, std::less<ns::Item> > >::find";

	(void)state;
	expect(nested, 80, nested);
	expect(nested, 64, "ns::Map<ns::Key, ns::List<ns::Item, std::less<...> > >::find");
	expect(nested, 45, "ns::Map<ns::Key, ns::List<...> >::find");
	expect(nested, 30, "ns::Map<...>::find");
	expect("java.lang.Object java.util.TreeMap.get(java.lang.Object, int)", 50,
		"java.lang.Object java.util.TreeMap.get(...)");
	expect("java.lang.Object java.util.TreeMap.get(java.lang.Object, int)", 30,
		"java.util.TreeMap.get(...)");
	expect("java.lang.Object java.util.TreeMap.get(java.lang.Object, int)", 20,
		"...TreeMap.get(...)");
}

static void strings_are_written_as_by_programmers(void **state)
{
	(void)state;
	expect("std::vector<std::__cxx11::basic_string<char, std::char_traits<char>, "
	       "std::allocator<char> >, int>::push_back",
		48, "std::vector<std::string, int>::push_back");
}

static void middles_are_cut_at_last(void **state)
{
	(void)state;
	expect("one::two::three::Four<int, char>::five", 27, "...::three::Four<...>::five");
	expect("one::two::three::Four<int, char>::five", 16, "one::tw...::five");
	/* Beginnings of one or two letters say nothing. */
	expect("one::two::three::Four<int, char>::five", 11, "...::five");
	expect("one::two::three::Four<int, char>::five", 3, "...::five");
	expect("a_name_without_parts_is_written_as_it_is", 10,
		"a_name_without_parts_is_written_as_it_is");
}

static void operators_are_names(void **state)
{
	(void)state;
	expect("aaaaaaaaaaaaaaaaaaaa::operator<<", 20, "aaaaa...::operator<<");
	expect("aaaaaaaaaaaaaaaaaaaa::operator->", 20, "aaaaa...::operator->");
	expect("aaaaaaaa::operator< <int, long>", 28, "aaaaaaaa::operator< <...>");
	expect("aaaaaaaaaaaaaaaaaaaa::operators::f", 12, "aaaaaa...::f");
}

static void closures_keep_their_functions(void **state)
{
	(void)state;
	expect("store::TfIdf::score(std::vector<int> const&) const::{lambda(double, int)#1}::operator()",
		50, "...::score(...) const::{lambda(...)#1}::operator()");
	expect("server::main::run::{{closure}}::{{closure}}", 38,
		"serv...::run::{{closure}}::{{closure}}");
	expect("msort_with_tmp_and_a_long_name.part.0", 20,
		"msort_with_tmp_and_a_long_name.part.0");
}

static void rust_types_lose_modules(void **state)
{
	static const char from_iter[] =
		"<alloc::vec::Vec<T> as core::iter::traits::collect::FromIterator<T>>::from_iter";

	(void)state;
	expect(from_iter, 79, from_iter);
	expect(from_iter, 60, "<Vec<T> as FromIterator<T>>::from_iter");
	expect("<alloc::boxed::Box<dyn core::ops::FnOnce<(), Output = ()> + core::marker::Send> as "
	       "core::ops::FnOnce<()>>::call_once",
		50, "<Box<...> as FnOnce<()>>::call_once");
	expect(from_iter, 24, "<Vec<T> as...::from_iter");
	expect("<impl core::fmt::Display for my::long::path::Type>::fmt", 34,
		"<impl Display for Type>::fmt");
}

static void go_paths_are_cut_first(void **state)
{
	static const char load[] =
		"github.com/example/warehouse/internal/inventory.(*Service).Load";

	(void)state;
	expect(load, 63, load);
	expect(load, 50, ".../warehouse/internal/inventory.(*Service).Load");
	expect(load, 47, ".../internal/inventory.(*Service).Load");
	expect(load, 30, ".../inventory.(*Service).Load");
	expect(load, 27, "inventory...(*Service).Load");
	expect("github.com/example/inventory.(*Service).Top.func1.1", 36,
		".../inventory.(*Service).Top.func1.1");
	expect("example.com/a/inventory.(*Repository[go.shape.string_0,go.shape.int_1]).Each", 38,
		".../inventory.(*Repository[...]).Each");
}

static void columns_of_a_terminal_count(void **state)
{
	(void)state;
	/* Five wide characters are fifteen bytes and ten columns. */
	expect("\xe6\xb8\xac\xe5\xae\x9a\xe6\xb8\xac\xe5\xae\x9a\xe6\xb8\xac", 10,
		"\xe6\xb8\xac\xe5\xae\x9a\xe6\xb8\xac\xe5\xae\x9a\xe6\xb8\xac");
	expect("\xe6\xb8\xac\xe5\xae\x9a\xe6\xb8\xac\xe5\xae\x9a::f", 10,
		"\xe6\xb8\xac\xe5\xae\x9a...::f");
	/* An accent is not separated from its letter. */
	expect("e\xcc\x81t\xcc\x81"
	       "ablissement::f",
		8,
		"e\xcc\x81t\xcc\x81"
		"...::f");
	assert_int_equal(base_columns("e\xcc\x81t\xcc\x81"), 2);
	assert_int_equal(base_columns("a\tb"), 6);
}

static void differences_are_kept(void **state)
{
	static const char of_ints[] =
		"ns::sort_all_of<std::vector<ns::Item<int> >, ns::By<int>, long>";
	static const char of_chars[] =
		"ns::sort_all_of<std::vector<ns::Item<int> >, ns::By<char>, long>";

	(void)state;
	char *alone = base_name_fit(of_ints, NULL, 48);
	char *x = base_name_fit(of_ints, of_chars, 48);
	char *y = base_name_fit(of_chars, of_ints, 48);
	assert_string_equal(alone, "ns::sort_all_of<...>");
	assert_string_equal(x, "ns::sort_all_of<...int...>");
	assert_string_equal(y, "ns::sort_all_of<...char...>");
	free(alone);
	free(x);
	free(y);
}

/* Names by compilers and runtimes, and one of nothing but brackets. */
static const char *const names[] = {
	"std::_Rb_tree<std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >, "
	"std::pair<std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> > const, "
	"std::pair<int, int> >, std::less<int> >::_M_lower_bound",
	"std::__future_base::_Task_setter<std::unique_ptr<int>, main()::<lambda()> >::operator()",
	"std::enable_if<(1 > 2), int>::type ns::f<(ns::E)1>(int (*)(char, long), int)",
	"void (*ns::g(int))(char)",
	"operator new",
	"boost::operator|<a<b>, c>",
	"core::ops::function::FnOnce::call_once{{vtable.shim}}",
	"<m::engine::Poly<N> as m::engine::Shape>::area",
	"m::main::{{closure}}::{{closure}}::h0123456789abcdef",
	"encoding/json.(*decodeState).object",
	"type..eq.[2]runtime.Frame",
	"main.main.func1.gowrap2",
	"void App$$Lambda$18/0x00007feb58003440.accept(java.lang.Object, java.lang.Object)",
	"Ljava/util/TreeMap;::computeIfAbsent",
	"LazyCompile:*handle /srv/app/node_modules/express/lib/router/index.js:136",
	"-[NSString(Paths) stringByAppendingPathComponent:]",
	"std::ops::<impl core::ops::Add<&B> for A>::add",
	"\xe6\xb8\xac\xe5\xae\x9a<\xe6\xb8\xac, \xe5\xae\x9a>::\xe6\xb8\xac",
	"a\x1b[31mb::c\xc2\x9bz<1, 22222>::d",
	"<<<<((((::[[[[.>>>>....))))",
	"::",
	".",
	"",
	"...",
	"a..b",
	"/",
	"a/b/",
	"[[vdso]]",
};

/* Options take names as they are shown. */
static void expect_found(const char *fitted, const char *name)
{
	struct base_wanted_name *wanted;
	struct pd_error *err = base_wanted_name_create(fitted, &wanted);

	assert_null(err);
	if (base_wanted_name_compare(wanted, name) == BASE_NAME_OTHER)
		fail_msg("\"%s\" does not stand for \"%s\"", fitted, name);
	base_wanted_name_destroy(wanted);
}

/* Names fit every width that their last part fits, and stay as they are if they fit. */
static void names_fit_if_their_last_part_does(void **state)
{
	(void)state;
	for (size_t i = 0; i < PD_ARRAY_LEN(names); i++) {
		size_t least = base_name_least_columns(names[i]);

		assert_true(least <= base_columns(names[i]) + strlen("..."));
		for (size_t width = 1; width < 250; width++) {
			char *fitted = base_name_fit(
				names[i], names[(i + 1) % PD_ARRAY_LEN(names)], width);

			assert_non_null(fitted);
			if (base_columns(fitted) > width && base_columns(fitted) > least)
				fail_msg("%zu columns: %s", width, fitted);
			if (base_columns(names[i]) <= width)
				assert_string_equal(fitted, names[i]);
			expect_found(fitted, names[i]);
			free(fitted);
		}
	}
}

/* Brackets that do not match do not lead outside of the text. */
static void anything_can_be_fitted(void **state)
{
	static const char letters[] = "<>()[]{}:-o! a./\xc2\x9b";
	uint32_t random = 1;

	(void)state;
	for (int round = 0; round < 20000; round++) {
		char text[40] = "";
		size_t len = random % (sizeof(text) - 1);

		for (size_t i = 0; i < len; i++) {
			random = random * 1103515245 + 12345;
			text[i] = letters[(random >> 16) % (sizeof(letters) - 1)];
		}
		size_t width = 1 + random % 30;
		char *fitted = base_name_fit(text, "<a>::b", width);
		assert_non_null(fitted);
		assert_true(base_columns(fitted) <= width ||
			    base_columns(fitted) <= base_name_least_columns(text));
		free(fitted);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arguments_collapse_first),
		cmocka_unit_test(strings_are_written_as_by_programmers),
		cmocka_unit_test(middles_are_cut_at_last),
		cmocka_unit_test(operators_are_names),
		cmocka_unit_test(closures_keep_their_functions),
		cmocka_unit_test(rust_types_lose_modules),
		cmocka_unit_test(go_paths_are_cut_first),
		cmocka_unit_test(columns_of_a_terminal_count),
		cmocka_unit_test(differences_are_kept),
		cmocka_unit_test(names_fit_if_their_last_part_does),
		cmocka_unit_test(anything_can_be_fitted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
