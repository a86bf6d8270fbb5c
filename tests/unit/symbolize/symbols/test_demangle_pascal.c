#include "tests/unit/symbolize/symbols/demangled.h"

static const struct demangled NAMES[] = {
	/* fpc 3.2. */
	{ "ZOOUNIT_$$_ZOO_INNER$LONGINT$$LONGINT", "zoounit.zoo_inner",
		"zoounit.zoo_inner(longint): longint" },
	{ "P$ZOO$_$TTHING_$__$$_BUMP$LONGINT$$LONGINT", "zoo.tthing.bump",
		"zoo.tthing.bump(longint): longint" },
	{ "P$ZOO$_$TTHING_$_BUMP$LONGINT$$LONGINT_$$_NESTED$LONGINT$$LONGINT",
		"zoo.tthing.bump.nested", "zoo.tthing.bump.nested(longint): longint" },
	{ "P$ZOO$_$TTHING_$__$$_DESTROY", "zoo.tthing.destroy", NULL },
	{ "P$ZOO$_$TBOX$1$CRC9F312717_$__$$_GET$$LONGINT", "zoo.tbox.get",
		"zoo.tbox.get(): longint" },
	{ "P$ZOO_$$_$plus$TREC$TREC$$TREC", "zoo.operator +", "zoo.operator +(trec, trec): trec" },
	{ "P$ZOO_$$_ARR$array_of_LONGINT$PCHAR$DOUBLE", "zoo.arr",
		"zoo.arr(array_of_longint, pchar, double)" },
	{ "ZOOUNIT_$$_init$", "zoounit.init", NULL },
	{ "FINALIZE$_$ZOOUNIT", "zoounit.finalize", NULL },
	{ "SYSTEM$_$STR_REAL$SMALLINT$SMALLINT$EXTENDED$TREAL_TYPE$OPENSTRING_$$_K_COMP$crc4E37563F",
		"system.str_real.k_comp", "system.str_real.k_comp(...)" },
	{ "SYSTEM$_$SETUPCMDLINE_$$_ADDBUF", "system.setupcmdline.addbuf", NULL },
};

/* Functions of C, and what the compiler adds. */
static const char *const OTHERS[] = {
	"FPC_ANSISTR_ASSIGN",
	"PASCALMAIN",
	"DEBUGSTART_$P$ZOO",
	"main",
	"WRPR_$SYSUTILS_$$_TSIMPLERWSYNC_$_IREADWRITESYNC_$_3_$_SYSUTILS$_$TSIMPLERWSYNC_$__$$_BEGINREAD",
	"SYSTEM$_$TINTERFACEDOBJECT_$__$$_QUERYIN$CRC5A30FEB1",
	"ZOO_$$_$nothing$TREC",
	"_$$_ZOO",
	"ZOO_$$_",
	"ZOO_$$_$",
	"ZOO$LONGINT_$$_BAR",
	"$_$",
	"INIT$_$",
	"P$",
};

static void names_are_demangled(void **state)
{
	(void)state;
	check_names(NAMES, PD_ARRAY_LEN(NAMES), SYM_PASCAL);
}

static void names_of_c_stay(void **state)
{
	(void)state;
	check_others(OTHERS, PD_ARRAY_LEN(OTHERS), SYM_PASCAL);
}

static void damaged_names_are_safe(void **state)
{
	(void)state;
	check_damaged(NAMES, PD_ARRAY_LEN(NAMES), SYM_PASCAL);
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
