/**
 * @file Ranges of one unit, from DWARF. Private to symbolize/.
 */
#ifndef PD_SYMBOLIZE_DWARF_UNIT_RANGES_H
#define PD_SYMBOLIZE_DWARF_UNIT_RANGES_H

#include "symbolize/dwarf/dwarf.h"
#include "symbolize/table/ranges.h"

/** Where the ranges read from a debug file are stored. */
struct sym_dwarf_target {
	/** Table that gets scopes, functions and strings. */
	struct sym_ranges *ranges;
	/** List that gets locations. */
	struct sym_new_ranges *fresh;
	/** Difference between the main file's addresses and those of the debug file. */
	uint64_t bias;
};

/**
 * Read the functions of @p unit that contain the @p n addresses @p addrs, and the code around
 * addresses that are in no function. The addresses are ascending, in the unit's code, and those of
 * the debug file. After this all of them are covered. Errors: NOMEM.
 */
struct pd_error *sym_unit_read(struct sym_dwarf *dwarf, uint32_t unit, const uint64_t *addrs,
	size_t n, const struct sym_dwarf_target *target) pd_must_check;

/**
 * Record that nothing is known about the code at @p extent, which has addresses of the debug file.
 * Errors: NOMEM.
 */
struct pd_error *sym_dwarf_note_nothing(
	const struct sym_dwarf_target *target, const struct sym_extent *extent) pd_must_check;

#endif
