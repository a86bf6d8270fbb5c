#include "tests/unit/symbolize/symbols/demangled.h"

static const struct demangled NAMES[] = {
	/* Nim 1.6, in a module "zoo". */
	{ "zooInner__zoo_6", "zoo.zooInner", "zoo.zooInner_6" },
	{ "zooInner__zoo_6.part.0", "zoo.zooInner", "zoo.zooInner_6" },
	{ "plusemark___zoo_9", "zoo.+!", "zoo.+!_9" },
	{ "X5BX5Deq___zoo_13", "zoo.[]=", "zoo.[]=_13" },
	{ "dollar___systemZdollars_3", "dollars.$", "dollars.$_3" },
	{ "colonanonymous___zoo_1385", "zoo.:anonymous", "zoo.:anonymous_1385" },
	{ "eqdestroy___systemZassertions_23", "assertions.=destroy", "assertions.=destroy_23" },
	{ "addInt__stdZprivateZdigitsutils_164", "digitsutils.addInt", "digitsutils.addInt_164" },
	/* Modules "my_mod9" and "Sub/Camel". The names are those of "data=", "<=>" and "foo_1". */
	{ "dataeq___my95mod57_7", "my_mod9.data=", "my_mod9.data=_7" },
	{ "lteqgt___my95mod57_13", "my_mod9.<=>", "my_mod9.<=>_13" },
	{ "not_op__my95mod57_17", "my_mod9.not_op", "my_mod9.not_op_17" },
	{ "foo1__83ubZ67amel_1", "Camel.foo1", "Camel.foo1_1" },
	/* Nim 2. */
	{ "zooInner__zoo_u6", "zoo.zooInner", "zoo.zooInner_u6" },
};

/* Functions of C, and what the compiler adds. */
static const char *const OTHERS[] = {
	"NimMain",
	"NimMainModule",
	"copyString.part.0",
	"TM__Q5wkpxktOdTGvlSRo9bzt9aw_26",
	"Marker_tyRef__BZ3nepZ5QDcM4GCbsj9abbA",
	"atmzoodotnim_Init000",
	"zoo__bar",
	"zoo__bar_",
	"zoo__bar_x",
	"zoo__bar_u",
	"zoo__Bar_12",
	"zoo__bar_12x",
	"__bar_12",
	"_zoo__bar_12",
	"zoo___12",
	"zoo__5_12",
	"zoo__01_12",
	"zoo_bar_12",
	"zoo__",
	"___",
	"x__y_z_1",
};

static void names_are_demangled(void **state)
{
	(void)state;
	check_names(NAMES, PD_ARRAY_LEN(NAMES), SYM_NIM);
}

static void names_of_c_stay(void **state)
{
	(void)state;
	check_others(OTHERS, PD_ARRAY_LEN(OTHERS), SYM_NIM);
}

static void damaged_names_are_safe(void **state)
{
	(void)state;
	check_damaged(NAMES, PD_ARRAY_LEN(NAMES), SYM_NIM);
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
