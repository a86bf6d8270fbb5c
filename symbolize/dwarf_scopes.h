/**
 * @file The namespaces and types around functions, for those without a linkage name. Private to
 * symbolize/.
 *
 * Compilers leave the linkage name out where a function was inlined everywhere. Entries do not
 * refer to what they are in, so the unit is read once to note where namespaces and types begin and
 * end.
 */
#ifndef PD_SYMBOLIZE_DWARF_SCOPES_H
#define PD_SYMBOLIZE_DWARF_SCOPES_H

#include <pdconv/vec.h>

#include "base/arena.h"
#include "symbolize/dwarf_abbrev.h"
#include "symbolize/dwarf_file.h"

/** A namespace or type, by offsets in .debug_info. */
struct sym_container {
	uint64_t start;
	uint64_t end;
	/** What it is in itself, or SYM_NO_CONTAINER. */
	uint32_t outer;
};

#define SYM_NO_CONTAINER UINT32_MAX

/** A zeroed one is empty. */
struct sym_containers {
	PD_VEC(struct sym_container) list;
	/** Between names; NULL for languages that have no such names. */
	const char *separator;
	bool is_read;
};

void sym_containers_deinit(struct sym_containers *containers);

/**
 * @p name with those of the namespaces and types around its entry @p die before it, from @p arena.
 * @p unit_die is the unit's first entry.
 */
struct pd_error *sym_qualify(struct sym_containers *containers, const struct sym_dwarf *dwarf,
	Dwarf_Die *unit_die, Dwarf_Die *die, const char **name,
	struct pd_arena *arena) pd_must_check;

#endif
