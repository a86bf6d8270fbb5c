/**
 * @file Lists of address ranges. DWARF 5 sections 2.17.3 and 7.25, DWARF 4 section 2.17.3. Private
 * to symbolize/.
 */
#ifndef PD_SYMBOLIZE_DWARF_EXTENTS_H
#define PD_SYMBOLIZE_DWARF_EXTENTS_H

#include "symbolize/dwarf/claims.h"
#include "symbolize/dwarf/unit.h"

struct sym_extents {
	PD_VEC(struct sym_extent) list;
	/**
	 * Number of ranges that may still be read. Entries may share a list, so the size of the
	 * file does not limit it.
	 */
	uint64_t left;
	/** A range was left out because there was no room for it. */
	bool is_cut;
};

/**
 * Whether @p addr is in one of the ranges @p code, in which all code is. That is so if there are
 * none: it is not known where code is.
 */
bool sym_extents_have_code(const struct sym_extents *code, uint64_t addr);

/** Add a range unless it is empty. Returns false if there is no memory. */
bool sym_extents_add(struct sym_extents *extents, uint64_t start, uint64_t end);

/**
 * Add the ranges of @p attr (DW_AT_ranges) of an entry of @p unit. Reading stops where they are
 * damaged. Returns false if there is no memory.
 */
bool sym_extents_add_list(
	struct sym_extents *extents, const struct sym_unit *unit, const struct sym_attr *attr);

/**
 * Add the range from @p low, if the entry has one, to @p high (DW_AT_high_pc: an address, or a
 * size). Returns false if there is no memory.
 */
bool sym_extents_add_bounds(struct sym_extents *extents, const struct sym_unit *unit, bool has_low,
	uint64_t low, const struct sym_attr *high);

#endif
