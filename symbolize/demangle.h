/**
 * @file Names as people read them: C++ (Itanium), Rust (legacy and v0) and D.
 *
 * The form is that of `perf script`: without parameters and without the suffixes of clones
 * (".part.0", ".cold"), so "_ZN2ns3addEii.constprop.0" is "ns::add". Names that are not mangled
 * stay as they are, suffixes included, but lose a symbol version ("@@GLIBC_2.14").
 */
#ifndef PD_SYMBOLIZE_DEMANGLE_H
#define PD_SYMBOLIZE_DEMANGLE_H

#include "base/arena.h"

/**
 * Names are not longer than this: the longer ones of symbols are left out, those of DWARF are cut.
 * A file may let millions of entries share one endless name.
 */
enum { SYM_NAME_MAX = 8192 };

/**
 * @p name demangled, from @p arena; @p name itself if there is nothing to do (or the name is too
 * long, or would become so); NULL if there is no memory.
 */
const char *sym_demangle(struct pd_arena *arena, const char *name);

#endif
