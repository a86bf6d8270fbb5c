/**
 * @file Binaries whose functions have names on one side of a comparison only. These functions then
 * seem to have vanished, or to be new.
 */
#ifndef PD_ANALYZE_ONE_SIDED_H
#define PD_ANALYZE_ONE_SIDED_H

#include <pdconv/error.h>
#include <pdconv/vec.h>

#include "analyze/sides.h"
#include "profile/profile.h"

struct ana_one_sided {
	/** Recorded path or name. */
	struct prof_string_id binary;
	/** The side on which its functions have names. */
	enum ana_side named;
};

/** The binaries. A zeroed one is empty. */
struct ana_one_sided_list {
	PD_VEC(struct ana_one_sided) list;
};

/**
 * Find the binaries that have at least 1 % of the leaf frames of an event on both sides, nearly all
 * of them with a name on one side, and hardly any on the other. Binaries of different builds with
 * the same path count as one. Free with ana_one_sided_deinit(). Errors: no memory.
 */
struct pd_error *ana_one_sided_find(const struct profile *profile, const struct ana_sides *sides,
	struct prof_event_id event, struct ana_one_sided_list *ret) pd_must_check;
void ana_one_sided_deinit(struct ana_one_sided_list *list);

#endif
