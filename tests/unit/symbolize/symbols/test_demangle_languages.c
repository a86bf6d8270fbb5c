#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/array.h"
#include "symbolize/symbols/demangle.h"
#include "symbolize/symbols/languages.h"

struct demangled {
	const char *mangled;
	/** Name without types, and with them; NULL if it is the same. */
	const char *plain;
	const char *full;
};

static const struct demangled ADA_NAMES[] = {
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
static const char *const ADA_OTHERS[] = {
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

static const struct demangled FORTRAN_NAMES[] = {
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
static const char *const FORTRAN_OTHERS[] = {
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

static const struct demangled HASKELL_NAMES[] = {
	/* GHC 9.0. */
	{ "base_GHCziBase_map_info", "base:GHC.Base.map", "base:GHC.Base.map_info" },
	{ "Main_zzooInner_info", "Main.zooInner", "Main.zooInner_info" },
	{ "Main_zdwzzooInner_info", "Main.$wzooInner", "Main.$wzooInner_info" },
	{ "Main_zlzpzg_info", "Main.<+>", "Main.<+>_info" },
	{ "Main_primezq_info", "Main.prime'", "Main.prime'_info" },
	{ "Main_zdwzdsgo8_slow", "Main.$w$sgo8", "Main.$w$sgo8_slow" },
	{ "Main_zdfShapeSqzuzdcarea_info", "Main.$fShapeSq_$carea", "Main.$fShapeSq_$carea_info" },
	{ "Main_Sq_con_info", "Main.Sq", "Main.Sq_con_info" },
	{ "ZCMain_main_info", ":Main.main", ":Main.main_info" },
	{ "containerszm0zi6zi4zi1_DataziMapziInternal_balanceR_info",
		"containers-0.6.4.1:Data.Map.Internal.balanceR",
		"containers-0.6.4.1:Data.Map.Internal.balanceR_info" },
	{ "ghczmprim_GHCziTypes_ZC_con_info",
		"ghc-prim:GHC.Types.:", "ghc-prim:GHC.Types.:_con_info" },
	{ "ghczmprim_GHCziTupleziPrim_Z3T_con_info", "ghc-prim:GHC.Tuple.Prim.(,,)",
		"ghc-prim:GHC.Tuple.Prim.(,,)_con_info" },
	{ "ghczmprim_GHCziPrim_Z2H_con_info", "ghc-prim:GHC.Prim.(#,#)",
		"ghc-prim:GHC.Prim.(#,#)_con_info" },
	{ "Main_z3b1Uz1f600U_info", "Main.\xce\xb1\xf0\x9f\x98\x80",
		"Main.\xce\xb1\xf0\x9f\x98\x80_info" },
};

/* Functions of C, and what the compiler adds. */
static const char *const HASKELL_OTHERS[] = {
	"stg_ap_p_info",
	"stg_upd_frame_info",
	"stg_SRT_1_info",
	"stg_TVAR_CLEAN_info",
	"MPI_Comm_get_info",
	"X509_NAME_get_entry",
	"H5AC_expunge_entry",
	"__stg_EAGER_BLACKHOLE_info",
	"evacuate_hash_entry",
	"add_hash_entry",
	"Main_zxo_info",
	"Main_size_t_info",
	"Main_zooInner_info",
	"Main_Zoo_info",
	"Main_z110000U_info",
	"Main_z0U_info",
	"Main_z0d800U_info",
	"Main_z41_info",
	"Main_Z9999T_info",
	"Main_main",
	"Main_main_closure",
	"Main__info",
	"_Main_main_info",
	"a_b_c_d_e_f_info",
	"Main_a.b_info",
	"_",
	"__info",
};

static const struct demangled NIM_NAMES[] = {
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
static const char *const NIM_OTHERS[] = {
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

static const struct demangled OCAML_NAMES[] = {
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
static const char *const OCAML_OTHERS[] = {
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

static const struct demangled PASCAL_NAMES[] = {
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
static const char *const PASCAL_OTHERS[] = {
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

#define LIST_OF(table) table, PD_ARRAY_LEN(table)

static const struct {
	/** 0: names are read without knowing the language. */
	uint32_t language;
	const struct demangled *names;
	size_t n_names;
	/** Names of C, of the language's own library, and such that are only like the others. */
	const char *const *others;
	size_t n_others;
} LANGUAGES[] = {
	{ SYM_ADA, LIST_OF(ADA_NAMES), LIST_OF(ADA_OTHERS) },
	{ 0, LIST_OF(FORTRAN_NAMES), LIST_OF(FORTRAN_OTHERS) },
	{ SYM_HASKELL, LIST_OF(HASKELL_NAMES), LIST_OF(HASKELL_OTHERS) },
	{ SYM_NIM, LIST_OF(NIM_NAMES), LIST_OF(NIM_OTHERS) },
	{ SYM_OCAML, LIST_OF(OCAML_NAMES), LIST_OF(OCAML_OTHERS) },
	{ SYM_PASCAL, LIST_OF(PASCAL_NAMES), LIST_OF(PASCAL_OTHERS) },
};

/* Check that @p name stays as it is, except for suffixes of compilers of C. */
static void check_stays(const char *name, uint32_t language)
{
	struct base_arena arena = { 0 };
	size_t len = sym_unsuffixed_length(name);
	const char *text = sym_demangle(&arena, name, PD_NAME_FORM_FULL, language);

	assert_int_equal(strlen(text), len);
	assert_memory_equal(text, name, len);
	base_arena_deinit(&arena);
}

/* Check names in each form. Where the language is not used, they stay as they are. */
static void check_names(const struct demangled *names, size_t n, uint32_t language)
{
	struct base_arena arena = { 0 };

	for (size_t i = 0; i < n; i++) {
		const char *name = names[i].mangled, *plain = names[i].plain;
		const char *full = names[i].full ? names[i].full : plain;

		assert_string_equal(
			sym_demangle(&arena, name, PD_NAME_FORM_TEMPLATES, language), plain);
		assert_string_equal(
			sym_demangle(&arena, name, PD_NAME_FORM_SHORT, language), plain);
		assert_string_equal(sym_demangle(&arena, name, PD_NAME_FORM_FULL, language), full);
		assert_ptr_equal(sym_demangle(&arena, name, PD_NAME_FORM_MANGLED, language), name);
		if (language)
			check_stays(name, 0);
	}
	base_arena_deinit(&arena);
}

/* Check that names stay as they are, although the language is used. */
static void check_others(const char *const *names, size_t n, uint32_t language)
{
	for (size_t i = 0; i < n; i++)
		check_stays(names[i], language);
}

/* Demangle damaged names. They may give anything, but must be read within their limits. */
static void check_damaged(const struct demangled *names, size_t n, uint32_t language)
{
	static const char letters[] = "_$.zZXOSM019afTB@\x80";
	struct base_arena arena = { 0 };
	uint32_t state = 1;
	char text[512];

	for (size_t i = 0; i < 20000; i++) {
		const char *name = names[i % n].mangled;
		size_t len = strlen(name), n_changes = i % 4, copies = 1 + i % 3;

		text[0] = '\0';
		while (copies-- && strlen(text) + len < sizeof(text))
			strcat(text, name);
		len = strlen(text);
		while (n_changes--) {
			state = state * 1664525 + 1013904223;
			text[(state >> 8) % len] = letters[(state >> 24) % (sizeof(letters) - 1)];
		}
		state = state * 1664525 + 1013904223;
		text[len - (state >> 8) % len] = '\0';
		for (int form = PD_NAME_FORM_TEMPLATES; form <= PD_NAME_FORM_MANGLED; form++)
			assert_non_null(sym_demangle(&arena, text, form, language));
		base_arena_deinit(&arena);
	}
}

static void names_are_demangled(void **state)
{
	(void)state;
	for (size_t i = 0; i < PD_ARRAY_LEN(LANGUAGES); i++)
		check_names(LANGUAGES[i].names, LANGUAGES[i].n_names, LANGUAGES[i].language);
}

static void other_names_stay(void **state)
{
	(void)state;
	for (size_t i = 0; i < PD_ARRAY_LEN(LANGUAGES); i++)
		check_others(LANGUAGES[i].others, LANGUAGES[i].n_others, LANGUAGES[i].language);
}

static void damaged_names_are_safe(void **state)
{
	(void)state;
	for (size_t i = 0; i < PD_ARRAY_LEN(LANGUAGES); i++)
		check_damaged(LANGUAGES[i].names, LANGUAGES[i].n_names, LANGUAGES[i].language);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_demangled),
		cmocka_unit_test(other_names_stay),
		cmocka_unit_test(damaged_names_are_safe),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
