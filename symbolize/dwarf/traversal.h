/**
 * @file The functions that hold given addresses of one unit, with the functions inlined into them.
 * Private to symbolize/.
 *
 * The unit's entries are walked once, for all its addresses. What cannot hold one is stepped over.
 */
#ifndef PD_SYMBOLIZE_DWARF_TRAVERSAL_H
#define PD_SYMBOLIZE_DWARF_TRAVERSAL_H

#include <pdconv/vec.h>

#include "symbolize/dwarf/claims.h"
#include "symbolize/dwarf/unit.h"

/** A function that holds a wanted address, or an inlined call in one. */
struct sym_scope {
	/** Its entry in .debug_info. */
	uint64_t die_offset;
	/** What it was inlined into, which stands before it; SYM_NO_SCOPE for a function. */
	uint32_t outer;
};

struct sym_traversal {
	PD_VEC(struct sym_scope) scopes;
	/** The code of those functions, by innermost scope, and of no function around addresses. */
	struct sym_claims claims;
};

/**
 * Walk @p unit for the @p n addresses @p addrs (ascending); @p code is the unit's code around each.
 * Damage ends the walk.
 */
struct pd_error *sym_traverse(struct sym_traversal *traversal, struct sym_unit *unit,
	const uint64_t *addrs, const struct sym_extent *code, size_t n) pd_must_check;
void sym_traversal_deinit(struct sym_traversal *traversal);

#endif
