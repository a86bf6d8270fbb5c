/**
 * @file Traversal of one unit's DIE tree for the functions that contain given addresses, and the
 * functions inlined into them. Private to symbolize/.
 *
 * The tree is traversed once for all addresses of the unit. Subtrees that cannot contain one are
 * skipped.
 */
#ifndef PD_SYMBOLIZE_DWARF_TRAVERSAL_H
#define PD_SYMBOLIZE_DWARF_TRAVERSAL_H

#include <pdconv/vec.h>

#include "symbolize/dwarf/extents.h"
#include "symbolize/dwarf/unit.h"

/** Function that contains a wanted address, or an inlined call in one. */
struct sym_scope {
	/** Offset of its entry in .debug_info. */
	uint64_t die_offset;
	/**
	 * Index of the scope into which the call was inlined, which is lower than its own;
	 * SYM_NO_SCOPE for a function.
	 */
	uint32_t outer;
};

struct sym_traversal {
	PD_VEC(struct sym_scope) scopes;
	/**
	 * Code of these functions by innermost scope, and the code around addresses that are in no
	 * function.
	 */
	struct sym_claims claims;
};

/**
 * Traverse @p unit for the @p n addresses @p addrs, ascending; @p code is the unit's code around
 * each of them. Functions that begin outside of @p all_code (sym_dwarf.code) are left out. The
 * traversal ends where the unit is damaged. Errors: NOMEM.
 */
struct pd_error *sym_traverse(struct sym_traversal *traversal, struct sym_unit *unit,
	const struct sym_extents *all_code, const uint64_t *addrs, const struct sym_extent *code,
	size_t n) pd_must_check;
void sym_traversal_deinit(struct sym_traversal *traversal);

#endif
