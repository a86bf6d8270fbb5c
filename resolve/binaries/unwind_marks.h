/**
 * @file Symbols of a binary that the unwinder needs: the instruction sets of its code, and its
 * functions at the base of a stack.
 */
#ifndef PD_RESOLVE_BINARIES_UNWIND_MARKS_H
#define PD_RESOLVE_BINARIES_UNWIND_MARKS_H

#include <stddef.h>
#include <stdint.h>

#include <pdconv/error.h>
#include <pdconv/vec.h>

#include "symbolize/binary.h"
#include "unwind/binary_rows.h"

/** See unw_section.mapping_symbols. */
struct resolve_mapping_symbols {
	PD_VEC(uint64_t) list;
};

/**
 * List the marks of @p binary by its mapping symbols. There are none if these were stripped, or if
 * the machine has one instruction set. Errors: NOMEM.
 */
struct pd_error *resolve_mapping_symbols_create(
	const struct sym_binary *binary, struct resolve_mapping_symbols *ret) pd_must_check;
void resolve_mapping_symbols_deinit(struct resolve_mapping_symbols *marks);

/** Functions at the base of a stack, from the names of a binary. Zero it before first use. */
struct resolve_roots {
	struct unw_root list[UNW_MAX_ROOTS];
	size_t n;
};

/**
 * Add the function @p name at the vaddrs [start, end) if it is one that root_defs.h lists. Call it
 * for any function of the binary: others are ignored, as are those beyond UNW_MAX_ROOTS.
 */
void resolve_roots_add(struct resolve_roots *roots, const char *name, uint64_t start, uint64_t end);

#endif
