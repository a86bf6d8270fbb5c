/**
 * @file Sides of a comparison: the recordings of a merged profile that were made before a change,
 * and those that were made after it; and the binaries that differ between them.
 *
 * Binaries of one file name are the same binary: see analyze/symbols.h. Others are compared with
 * each other if a caller pairs them, or if they are the programs that recordings on both sides ran,
 * "app-1" and "app-2". Functions of a binary that has names on one side only seem to have vanished,
 * or to be new.
 */
#ifndef PD_ANALYZE_SIDES_H
#define PD_ANALYZE_SIDES_H

#include <pdconv/error.h>
#include <pdconv/profile_opts.h>
#include <pdconv/vec.h>

#include "profile/profile.h"

enum ana_side { ANA_BEFORE, ANA_AFTER, ANA_N_SIDES };

/** The recordings on each side. A zeroed one is empty. */
struct ana_sides {
	/** Number of recordings on each side. Those on the side before come first. */
	size_t n[ANA_N_SIDES];
	/** Recording of each prof_tags, by tags id. */
	PD_VEC(uint32_t) of_tags;
};

/**
 * Find the recordings of @p profile. @p labels are the values of prof_tags.input: @p n_before
 * recordings before the change, then @p n_after after it. Free with ana_sides_deinit(). Errors:
 * NOMEM.
 */
struct pd_error *ana_sides_create(const struct profile *profile,
	const struct prof_string_id *labels, size_t n_before, size_t n_after,
	struct ana_sides *ret) pd_must_check;
void ana_sides_deinit(struct ana_sides *sides);

static inline size_t ana_n_recordings(const struct ana_sides *sides)
{
	return sides->n[ANA_BEFORE] + sides->n[ANA_AFTER];
}

/** Return the recording of a sample, by number. Samples without a label are in the first one. */
static inline size_t ana_recording_of(const struct ana_sides *sides, struct prof_tags_id tags)
{
	return tags.i < sides->of_tags.n ? sides->of_tags.data[tags.i] : 0;
}

/** Return the side of a recording. */
static inline enum ana_side ana_side_of(const struct ana_sides *sides, size_t recording)
{
	return recording < sides->n[ANA_BEFORE] ? ANA_BEFORE : ANA_AFTER;
}

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
 * the same path count as one. Free with ana_one_sided_deinit(). Errors: NOMEM.
 */
struct pd_error *ana_one_sided_find(const struct profile *profile, const struct ana_sides *sides,
	struct prof_event_id event, struct ana_one_sided_list *ret) pd_must_check;
void ana_one_sided_deinit(struct ana_one_sided_list *list);

/** A binary before a change, and the one that took its place; PROF_NONE: there is none. */
struct ana_pair {
	struct prof_binary_id before;
	struct prof_binary_id after;
};

/**
 * Find the programs that took most of the periods on their side, if each is on its side only.
 * Errors: NOMEM.
 */
struct pd_error *ana_pair_programs(const struct profile *profile, const struct ana_sides *sides,
	struct ana_pair *ret) pd_must_check;

/**
 * Find the binaries that @p map names, by their paths or file names. Errors: USAGE, a side has no
 * such binary; NOMEM.
 */
struct pd_error *ana_pair_named(const struct profile *profile, const struct ana_sides *sides,
	const struct pd_path_map *map, struct ana_pair *ret) pd_must_check;

#endif
