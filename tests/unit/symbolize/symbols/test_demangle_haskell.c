#include "tests/unit/symbolize/symbols/demangled.h"

static const struct demangled NAMES[] = {
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
static const char *const OTHERS[] = {
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

static void names_are_demangled(void **state)
{
	(void)state;
	check_names(NAMES, PD_ARRAY_LEN(NAMES), SYM_HASKELL);
}

static void names_of_c_stay(void **state)
{
	(void)state;
	check_others(OTHERS, PD_ARRAY_LEN(OTHERS), SYM_HASKELL);
}

static void damaged_names_are_safe(void **state)
{
	(void)state;
	check_damaged(NAMES, PD_ARRAY_LEN(NAMES), SYM_HASKELL);
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
