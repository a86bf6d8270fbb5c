/**
 * @file Names as people read them: C++ (Itanium), Rust (legacy and v0) and D.
 *
 * Suffixes of clones (".part.0", ".cold") are left out. Names that are not mangled stay as they are,
 * suffixes included, but lose a symbol version ("@@GLIBC_2.14").
 */
#ifndef PD_SYMBOLIZE_SYMBOLS_DEMANGLE_H
#define PD_SYMBOLIZE_SYMBOLS_DEMANGLE_H

#include "base/arena.h"

/**
 * Names are not longer than this: the longer ones of symbols are left out, those of DWARF are cut.
 * A file may let millions of entries share one endless name.
 */
enum { SYM_NAME_MAX = 8192 };

/** How much of a mangled name is shown, as of "_ZN2ns3addIiEEvT_.constprop.0". */
enum sym_form {
	/** "ns::add<int>", as `perf script` has it, and pprof's "templates". */
	SYM_FORM_TEMPLATES,
	/** "ns::add": as pprof has it. */
	SYM_FORM_SHORT,
	/** "void ns::add<int>(int)": pprof's "full". */
	SYM_FORM_FULL,
	/** As the linker knows it. */
	SYM_FORM_NONE,
};

/**
 * @p name in the form @p form, from @p arena; @p name itself if there is nothing to do (or the name is
 * too long, or would become so); NULL if there is no memory.
 */
const char *sym_demangle(struct pd_arena *arena, const char *name, enum sym_form form);

/**
 * Take the arguments of templates and generic functions out of @p text, a name as people read it: what
 * is left is never longer. "<T as Trait>::f" and "operator<" are no such arguments.
 */
void sym_shorten(char *text);

#endif
