/**
 * @file Which functions, and which functions inlined into them, hold given addresses of one unit.
 * Private to symbolize/.
 *
 * The unit's entries are walked once, for all its addresses. What cannot hold one is stepped over.
 */
#ifndef PD_SYMBOLIZE_DWARF_WALK_H
#define PD_SYMBOLIZE_DWARF_WALK_H

#include <pdconv/vec.h>

#include "symbolize/dwarf_abbrev.h"
#include "symbolize/dwarf_file.h"

#define SYM_NO_SCOPE UINT32_MAX

/** A function, or an inlined call of one, that holds an address. */
struct sym_scope {
	/** Its entry in .debug_info. */
	uint64_t die_offset;
	/** What it was inlined into; SYM_NO_SCOPE for a function. */
	uint32_t outer;
};

struct sym_walk {
	PD_VEC(struct sym_scope) scopes;
	/** For each address its innermost scope, or SYM_NO_SCOPE. */
	uint32_t *innermost;
};

/** Walk @p unit for the @p n addresses @p addrs (ascending). Damage ends the walk. */
struct pd_error *sym_walk_init(struct sym_walk *walk, const struct sym_dwarf *dwarf,
	const struct sym_unit_header *unit, const uint64_t *addrs, size_t n) pd_must_check;
void sym_walk_deinit(struct sym_walk *walk);

#endif
