#include "test_sym_fixture.h"

#include "symbolize/demangle.h"

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
	/* Clones of C++ functions have the name of what they were cloned from, as in perf. */
	{ "_ZL3bigll.constprop.0", "big" },
	{ "_Z3foov.cold", "foo" },
	{ "_Z3foov.llvm.123", "foo" },
	{ "big.constprop.0", "big.constprop.0" },
	{ "main.cold", "main.cold" },
	/* Rust, both manglings. */
	{ "_ZN4core3fmt5write17h01234567890abcdeE", "core::fmt::write" },
	{ "_RNvC6_123foo3bar", "123foo::bar" },
	/* D. */
	{ "_D3std5stdio6writefFAyaZv", "std.stdio.writef" },
	/* Symbol versions, and entries of the procedure linkage table. */
	{ "memcpy@@GLIBC_2.14", "memcpy" },
	{ "_Z3foov@@V1", "foo" },
	{ "printf@plt", "printf@plt" },
	{ "_Znwm@plt", "operator new@plt" },
	{ "_ZNbroken", "_ZNbroken" },
	{ "@", "@" },
};

static void test_names(void **state)
{
	struct pd_arena arena = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(NAMES) / sizeof(NAMES[0]); i++)
		assert_string_equal(sym_demangle(&arena, NAMES[i].mangled), NAMES[i].plain);
	pd_arena_deinit(&arena);
}

/* Each substitution doubles the name: 2 to the 200th parts. */
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
	assert_non_null(sym_demangle(&arena, name));
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
	assert_ptr_equal(sym_demangle(&arena, name), name);
	/* As deep as names may be. */
	name[4095] = 'i';
	name[4096] = '\0';
	assert_non_null(sym_demangle(&arena, name));
	pd_arena_deinit(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_bomb),
		cmocka_unit_test(test_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
