/**
 * @file Filling a binary's ranges from its symbol tables and DWARF. Private to symbolize/.
 */
#ifndef PD_SYMBOLIZE_FILL_H
#define PD_SYMBOLIZE_FILL_H

#include "symbolize/binary_private.h"

/**
 * Read what there is about the @p n addresses @p vaddrs, ascending: the ranges of @p binary cover all
 * of them afterwards (all but UINT64_MAX, which no range holds). Damage is like nothing known.
 */
struct pd_error *sym_fill_ranges(
	struct sym_binary *binary, const uint64_t *vaddrs, size_t n) pd_must_check;

#endif
