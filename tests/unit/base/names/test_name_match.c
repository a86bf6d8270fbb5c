/* Names as people give them: what is close to them, and what is not. */
#include "tests/unit/test.h"

#include <stdint.h>

#include <pdconv/error.h>

#include "base/array.h"
#include "base/names/name_match.h"

static enum base_closeness compare(const char *text, const char *name)
{
	struct base_wanted_name *wanted;

	assert_null(base_wanted_name_create(text, &wanted));
	enum base_closeness closeness = base_wanted_name_compare(wanted, name);
	base_wanted_name_destroy(wanted);
	return closeness;
}

static void test_closeness(void **state)
{
	(void)state;
	static const struct {
		const char *wanted;
		const char *name;
		enum base_closeness closeness;
	} rows[] = {
		{ "ns::Index<int>::add", "ns::Index<int>::add", BASE_NAME_SAME },
		{ "ns::Index::add", "ns::Index<int>::add", BASE_NAME_INSTANCE },
		{ "ns::Index::add", "void ns::Index<int>::add<char>(int) const",
			BASE_NAME_INSTANCE },
		{ "ns::Index<int>::add", "ns::Index< int >::add(int)", BASE_NAME_INSTANCE },
		{ "ns::Index<char>::add", "ns::Index<int>::add", BASE_NAME_OTHER },
		{ "Index::add", "ns::Index<int>::add(int)", BASE_NAME_PARTS },
		{ "ns::add", "ns::Index<int>::add(int)", BASE_NAME_PARTS },
		{ "add", "ns::Index<int>::add(int)", BASE_NAME_PARTS },
		{ "add()", "ns::add", BASE_NAME_PARTS },
		{ "add(char)", "ns::add(int)", BASE_NAME_OTHER },
		{ "Index::ns::add", "ns::Index<int>::add(int)", BASE_NAME_OTHER },
		{ "Index", "ns::Index<int>::add(int)", BASE_NAME_OTHER },
		{ "dd", "ns::Index<int>::add(int)", BASE_NAME_OTHER },
		{ "add", "ns::Index::addend", BASE_NAME_OTHER },
		{ "other::add", "ns::Index::add", BASE_NAME_OTHER },
		{ "bar", "std::vector<int, std::allocator<int> > foo::bar(char)", BASE_NAME_PARTS },
		{ "foo::bar", "std::vector<int> foo::bar(char)", BASE_NAME_PARTS },
		{ "add", "(anonymous namespace)::add(int)", BASE_NAME_PARTS },
		{ "operator()", "ns::Less::operator()(int, int) const", BASE_NAME_PARTS },
		{ "Less::operator()", "ns::Less::operator()(int, int) const", BASE_NAME_PARTS },
		{ "operator<", "bool ns::operator< <int>(int)", BASE_NAME_PARTS },
		{ "operator new", "operator new(unsigned long)", BASE_NAME_INSTANCE },
		{ "f", "f(int) [clone .cold]", BASE_NAME_INSTANCE },
		/* Rust. */
		{ "Vec::from_iter",
			"<alloc::vec::Vec<T> as core::iter::FromIterator<T>>::from_iter",
			BASE_NAME_PARTS },
		{ "FromIterator::from_iter",
			"<alloc::vec::Vec<T> as core::iter::FromIterator<T>>::from_iter",
			BASE_NAME_PARTS },
		{ "Iter::from_iter",
			"<alloc::vec::Vec<T> as core::iter::FromIterator<T>>::from_iter",
			BASE_NAME_OTHER },
		/* Go. */
		{ "tokenize", "main.tokenize", BASE_NAME_PARTS },
		{ "inventory.Service.Load", "example.com/shop/inventory.(*Service).Load",
			BASE_NAME_PARTS },
		{ "inventory.(*Service).Load", "example.com/shop/inventory.(*Service).Load",
			BASE_NAME_PARTS },
		{ "Load", "example.com/shop/inventory.(*Service).Load", BASE_NAME_PARTS },
		{ "entory.Load", "example.com/shop/inventory.(*Service).Load", BASE_NAME_OTHER },
		{ "Map", "main.Map[go.shape.int]", BASE_NAME_PARTS },
		/* Java, Node.js, Python. */
		{ "J.render", "void org.J.render(int, java.lang.String)", BASE_NAME_PARTS },
		{ "render", "J.render", BASE_NAME_PARTS },
		{ "parse", "JS:*parse /app/x.js:12:3", BASE_NAME_INSTANCE },
		{ "parse", "LazyCompile:~parse file:///app/x.mjs:12:3", BASE_NAME_INSTANCE },
		{ "add", "py::Index.add:/app/x.py", BASE_NAME_PARTS },
		{ "Index.add", "py::Index.add:/app/x.py", BASE_NAME_INSTANCE },
		/* As a terminal shows them. */
		{ "std::vector<...>::push_back",
			"std::vector<int, std::allocator<int> >::push_back", BASE_NAME_SHORTENED },
		{ "vector<...>::push_back",
			"void std::vector<int, std::allocator<int> >::push_back(int const&)",
			BASE_NAME_SHORTENED },
		{ "std::vector<...>::push_back", "std::vector<int>::push_front", BASE_NAME_OTHER },
		{ ".../inventory.(*Service).Load", "example.com/shop/inventory.(*Service).Load",
			BASE_NAME_SHORTENED },
		{ "std...push_back", "std::vector<int>::push_back", BASE_NAME_SHORTENED },
		{ "find(std::string...)",
			"find(std::__cxx11::basic_string<char, std::char_traits<char>, "
			"std::allocator<char> > const&)",
			BASE_NAME_OTHER },
		{ "...", "anything", BASE_NAME_SHORTENED },
		/* Regular expressions. */
		{ "/Ind.*add/", "ns::Index<int>::add", BASE_NAME_PATTERN },
		{ "/^add/", "ns::Index<int>::add", BASE_NAME_OTHER },
		{ "/", "/", BASE_NAME_SAME },
		{ "", "", BASE_NAME_SAME },
		{ "", "add", BASE_NAME_OTHER },
		{ "add", "", BASE_NAME_OTHER },
		{ "::", "a::b", BASE_NAME_OTHER },
		{ "[unknown]", "[unknown]", BASE_NAME_SAME },
	};

	for (size_t i = 0; i < PD_ARRAY_LEN(rows); i++) {
		enum base_closeness closeness = compare(rows[i].wanted, rows[i].name);

		if (closeness != rows[i].closeness)
			fail_msg("\"%s\" for \"%s\": %d instead of %d", rows[i].wanted,
				rows[i].name, closeness, rows[i].closeness);
	}
}

static void test_bad_pattern(void **state)
{
	(void)state;
	struct base_wanted_name *wanted;

	struct pd_error *err = base_wanted_name_create("/(/", &wanted);

	assert_non_null(err);
	assert_int_equal(err->code, PD_ERROR_USAGE);
	pd_error_destroy(err);
}

static void test_distance(void **state)
{
	(void)state;
	struct base_wanted_name *wanted;

	assert_null(base_wanted_name_create("Index::multipyl", &wanted));
	assert_int_equal(base_wanted_name_distance(wanted, "idx::Index<int>::multiply(int)"), 1);
	assert_int_equal(base_wanted_name_distance(wanted, "idx::Index<int>::divide"), SIZE_MAX);
	base_wanted_name_destroy(wanted);
	assert_null(base_wanted_name_create("mult", &wanted));
	assert_int_equal(base_wanted_name_distance(wanted, "idx::Index::Multiply"), 0);
	assert_int_equal(base_wanted_name_distance(wanted, "malt"), 1);
	base_wanted_name_destroy(wanted);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_closeness),
		cmocka_unit_test(test_bad_pattern),
		cmocka_unit_test(test_distance),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
