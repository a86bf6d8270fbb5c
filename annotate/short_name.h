/**
 * @file Short forms of the names of functions.
 */
#ifndef PD_ANNOTATE_SHORT_NAME_H
#define PD_ANNOTATE_SHORT_NAME_H

#include <stddef.h>

/**
 * Find the last part of the demangled name @p name, "push_back" in "std::vector<int>::push_back()",
 * without parameters. It may be followed by template arguments, which *@p len_ret includes.
 */
const char *ann_last_part(const char *name, size_t *len_ret);

/**
 * Return the last part of @p name without template arguments, from malloc(). NULL: no memory.
 */
char *ann_short_name(const char *name);

#endif
