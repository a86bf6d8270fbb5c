/**
 * @file Names of addresses from DWARF. Private to symbolize/.
 */
#ifndef PD_SYMBOLIZE_DWARF_NAMES_H
#define PD_SYMBOLIZE_DWARF_NAMES_H

#include "symbolize/dwarf_file.h"
#include "symbolize/names.h"

/** An address to be named. */
struct sym_wanted {
	/** As the debug file knows it. */
	uint64_t addr;
	uint32_t unit;
	/** Of the result. */
	uint32_t index;
};

/**
 * Name @p n addresses of one unit, ascending: @p ret[wanted.index] gets names and n (names of the
 * outermost function are NULL if its entry gives none), or stays as it is if nothing is known.
 */
struct pd_error *sym_unit_names(struct sym_dwarf *dwarf, const struct sym_opts *opts,
	const struct sym_wanted *wanted, size_t n, struct pd_arena *arena,
	struct sym_names *ret) pd_must_check;

#endif
