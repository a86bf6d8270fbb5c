/**
 * @file Libraries that are loaded on first use.
 *
 * Few recordings need them, and each depends on a dozen others, which would slow down every start
 * of the program.
 */
#ifndef PD_BASE_OPTIONAL_H
#define PD_BASE_OPTIONAL_H

#include <stdbool.h>
#include <stddef.h>

/** Why a library cannot be loaded, after its name. A static program loads none. */
#ifdef PD_STATIC
#define PD_NO_LIBRARY "is not part of this static program"
#else
#define PD_NO_LIBRARY "is not installed"
#endif

/**
 * Load @p soname and set functions[i] to its function names[i]. Returns false if it is not
 * installed or lacks one of them. It stays loaded.
 */
bool base_load_library(const char *soname, const char *const *names, size_t n, void **functions);

#endif
