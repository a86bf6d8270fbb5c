#include "symbolize/symbols/languages.h"

#include <dwarf.h>
#include <stdbool.h>
#include <string.h>

#include "base/array.h"

/*
 * Symbols that compilers of a language refer to from almost every program and library. See also
 * begins_like_mark().
 */
static const struct {
	const char *text;
	/** Whether the text is the begin of the symbol instead of all of it. */
	bool is_prefix;
	uint32_t language;
} MARKS[] = {
	/* The bytecode interpreter of OCaml has other functions, but not this one. */
	{ "caml_call_gc", false, SYM_OCAML },
	{ "caml_shared_startup", true, SYM_OCAML },
	{ "stg_upd_frame_info", false, SYM_HASKELL },
	{ "stg_ap_", true, SYM_HASKELL },
	{ "NimMain", true, SYM_NIM },
	{ "FPC_", true, SYM_PASCAL },
	{ "__gnat_", true, SYM_ADA },
	/* Go, Odin, and Zig. Variables of C within functions have a number after the dot. */
	{ "runtime.main", false, SYM_DOTTED },
	{ "runtime.default_", true, SYM_DOTTED },
	{ "start.call", true, SYM_DOTTED },
	{ "start.posix", true, SYM_DOTTED },
	{ "compiler_rt.", true, SYM_DOTTED },
};

/*
 * Whether any mark begins with the first letters of @p name. A binary has many symbols, and this
 * excludes nearly all of them.
 */
static bool begins_like_mark(const char *name)
{
	switch (name[0]) {
	case 'c':
		return name[1] == 'a' || (name[1] == 'o' && name[2] == 'm' && name[3] == 'p');
	case 'r':
		return name[1] == 'u' && name[2] == 'n' && name[3] == 't';
	case 's':
		return name[1] == 't' && (name[2] == 'g' || name[2] == 'a');
	case 'N':
	case 'F':
		return true;
	case '_':
		return name[1] == '_' && name[2] == 'g';
	default:
		return false;
	}
}

uint32_t sym_language_of_symbol(const char *name)
{
	if (!begins_like_mark(name))
		return 0;
	for (size_t i = 0; i < PD_ARRAY_LEN(MARKS); i++) {
		const char *mark = MARKS[i].text;

		if (strncmp(name, mark, strlen(mark)) == 0 &&
			(MARKS[i].is_prefix || !name[strlen(mark)]))
			return MARKS[i].language;
	}
	return 0;
}

/*
 * Languages of units. Nim is compiled by way of C, C++ or Objective-C, and assemblers describe what
 * OCaml and GHC write as assembler code. Numbers without a name in dwarf.h
 * are from the list on dwarfstd.org.
 */
static const struct {
	uint16_t unit;
	/** Languages of all functions, and languages if the binary has them. */
	uint32_t certain, possible;
} UNITS[] = {
	{ DW_LANG_Ada83, SYM_ADA, 0 },
	{ DW_LANG_Ada95, SYM_ADA, 0 },
	{ 0x002e /* Ada 2005 */, SYM_ADA, 0 },
	{ 0x002f /* Ada 2012 */, SYM_ADA, 0 },
	{ DW_LANG_Fortran77, SYM_FORTRAN, 0 },
	{ DW_LANG_Fortran90, SYM_FORTRAN, 0 },
	{ DW_LANG_Fortran95, SYM_FORTRAN, 0 },
	{ DW_LANG_Fortran03, SYM_FORTRAN, 0 },
	{ DW_LANG_Fortran08, SYM_FORTRAN, 0 },
	{ 0x002d /* Fortran 2018 */, SYM_FORTRAN, 0 },
	{ DW_LANG_Pascal83, SYM_PASCAL, 0 },
	{ DW_LANG_Haskell, SYM_HASKELL, 0 },
	{ DW_LANG_OCaml, SYM_OCAML, 0 },
	{ DW_LANG_Go, SYM_DOTTED, 0 },
	{ 0x0027 /* Zig */, SYM_DOTTED, 0 },
	{ DW_LANG_C, 0, SYM_NIM },
	{ DW_LANG_C89, 0, SYM_NIM },
	/* Zig and Odin have called themselves so. */
	{ DW_LANG_C99, 0, SYM_NIM | SYM_DOTTED },
	{ DW_LANG_C11, 0, SYM_NIM },
	{ 0x002c /* C17 */, 0, SYM_NIM },
	{ DW_LANG_C_plus_plus, 0, SYM_NIM },
	{ DW_LANG_C_plus_plus_11, 0, SYM_NIM },
	{ DW_LANG_C_plus_plus_14, 0, SYM_NIM },
	{ DW_LANG_ObjC, 0, SYM_NIM },
	{ DW_LANG_Mips_Assembler, 0, SYM_OCAML | SYM_HASKELL | SYM_PASCAL },
	{ 0x0031 /* assembler */, 0, SYM_OCAML | SYM_HASKELL | SYM_PASCAL },
	{ 0, 0, UINT32_MAX },
};

uint32_t sym_languages_of_unit(uint16_t language, uint32_t of_binary)
{
	for (size_t i = 0; i < PD_ARRAY_LEN(UNITS); i++) {
		if (UNITS[i].unit == language)
			return UNITS[i].certain | (UNITS[i].possible & of_binary);
	}
	return 0;
}
