#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "symbolize/symbols/languages.h"

#include <dwarf.h>

static void run_time_libraries_show_languages(void **state)
{
	(void)state;
	assert_int_equal(sym_language_of_symbol("caml_call_gc"), SYM_OCAML);
	/* Plugins need not call the garbage collector. */
	assert_int_equal(sym_language_of_symbol("caml_shared_startup__code_begin"), SYM_OCAML);
	assert_int_equal(sym_language_of_symbol("stg_ap_pp_fast"), SYM_HASKELL);
	assert_int_equal(sym_language_of_symbol("NimMainModule"), SYM_NIM);
	assert_int_equal(sym_language_of_symbol("__gnat_rcheck_CE_Range_Check"), SYM_ADA);
	assert_int_equal(sym_language_of_symbol("FPC_INITIALIZEUNITS"), SYM_PASCAL);
	/* The bytecode interpreter of OCaml is a program in C. */
	assert_int_equal(sym_language_of_symbol("caml_call_gcx"), 0);
	assert_int_equal(sym_language_of_symbol("caml_main"), 0);
	assert_int_equal(sym_language_of_symbol("main"), 0);
	assert_int_equal(sym_language_of_symbol(""), 0);
}

static void units_show_languages(void **state)
{
	(void)state;
	assert_int_equal(sym_languages_of_unit(DW_LANG_Ada95, 0), SYM_ADA);
	assert_int_equal(sym_languages_of_unit(DW_LANG_Fortran08, SYM_ADA), SYM_FORTRAN);
	/* C in a program of Ada is not Ada. Nim is compiled by way of C. */
	assert_int_equal(sym_languages_of_unit(DW_LANG_C11, SYM_ADA), 0);
	assert_int_equal(sym_languages_of_unit(DW_LANG_C11, SYM_ADA | SYM_NIM), SYM_NIM);
	assert_int_equal(sym_languages_of_unit(0, SYM_ADA | SYM_NIM), SYM_ADA | SYM_NIM);
	assert_int_equal(sym_languages_of_unit(DW_LANG_Rust, SYM_ADA), 0);
	assert_int_equal(sym_languages_of_unit(UINT16_MAX, SYM_ADA), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(run_time_libraries_show_languages),
		cmocka_unit_test(units_show_languages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
