#include "tests/unit/symbolize/symbols/demangled.h"

static const struct demangled NAMES[] = {
	/* gfortran 12. */
	{ "__zoo_MOD_zoo_inner", "zoo::zoo_inner", NULL },
	{ "__zoo_MOD_outer.constprop.0", "zoo::outer", NULL },
	{ "__shapes.extra_MOD_helper", "shapes.extra::helper", NULL },
	{ "__shapes_MOD___copy_shapes_Circle", "shapes::__copy_shapes_Circle", NULL },
	/* Flang 16. */
	{ "_QMzooPzoo_inner", "zoo::zoo_inner", NULL },
	{ "_QMzooFouterPcontained", "zoo::outer::contained", NULL },
	{ "__iso_c_binding_MOD_c_f_pointer", "iso_c_binding::c_f_pointer", NULL },
};

/* Functions of C, and what the compiler adds. */
static const char *const OTHERS[] = {
	"MAIN__",
	"_QQmain",
	"_QQcl.2E2F7A6F6F2E66393000",
	"_Q",
	"_QM",
	"_QMzoo",
	"_QMzooP",
	"_QMPx",
	"_QmzooPx",
	"_QMzooPx$Y",
	"external_sub_",
	"_gfortran_set_args",
	"__MOD_x",
	"__zoo_MOD_",
	"__zoo_mod_x",
	"__Zoo_MOD_x",
	"_zoo_MOD_x",
	"zoo_MOD_x",
	"__zoo_MOD_X",
	"__zoo_MOD_x@y z",
	"__",
	"__x",
};

static void names_are_demangled(void **state)
{
	(void)state;
	check_names(NAMES, PD_ARRAY_LEN(NAMES), 0);
}

static void names_of_c_stay(void **state)
{
	(void)state;
	check_others(OTHERS, PD_ARRAY_LEN(OTHERS), 0);
}

static void damaged_names_are_safe(void **state)
{
	(void)state;
	check_damaged(NAMES, PD_ARRAY_LEN(NAMES), 0);
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
