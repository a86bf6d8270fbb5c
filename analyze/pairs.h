/**
 * @file Binaries that are compared with each other although they have different names: those that a
 * caller pairs, and the programs that recordings on both sides ran, "app-1" and "app-2".
 *
 * Binaries of one file name are the same binary in any case: see analyze/symbols.h.
 */
#ifndef PD_ANALYZE_PAIRS_H
#define PD_ANALYZE_PAIRS_H

#include <pdconv/error.h>
#include <pdconv/profile_opts.h>

#include "analyze/sides.h"

/** A binary before a change, and the one that took its place; PROF_NONE: there is none. */
struct ana_pair {
	struct prof_binary_id before;
	struct prof_binary_id after;
};

/**
 * Find the programs that took most of the periods on their side, if each is on its side only.
 * Errors: no memory.
 */
struct pd_error *ana_pair_programs(const struct profile *profile, const struct ana_sides *sides,
	struct ana_pair *ret) pd_must_check;

/**
 * Find the binaries that @p map names, by their paths or file names. Errors: USAGE, a side has no
 * such binary; no memory.
 */
struct pd_error *ana_pair_named(const struct profile *profile, const struct ana_sides *sides,
	const struct pd_path_map *map, struct ana_pair *ret) pd_must_check;

#endif
