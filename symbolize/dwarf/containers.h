/**
 * @file The namespaces and types around functions, for those without a linkage name. Private to
 * symbolize/.
 *
 * Compilers leave the linkage name out where a function was inlined everywhere. Entries do not
 * refer to what they are in, so the unit is read once to note where namespaces and types begin and
 * end.
 */
#ifndef PD_SYMBOLIZE_DWARF_CONTAINERS_H
#define PD_SYMBOLIZE_DWARF_CONTAINERS_H

#include <pdconv/vec.h>

#include "base/arena.h"
#include "symbolize/dwarf/unit.h"

/** A namespace or type, by offsets in .debug_info. */
struct sym_container {
	uint64_t start;
	uint64_t end;
	/** What it is in itself, or SYM_NO_CONTAINER. */
	uint32_t outer;
};

#define SYM_NO_CONTAINER UINT32_MAX

struct sym_containers {
	PD_VEC(struct sym_container) list;
};

void sym_containers_destroy(struct sym_containers *containers);

/**
 * @p name with those of the namespaces and types around its entry @p entry before it, from @p arena.
 * @p language is that of the function, DW_LANG_*; names of most are not qualified.
 */
struct pd_error *sym_qualify(const struct sym_entry *entry, uint16_t language, const char **name,
	struct pd_arena *arena) pd_must_check;

#endif
