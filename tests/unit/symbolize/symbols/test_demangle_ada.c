#include "tests/unit/symbolize/symbols/demangled.h"

static const struct demangled NAMES[] = {
	/* GNAT 12. */
	{ "_ada_zoo_ada", "zoo_ada", NULL },
	{ "zoo_ada__zoo_inner.15", "zoo_ada.zoo_inner", NULL },
	{ "zoo_ada__workerTB.4", "zoo_ada.worker", NULL },
	{ "zoo_ada__gate__wait_E21b.1", "zoo_ada.gate.wait", NULL },
	{ "zoo_pkg__Oadd", "zoo_pkg.\"+\"", NULL },
	{ "zoo_pkg__bump__2", "zoo_pkg.bump", NULL },
	{ "zoo_pkg__kid__over", "zoo_pkg.kid.over", NULL },
	{ "zoo_pkg__kid___elabb", "zoo_pkg.kid'Elab_Body", NULL },
	{ "zoo_pkg___assign", "zoo_pkg.\":=\"", NULL },
	{ "zoo_pkg__thingDF", "zoo_pkg.thing.Finalize", NULL },
	{ "zoo_pkg__thingSR", "zoo_pkg.thing'Read", NULL },
	{ "ada_main__finalize_library__B_1__f1", "ada_main.finalize_library.f1", NULL },
	{ "ada__directories__directory_vectors__Oconcat__2Xn",
		"ada.directories.directory_vectors.\"&\"", NULL },
	{ "gnat__awk__patterns__patternSOXn", "gnat.awk.patterns.pattern'Output", NULL },
	{ "system__interrupts__server_taskTB", "system.interrupts.server_task", NULL },
};

/* Functions of C, and what the compiler adds. */
static const char *const OTHERS[] = {
	"adainit",
	"__gnat_rcheck_CE_Overflow_Check",
	"__builtin_altivec_vand",
	"zoo_pkg__thingIP",
	"zoo_pkg__TthingCFD",
	"my__C_function",
	"Zoo__bar",
	"zoo__",
	"__",
	"_ada_",
	"zoo__bar__",
	"zoo__Oaddx",
	"zoo__1",
	"zoo___",
	"a____b",
	"zoo_bar",
	"zoo__bar_",
	"zoo__bar$1",
};

static void names_are_demangled(void **state)
{
	(void)state;
	check_names(NAMES, PD_ARRAY_LEN(NAMES), SYM_ADA);
}

static void names_of_c_stay(void **state)
{
	(void)state;
	check_others(OTHERS, PD_ARRAY_LEN(OTHERS), SYM_ADA);
}

static void damaged_names_are_safe(void **state)
{
	(void)state;
	check_damaged(NAMES, PD_ARRAY_LEN(NAMES), SYM_ADA);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_demangled),
		cmocka_unit_test(names_of_c_stay),
		cmocka_unit_test(damaged_names_are_safe),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
