/**
 * @file Languages whose mangled names look like names of C functions. Private to symbolize/.
 *
 * "stack__push_2" is a function of Ada or Nim in one binary and of C in another one, so such names
 * are demangled only where the language is known to be used. The languages of a binary follow from
 * symbols of their run-time libraries, those of a function from the DWARF unit that describes it.
 * The prefixes of C++, Rust, D and Fortran modules need no such context.
 */
#ifndef PD_SYMBOLIZE_SYMBOLS_LANGUAGES_H
#define PD_SYMBOLIZE_SYMBOLS_LANGUAGES_H

#include <stdint.h>

/** Bits of a set of languages. */
enum sym_language {
	SYM_ADA = 1 << 0,
	SYM_HASKELL = 1 << 1,
	SYM_NIM = 1 << 2,
	SYM_OCAML = 1 << 3,
	SYM_PASCAL = 1 << 4,
	/**
	 * Fortran. Its external symbols, such as "solve_" and "MAIN__", cannot be demangled without
	 * the names in DWARF.
	 */
	SYM_FORTRAN = 1 << 5,
	/**
	 * Go, Zig and Odin, which put a dot between the module and the function: "main.cold" is
	 * not a part of a function "main" there.
	 */
	SYM_DOTTED = 1 << 6,
};

/**
 * Language that a binary uses if it defines or refers to the symbol @p name, which belongs to a
 * run-time library; 0 for most names.
 */
uint32_t sym_language_of_symbol(const char *name);

/**
 * Languages that the names of functions in a DWARF unit may have. @p language is the unit's
 * (DW_LANG_*), 0 if it is not known, and @p of_binary the set of languages of the binary.
 */
uint32_t sym_languages_of_unit(uint16_t language, uint32_t of_binary);

#endif
