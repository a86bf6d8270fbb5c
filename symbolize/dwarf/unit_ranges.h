/**
 * @file Ranges of one unit, from DWARF. Private to symbolize/.
 */
#ifndef PD_SYMBOLIZE_DWARF_UNIT_RANGES_H
#define PD_SYMBOLIZE_DWARF_UNIT_RANGES_H

#include "symbolize/dwarf/dwarf.h"
#include "symbolize/table/ranges.h"

/** Where ranges go that are read from a debug file. */
struct sym_dwarf_target {
	/** Gets scopes, functions and strings. */
	struct sym_ranges *ranges;
	/** Gets places. */
	struct sym_new_ranges *fresh;
	/** Added to the debug file's addresses to get the main file's. */
	uint64_t bias;
};

/**
 * Read the functions of @p unit that hold the @p n addresses @p addrs (ascending, in the unit's code,
 * as the debug file knows them), and what is around addresses in no function. All of @p addrs are
 * covered then.
 */
struct pd_error *sym_unit_read(struct sym_dwarf *dwarf, uint32_t unit, const uint64_t *addrs,
	size_t n, const struct sym_dwarf_target *target) pd_must_check;

/** Note that nothing is known of the code at @p extent (debug file's addresses). */
struct pd_error *sym_dwarf_note_nothing(
	const struct sym_dwarf_target *target, const struct sym_extent *extent) pd_must_check;

#endif
