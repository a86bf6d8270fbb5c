/**
 * @file Namespaces and types around functions, which qualify their names. Private to symbolize/.
 *
 * Compilers leave out the linkage name of a function that was inlined everywhere. Since entries do
 * not refer to their parents, the unit is read once to record where namespaces and types begin and
 * end.
 */
#ifndef PD_SYMBOLIZE_DWARF_CONTAINERS_H
#define PD_SYMBOLIZE_DWARF_CONTAINERS_H

#include <pdconv/vec.h>

#include "base/arena.h"
#include "symbolize/dwarf/unit.h"

/** Namespace or type, by the offsets of its entries in .debug_info. */
struct sym_container {
	uint64_t start;
	uint64_t end;
	/** Index of the container around this one, or SYM_NO_CONTAINER. */
	uint32_t outer;
};

#define SYM_NO_CONTAINER UINT32_MAX

struct sym_containers {
	PD_VEC(struct sym_container) list;
};

void sym_containers_destroy(struct sym_containers *containers);

/**
 * Prefix *name, the name of the function at @p entry, with the names of the namespaces and types
 * around it. The result comes from @p arena. @p language is DW_LANG_*; in most languages names are
 * not qualified. Errors: NOMEM.
 */
struct pd_error *sym_qualify(const struct sym_entry *entry, uint16_t language, const char **name,
	struct base_arena *arena) pd_must_check;

#endif
