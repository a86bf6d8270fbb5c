/**
 * @file Names of functions that fit a line.
 */
#ifndef PD_BASE_NAME_FIT_H
#define PD_BASE_NAME_FIT_H

#include <stddef.h>

/**
 * Shorten @p name to @p width columns. Arguments of templates and functions become "...", the
 * deepest ones first; then types lose their modules and paths their folders; at last the middle of
 * the name is left out. The last part is kept, even if it alone is too long: it is where the
 * methods of a class and the closures of a function differ.
 *
 * @p other is a name that would look the same, or NULL: arguments in which the names differ are
 * kept as long as possible. Returns an allocated string; NULL: no memory.
 */
char *base_name_fit(const char *name, const char *other, size_t width);

/** Columns to which a name can be shortened without cutting its last part. */
size_t base_name_least_columns(const char *name);

#endif
