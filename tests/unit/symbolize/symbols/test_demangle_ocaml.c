#include "tests/unit/symbolize/symbols/demangled.h"

static const struct demangled NAMES[] = {
	/* ocamlopt 4.13. */
	{ "camlZoo__zoo_inner_81", "Zoo.zoo_inner", "Zoo.zoo_inner_81" },
	{ "camlZoo__$2b$21_83", "Zoo.(+!)", "Zoo.(+!)_83" },
	{ "camlZoo__prime$27_87", "Zoo.prime'", "Zoo.prime'_87" },
	{ "camlZoo__Make_179", "Zoo.Make", "Zoo.Make_179" },
	{ "camlZoo__thing_init_646", "Zoo.thing_init", "Zoo.thing_init_646" },
	{ "camlZoo__fun_662", "Zoo.fun_662", NULL },
	{ "camlZoo__entry", "Zoo.entry", NULL },
	{ "camlStd_exit__code_begin", "Std_exit.code_begin", NULL },
	{ "camlStdlib__List__map_236", "Stdlib.List.map", "Stdlib.List.map_236" },
	{ "camlStdlib__$5e_133", "Stdlib.(^)", "Stdlib.(^)_133" },
	{ "camlStdlib__$40_198", "Stdlib.(@)", "Stdlib.(@)_198" },
	/* OCaml 4.11. */
	{ "camlStdlib__array__map_154", "Stdlib.array.map", "Stdlib.array.map_154" },
	{ "camlStdlib__bytes__$2b$2b_2205", "Stdlib.bytes.(++)", "Stdlib.bytes.(++)_2205" },
	/* Flambda. */
	{ "camlStdlib__anon_fn$5bstdlib$2eml$3a334$2c0$2d$2d54$5d_1453",
		"Stdlib.anon_fn[stdlib.ml:334,0--54]", "Stdlib.anon_fn[stdlib.ml:334,0--54]_1453" },
	/* OCaml 5.1, and Flambda 2. */
	{ "camlStdlib__List.map_236", "Stdlib.List.map", "Stdlib.List.map_236" },
	{ "camlZoo.fun_662", "Zoo.fun_662", NULL },
	{ "camlZoo__loop_3_12_code", "Zoo.loop", "Zoo.loop_3_12_code" },
	/* Names of values may have underscores, too. */
	{ "camlZoo___hidden_12", "Zoo._hidden", "Zoo._hidden_12" },
	{ "camlZoo__a__b_1_12", "Zoo.a__b_1", "Zoo.a__b_1_12" },
};

/* Functions of C, and of the run-time library. */
static const char *const OTHERS[] = {
	"camlFoo",
	"camlZoo_bar",
	"camlZoo_bar_12",
	"camlZoo__bar",
	"caml_call_gc",
	"caml_curry2_1",
	"camlzoo__bar_12",
	"caml__frame_12",
	"camlZoo__",
	"camlZoo__12",
	"camlZoo___12",
	"camlZoo__$2_12",
	"camlZoo__$00x_12",
	"camlZoo__$gg_12",
	"caml",
};

static void names_are_demangled(void **state)
{
	(void)state;
	check_names(NAMES, PD_ARRAY_LEN(NAMES), SYM_OCAML);
}

static void names_of_c_stay(void **state)
{
	(void)state;
	check_others(OTHERS, PD_ARRAY_LEN(OTHERS), SYM_OCAML);
}

static void damaged_names_are_safe(void **state)
{
	(void)state;
	check_damaged(NAMES, PD_ARRAY_LEN(NAMES), SYM_OCAML);
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
