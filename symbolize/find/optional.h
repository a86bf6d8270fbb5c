/**
 * @file Libraries that are loaded when they are needed first. Private to symbolize/.
 *
 * Few recordings need them, and they bring a dozen others each, which would make every start slower.
 */
#ifndef PD_SYMBOLIZE_FIND_OPTIONAL_H
#define PD_SYMBOLIZE_FIND_OPTIONAL_H

#include <stdbool.h>
#include <stddef.h>

/**
 * Load @p soname and let functions[i] be the function names[i] of it. False: it is not installed, or
 * has not all of them. It stays loaded.
 */
bool sym_load_library(const char *soname, const char *const *names, size_t n, void **functions);

#endif
