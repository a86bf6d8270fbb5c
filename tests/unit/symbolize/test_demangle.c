#include "tests/unit/symbolize/fixture.h"

#include "base/array.h"
#include "symbolize/symbols/demangle.h"
#include "symbolize/symbols/demangle_rewrite.h"
#include "symbolize/symbols/languages.h"

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
	/* So have those of C functions, and the pieces of both. */
	{ "big.constprop.0", "big" },
	{ "main.cold", "main" },
	{ "main.cold.1", "main" },
	{ "promoted.llvm.17067729678895952225", "promoted" },
	{ "a.part.0", "a" },
	{ "a.__part.12", "a" },
	{ "a.isra.0.cold", "a" },
	{ "a.constprop.0.isra.1.part.2.lto_priv.3.cold", "a" },
	{ "a.__uniq.1234.llvm.5678", "a" },
	{ "a.localalias", "a" },
	{ "a.cold@@V1", "a" },
	/* Other names with dots. */
	{ "a.part", "a.part" },
	{ "a.llvm.1x", "a.llvm.1x" },
	{ "a.isra.", "a.isra." },
	{ "a.0", "a.0" },
	{ "a.cold.b", "a.cold.b" },
	{ "a._omp_fn.0", "a._omp_fn.0" },
	{ ".cold", ".cold" },
	{ "a.cold@plt", "a.cold@plt" },
	/* Constraints, explicit object parameters and friends of C++20 and C++23. */
	{ "_ZN3app11constrainedITkNS_5SmallElEEvT_", "app::constrained<long>" },
	{ "_ZNH3app1S7deducedERKS0_l", "app::S::deduced" },
	{ "_ZN3app9requiringIlEEvT_Qsr3stdE8integralIS1_E", "app::requiring<long>" },
	{ "_ZZNH3app1S7deducedERKS0_lENKUliE_clEi",
		"app::S::deduced(app::S const&, long)::{lambda(int)#1}::operator()" },
	{ "_ZN5test2F1iIvQaa4TrueIT_E4TrueITL0__EEEvz", "test2::i<void>" },
	{ "_ZN5test2F1kITk4TruevQ4TrueIT_EEEvz", "test2::k<void>" },
	{ "_ZN5test31dITnDaLi0EEEvv", "test3::d<0>" },
	{ "_ZN5test31gITnDk1DIiELi0EEEvv", "test3::g<0>" },
	{ "_ZN5test31hIiTnDk1DIT_ELi0EEEvv", "test3::h<int, 0>" },
	{ "_ZN1a1fITtTyTniE1bEEvv", "a::f<b>" },
	{ "_ZN1a1fITpTk1cJilEEEvDpT_", "a::f<int, long>" },
	{ "_ZN11struct_pack9serializeITkNS_6detail18struct_pack_bufferESt6vectorIcSaIcEEJ6person"
	  "EEET_DpRKT0_",
		"struct_pack::serialize<std::vector<char, std::allocator<char> >, person>" },
	{ "_ZNKSt6ranges9__sort_fnclITkNS_19random_access_rangeERSt4spanIN4mold7IntegerIjLb1ELi4EEE"
	  "Lm18446744073709551615EENS_4lessESt8identityQ8sortableIDTclsr6ranges13__cust_accessE7"
	  "__beginclsr3stdE7declvalIRT_EEEET0_T1_EEENSt13__conditionalIX14borrowed_rangeISA_EEE4typ"
	  "eISC_NS_8danglingEEEOSA_SD_SE_",
		"std::ranges::__sort_fn::operator()<std::span<mold::Integer<unsigned int, true, 4>, "
		"18446744073709551615ul>&, std::ranges::less, std::identity>" },
	/* The part that would be left out is S1_, which shifts the numbers after it. */
	{ "_ZN1a1fITkN1b1cEN1d1eES3_EEvv", "_ZN1a1fITkN1b1cEN1d1eES3_EEvv" },
	/* Expressions are not read. */
	{ "_ZN1a1fITk1cXsr1bE1dEEEvv", "_ZN1a1fITk1cXsr1bE1dEEEvv" },
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
	struct base_arena arena = { 0 };

	(void)state;
	for (size_t i = 0; i < PD_ARRAY_LEN(NAMES); i++)
		assert_string_equal(
			sym_demangle(&arena, NAMES[i].mangled, PD_NAME_FORM_TEMPLATES, 0),
			NAMES[i].plain);
	assert_string_equal(
		sym_demangle(&arena, "main.cold", PD_NAME_FORM_TEMPLATES, SYM_DOTTED), "main.cold");
	assert_string_equal(sym_demangle(&arena, "a.part.0", PD_NAME_FORM_MANGLED, 0), "a.part.0");
	base_arena_deinit(&arena);
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
	struct base_arena arena = { 0 };

	(void)state;
	for (size_t i = 0; i < PD_ARRAY_LEN(FORMS); i++) {
		const char *name = FORMS[i].mangled;

		assert_string_equal(
			sym_demangle(&arena, name, PD_NAME_FORM_SHORT, 0), FORMS[i].shortened);
		assert_string_equal(
			sym_demangle(&arena, name, PD_NAME_FORM_FULL, 0), FORMS[i].full);
		assert_ptr_equal(sym_demangle(&arena, name, PD_NAME_FORM_MANGLED, 0), name);
	}
	base_arena_deinit(&arena);
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
	struct base_arena arena = { 0 };
	char name[4000] = "_Z1fISt4pairIiiE";
	size_t len = strlen(name);

	(void)state;
	for (int i = 0; i < 200; i++)
		len += (size_t)snprintf(name + len, sizeof(name) - len, "St4pairIS%c_S%c_E",
			i < 10 ? '0' + i : 'A' + i % 26, i < 10 ? '0' + i : 'A' + i % 26);
	snprintf(name + len, sizeof(name) - len, "Evv");
	assert_non_null(sym_demangle(&arena, name, PD_NAME_FORM_FULL, 0));
	assert_true(arena.used < 100000);
	base_arena_deinit(&arena);
}

static void test_unusual(void **state)
{
	static const char *const usual[] = { "main", "_ZN2ns3addEii", "_Z4QuitRK7QObject3Hat",
		"_ZNSt6vectorIiSaIiEE17_M_realloc_insertIJRKiEEEvN9__gnu_cxx17__normal_iteratorIPiS1_EEDpOT_",
		"_Z1fILi5EEvSH_SQ_", "_ZN1a1bEPFvvE", "_RNvC6_123foo3bar", "_Z99short", "_Z5",
		"_Z" };
	static const char *const unusual[] = { "_ZN3app11constrainedITkNS_5SmallElEEvT_",
		"_ZNH3app1S7deducedERKS0_l", "_ZN3app9requiringIlEEvT_Qsr3stdE8integralIS1_E",
		"_ZN5test2F1iIvEEvz", "_D3std5stdio6writefFAyaZv" };

	(void)state;
	for (size_t i = 0; i < PD_ARRAY_LEN(usual); i++)
		assert_false(sym_is_unusual(usual[i]));
	for (size_t i = 0; i < PD_ARRAY_LEN(unusual); i++)
		assert_true(sym_is_unusual(unusual[i]));
}

/* Append @p text @p n times. */
static void append(char **to, const char *text, size_t n)
{
	for (size_t i = 0; i < n; i++)
		*to = stpcpy(*to, text);
}

/* Template arguments and parameters of long names of C++ are replaced. */
static void test_replaced(void **state)
{
	static const struct {
		const char *before, *after;
		const char *plain;
	} cases[] = {
		{ "_Z12hot_templateI1LIJ", "EEEvPT_l", "hot_template<...>" },
		{ "_ZN1a1bIJ", "EE1cIiE1dEv", "a::b<...>::c<...>::d" },
		{ "_ZZN1a1bIJ", "EEEvT_ENKUlS1_E0_clEi",
			"a::b<...>(...)::{lambda(...)#2}::operator()" },
		{ "_ZN1a1bIJ", "EEC2Ev", "a::b<...>::b" },
		{ "_ZNKSt6ranges4sortclITk1cJ", "EQ1dIT_EEEvv",
			"std::ranges::sort::operator()<...>" },
	};
	static const size_t lengths[] = { 100, 1500, 20000 };

	(void)state;
	for (size_t i = 0; i < PD_ARRAY_LEN(cases) * PD_ARRAY_LEN(lengths); i++) {
		size_t n = lengths[i % PD_ARRAY_LEN(lengths)];
		struct base_arena arena = { 0 };
		_cleanup_free_ char *name = malloc(100 + n * 6);
		char *to = name;
		const char *plain = cases[i / PD_ARRAY_LEN(lengths)].plain;

		assert_non_null(name);
		append(&to, cases[i / PD_ARRAY_LEN(lengths)].before, 1);
		append(&to, "4Part", n);
		append(&to, cases[i / PD_ARRAY_LEN(lengths)].after, 1);
		const char *text = sym_demangle(&arena, name, PD_NAME_FORM_TEMPLATES, 0);
		assert_true(n == 100 ? strlen(text) > 400 : strcmp(text, plain) == 0);
		text = sym_demangle(&arena, name, PD_NAME_FORM_SHORT, 0);
		assert_true(n == 100 || !strstr(text, "Part"));
		base_arena_deinit(&arena);
	}
}

/* Damaged names are read within their bounds, whatever they become. */
static void test_damaged(void **state)
{
	uint32_t random = 1;

	(void)state;
	for (size_t i = 0; i < 40 * PD_ARRAY_LEN(NAMES); i++) {
		struct base_arena arena = { 0 };
		_cleanup_free_ char *name = strdup(NAMES[i % PD_ARRAY_LEN(NAMES)].mangled);
		size_t len = name ? strlen(name) : 0;

		assert_non_null(name);
		for (int k = 0; k < 3 && len > 4; k++) {
			random = random * 1103515245 + 12345;
			name[2 + (random >> 8) % (len - 2)] =
				"EINJLSTQHFZkynt_013"[(random >> 4) % 19];
		}
		assert_non_null(sym_demangle(&arena, name, PD_NAME_FORM_TEMPLATES, 0));
		base_arena_deinit(&arena);
	}
}

static void test_long(void **state)
{
	struct base_arena arena = { 0 };
	size_t size = 1 << 20;
	_cleanup_free_ char *name = malloc(size);

	(void)state;
	assert_non_null(name);
	memset(name, 'P', size);
	memcpy(name, "_Z1f", 4);
	name[size - 1] = '\0';
	assert_string_equal(sym_demangle(&arena, name, PD_NAME_FORM_FULL, 0), "f");
	memcpy(name, "_ZZZ", 4);
	assert_ptr_equal(sym_demangle(&arena, name, PD_NAME_FORM_FULL, 0), name);
	memcpy(name, "_Z1f", 4);
	/* The deepest nesting that the length limit allows. */
	name[4095] = 'i';
	name[4096] = '\0';
	assert_non_null(sym_demangle(&arena, name, PD_NAME_FORM_FULL, 0));
	base_arena_deinit(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_forms),
		cmocka_unit_test(test_shorten_anything),
		cmocka_unit_test(test_bomb),
		cmocka_unit_test(test_long),
		cmocka_unit_test(test_unusual),
		cmocka_unit_test(test_replaced),
		cmocka_unit_test(test_damaged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
