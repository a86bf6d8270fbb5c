/**
 * @file Visiting the functions in the symbol tables of a binary, in the order of the file.
 *
 * This takes a few nanoseconds per symbol, far less than sym_symtab_init(), which sorts them.
 */
#ifndef PD_SYMBOLIZE_SYMBOLS_VISIT_H
#define PD_SYMBOLIZE_SYMBOLS_VISIT_H

#include <stdint.h>

struct sym_image;

/** Function of a binary: the vaddrs [start, end). @p name is borrowed during the call. */
typedef void sym_visit_function(void *ctx, const char *name, uint64_t start, uint64_t end);

/**
 * Call @p visit for each function with a size in .symtab of @p main, or of its debug file
 * @p separate (may be NULL) if @p main has no .symtab.
 */
void sym_visit_functions(const struct sym_image *main, const struct sym_image *separate,
	sym_visit_function *visit, void *ctx);

#endif
