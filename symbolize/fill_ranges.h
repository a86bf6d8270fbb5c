/**
 * @file Filling a binary's table of ranges from its symbol tables and DWARF. Private to symbolize/.
 */
#ifndef PD_SYMBOLIZE_FILL_RANGES_H
#define PD_SYMBOLIZE_FILL_RANGES_H

#include "symbolize/binary_files.h"

/**
 * Read everything about the @p n addresses @p vaddrs, ascending. The table of @p binary covers all
 * of them afterwards, except for UINT64_MAX, which no range contains. Damaged parts are treated as
 * unknown. Errors: NOMEM.
 */
struct pd_error *sym_fill_ranges(
	struct sym_binary *binary, const uint64_t *vaddrs, size_t n) pd_must_check;

/**
 * Find the symbol that names the code at @p vaddr, without its name. Its end is 0 if there is none.
 * Errors: NOMEM.
 */
struct pd_error *sym_find_symbol(
	struct sym_binary *binary, uint64_t vaddr, struct sym_symbol *ret) pd_must_check;

#endif
