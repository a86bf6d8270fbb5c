/**
 * @file Functions at the base of a stack, collected from the names of a binary.
 */
#ifndef PD_RESOLVE_ROOTS_H
#define PD_RESOLVE_ROOTS_H

#include <stddef.h>
#include <stdint.h>

#include "unwind/binary_rows.h"

/** Zero it before first use. */
struct resolve_roots {
	struct unw_root list[UNW_MAX_ROOTS];
	size_t n;
};

/**
 * Add the function @p name at the vaddrs [start, end) if it is one that resolve/root_defs.h lists.
 * Call it for any function of the binary: others are ignored, as are those beyond UNW_MAX_ROOTS.
 */
void resolve_roots_add(struct resolve_roots *roots, const char *name, uint64_t start, uint64_t end);

#endif
