/**
 * @file Demangled names: C++ (Itanium), Rust (legacy and v0) and D.
 *
 * Suffixes of clones (".part.0", ".cold") are left out. Names that are not mangled stay as they
 * are, including suffixes, except that a symbol version ("@@GLIBC_2.14") is removed.
 */
#ifndef PD_SYMBOLIZE_SYMBOLS_DEMANGLE_H
#define PD_SYMBOLIZE_SYMBOLS_DEMANGLE_H

#include "base/arena.h"

/**
 * Maximum length of names. Longer names of symbols are left out, and longer ones in DWARF are cut,
 * because a file may let millions of entries share one very long name.
 */
enum { SYM_NAME_MAX = 8192 };

/** Form in which a mangled name, such as "_ZN2ns3addIiEEvT_.constprop.0", is shown. */
enum sym_form {
	/** "ns::add<int>", as in `perf script`; pprof's "templates". */
	SYM_FORM_TEMPLATES,
	/** "ns::add", as in pprof. */
	SYM_FORM_SHORT,
	/** "void ns::add<int>(int)"; pprof's "full". */
	SYM_FORM_FULL,
	/** The mangled name. */
	SYM_FORM_NONE,
};

/**
 * Demangle @p name in the form @p form, into @p arena. Returns @p name itself if it is not mangled,
 * is too long or would become too long; NULL if there is no memory.
 */
const char *sym_demangle(struct pd_arena *arena, const char *name, enum sym_form form);

/**
 * Remove the arguments of templates and generic functions from the demangled name @p text in place.
 * "<T as Trait>::f" and "operator<" are kept.
 */
void sym_shorten(char *text);

#endif
