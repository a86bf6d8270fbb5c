/**
 * @file Mangled names of C++ that libiberty cannot demangle, rewritten so that it can. Private to
 * symbolize/symbols/.
 */
#ifndef PD_SYMBOLIZE_SYMBOLS_DEMANGLE_REWRITE_H
#define PD_SYMBOLIZE_SYMBOLS_DEMANGLE_REWRITE_H

#include <stdbool.h>

/**
 * Rewrite the name @p name of C++, which begins with "_Z" and may be too new for the demangler, to
 * one that it knows, without the parameters of the function. With @p is_short, template arguments
 * become "...". @p ret has room for the name and SYM_REWRITE_MORE bytes more. Returns false if the
 * name has parts that are not known.
 */
bool sym_rewrite_cxx(const char *name, bool is_short, char *ret);
enum { SYM_REWRITE_MORE = 64 };

/**
 * Whether the mangled name @p name has letters that ordinary names do not have, so that it may be
 * one that cannot be demangled. This is much faster than demangling.
 */
bool sym_is_unusual(const char *name);

#endif
