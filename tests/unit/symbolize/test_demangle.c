#include "tests/unit/symbolize/fixture.h"

#include "base/array.h"
#include "symbolize/symbols/demangle.h"

static const struct {
	const char *mangled;
	const char *plain;
} NAMES[] = {
	{ "main", "main" },
	{ "", "" },
	{ "_", "_" },
	{ "_Z", "_Z" },
	{ "_start", "_start" },
	{ "_ZN2ns3addEii", "ns::add" },
	{ "_Z3fooIiEvT_", "foo<int>" },
	{ "_ZNK3FoocviEv", "Foo::operator int" },
	{ "_ZN3FooC4Ev", "Foo::Foo" },
	{ "_ZZ4mainENKUliE_clEi", "main::{lambda(int)#1}::operator()" },
	/* Clones of C++ functions have the name of the original function, as in perf. */
	{ "_ZL3bigll.constprop.0", "big" },
	{ "_Z3foov.cold", "foo" },
	{ "_Z3foov.llvm.123", "foo" },
	{ "big.constprop.0", "big.constprop.0" },
	{ "main.cold", "main.cold" },
	/* Rust, legacy and v0. */
	{ "_ZN4core3fmt5write17h01234567890abcdeE", "core::fmt::write" },
	{ "_RNvC6_123foo3bar", "123foo::bar" },
	/* The crate has an empty name. */
	{ "_RNvC0_1", "_RNvC0_1" },
	/* D. */
	{ "_D3std5stdio6writefFAyaZv", "std.stdio.writef" },
	{ "_D8demangle11__T4testTaZ4testFaZv", "demangle.test!(char).test" },
	{ "_D8demangle4testFaZ5innerMFiZv", "demangle.test.inner" },
	{ "_D8demangle4testMxFZv", "demangle.test" },
	/* Symbol versions, and entries of the procedure linkage table. */
	{ "memcpy@@GLIBC_2.14", "memcpy" },
	{ "_Z3foov@@V1", "foo" },
	{ "printf@plt", "printf@plt" },
	{ "_Znwm@plt", "operator new@plt" },
	{ "_ZNbroken", "_ZNbroken" },
	/* Other names with this character, which are those of Crystal. */
	{ "*ArgumentError@Exception#initialize<String>:Nil",
		"*ArgumentError@Exception#initialize<String>:Nil" },
	{ "~proc@/usr/lib/crystal/kernel.cr:12", "~proc@/usr/lib/crystal/kernel.cr:12" },
	{ "a@b@V1", "a@b" },
	{ "foo@", "foo@" },
	{ "@", "@" },
};

static void test_names(void **state)
{
	struct pd_arena arena = { 0 };

	(void)state;
	for (size_t i = 0; i < PD_ARRAY_LEN(NAMES); i++)
		assert_string_equal(sym_demangle(&arena, NAMES[i].mangled, SYM_FORM_TEMPLATES, 0),
			NAMES[i].plain);
	pd_arena_deinit(&arena);
}

static const struct {
	const char *mangled;
	const char *shortened;
	const char *full;
} FORMS[] = {
	{ "main", "main", "main" },
	{ "_ZN2ns3addEii", "ns::add", "ns::add(int, int)" },
	{ "_Z3fooIiEvT_", "foo", "void foo<int>(int)" },
	{ "_Z3fooIiEvT_.constprop.0", "foo", "void foo<int>(int)" },
	{ "_ZNSt6vectorIiSaIiEE9push_backERKi", "std::vector::push_back",
		"std::vector<int, std::allocator<int> >::push_back(int const&)" },
	{ "_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc", "std::operator<<",
		"std::basic_ostream<char, std::char_traits<char> >& std::operator<< "
		"<std::char_traits<char> >(std::basic_ostream<char, std::char_traits<char> >&, "
		"char const*)" },
	{ "_ZltIiEbRKT_S2_", "operator<", "bool operator< <int>(int const&, int const&)" },
	{ "_ZN3PtraSIiEERS_RKT_", "Ptr::operator=", "Ptr& Ptr::operator=<int>(int const&)" },
	{ "_ZNK3PtrIiEptEv", "Ptr::operator->", "Ptr<int>::operator->() const" },
	{ "_ZNK3Ptr1fILb1EEEvv", "Ptr::f", "void Ptr::f<true>() const" },
	{ "_ZN12_GLOBAL__N_13runIiEEvv", "(anonymous namespace)::run",
		"void (anonymous namespace)::run<int>()" },
	{ "_ZZ1fIiEvvENKUlvE_clEv", "f()::{lambda()#1}::operator()",
		"f<int>()::{lambda()#1}::operator()() const" },
	{ "_ZN1SIXgtLi2ELi1EEE1fEv", "S::f", "S<((2)>(1))>::f()" },
	{ "_Z1fv@plt", "f@plt", "f()@plt" },
	/*
	 * Rust: arguments of functions and types are removed, but not the type that a trait is for.
	 */
	{ "_RINvNtC3std3mem8align_ofdE", "std::mem::align_of", "std::mem::align_of::<f64>" },
	{ "_RNvXs5_NtCs9_1a1bINtB5_3VecmENtB5_4Drop4drop", "<a::b::Vec as a::b::Drop>::drop",
		"<a::b::Vec<u32> as a::b::Drop>::drop" },
	{ "_ZN4core3fmt5write17h01234567890abcdeE", "core::fmt::write", "core::fmt::write" },
	{ "_D8demangle11__T4testTaZ4testFaZv", "demangle.test.test",
		"demangle.test!(char).test(char)" },
};

static void test_forms(void **state)
{
	struct pd_arena arena = { 0 };

	(void)state;
	for (size_t i = 0; i < PD_ARRAY_LEN(FORMS); i++) {
		const char *name = FORMS[i].mangled;

		assert_string_equal(
			sym_demangle(&arena, name, SYM_FORM_SHORT, 0), FORMS[i].shortened);
		assert_string_equal(sym_demangle(&arena, name, SYM_FORM_FULL, 0), FORMS[i].full);
		assert_ptr_equal(sym_demangle(&arena, name, SYM_FORM_NONE, 0), name);
	}
	pd_arena_deinit(&arena);
}

/* Brackets that do not match do not lead outside of the text. */
static void test_shorten_anything(void **state)
{
	static const char letters[] = "<>()[]{}:-o! a";
	uint32_t random = 1;

	(void)state;
	for (int round = 0; round < 20000; round++) {
		char text[32] = "", *copy;
		size_t len = random % (sizeof(text) - 1);

		for (size_t i = 0; i < len; i++) {
			random = random * 1103515245 + 12345;
			text[i] = letters[(random >> 16) % (sizeof(letters) - 1)];
		}
		copy = strdup(text);
		assert_non_null(copy);
		sym_shorten(copy);
		assert_true(strlen(copy) <= len);
		free(copy);
	}
	char operators[] = "a<operator<<>::operator<";
	sym_shorten(operators);
	assert_string_equal(operators, "a::operator<");
}

/* Each substitution doubles the name, which would have 2 to the 200th parts. */
static void test_bomb(void **state)
{
	struct pd_arena arena = { 0 };
	char name[4000] = "_Z1fISt4pairIiiE";
	size_t len = strlen(name);

	(void)state;
	for (int i = 0; i < 200; i++)
		len += (size_t)snprintf(name + len, sizeof(name) - len, "St4pairIS%c_S%c_E",
			i < 10 ? '0' + i : 'A' + i % 26, i < 10 ? '0' + i : 'A' + i % 26);
	snprintf(name + len, sizeof(name) - len, "Evv");
	assert_non_null(sym_demangle(&arena, name, SYM_FORM_FULL, 0));
	assert_true(arena.used < 100000);
	pd_arena_deinit(&arena);
}

static void test_long(void **state)
{
	struct pd_arena arena = { 0 };
	size_t size = 1 << 20;
	_cleanup_free_ char *name = malloc(size);

	(void)state;
	assert_non_null(name);
	memset(name, 'P', size);
	memcpy(name, "_Z1f", 4);
	name[size - 1] = '\0';
	assert_ptr_equal(sym_demangle(&arena, name, SYM_FORM_FULL, 0), name);
	/* The deepest nesting that the length limit allows. */
	name[4095] = 'i';
	name[4096] = '\0';
	assert_non_null(sym_demangle(&arena, name, SYM_FORM_FULL, 0));
	pd_arena_deinit(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_forms),
		cmocka_unit_test(test_shorten_anything),
		cmocka_unit_test(test_bomb),
		cmocka_unit_test(test_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
