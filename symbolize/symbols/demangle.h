/**
 * @file Demangled names: C++ (Itanium), Rust (legacy and v0), D, and modules of Fortran; where the
 * language is known to be used also Ada, Haskell, Nim, OCaml and Pascal.
 *
 * Suffixes of clones (".part.0", ".cold") are left out. Names that are not mangled stay as they
 * are, including suffixes, except that a symbol version ("@@GLIBC_2.14") is removed.
 */
#ifndef PD_SYMBOLIZE_SYMBOLS_DEMANGLE_H
#define PD_SYMBOLIZE_SYMBOLS_DEMANGLE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <pdconv/profile_opts.h>

#include "base/arena.h"
#include "base/limit.h"

/**
 * Maximum length of names. Longer names of symbols are left out, and longer ones in DWARF are cut,
 * because a file may let millions of entries share one very long name.
 */
enum { SYM_NAME_MAX = PD_LIMIT_FUNCTION_NAME_BYTES };

/** Whether @p name is not shorter than SYM_NAME_MAX, which is noted as a limit. */
static inline bool sym_name_is_long(const char *name)
{
	return strnlen(name, SYM_NAME_MAX) == SYM_NAME_MAX &&
	       base_limit_reach(PD_LIMIT_ID_FUNCTION_NAME_BYTES);
}

/**
 * Length of @p name without a symbol version, such as "@@GLIBC_2.14". "@plt" counts as one. Other
 * '@' belong to the name: "*ArgumentError@Exception#message:String" of Crystal has no version.
 */
size_t sym_unversioned_length(const char *name);

/**
 * Length of @p name without the suffixes that compilers of C append to the names of clones and of
 * parts of a function: "foo.constprop.0.cold" is "foo".
 */
size_t sym_unsuffixed_length(const char *name);

/**
 * Demangle @p name in the form @p form, into @p arena. @p languages is the set of languages that
 * the function may be written in (enum sym_language). A name that is not mangled loses the suffixes
 * of compilers. Returns @p name itself if it has none, is too long or would become too long; NULL
 * if there is no memory.
 */
const char *sym_demangle(
	struct base_arena *arena, const char *name, enum pd_name_form form, uint32_t languages);

/** Whether @p name begins like the mangled names of C++, Rust and D, whatever its language is. */
bool sym_is_mangled(const char *name);

/**
 * Remove the arguments of templates and generic functions from the demangled name @p text in place.
 * "<T as Trait>::f" and "operator<" are kept.
 */
void sym_shorten(char *text);

#endif
