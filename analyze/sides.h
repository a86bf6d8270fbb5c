/**
 * @file Sides of a comparison: the recordings of a merged profile that were made before a change,
 * and those that were made after it.
 */
#ifndef PD_ANALYZE_SIDES_H
#define PD_ANALYZE_SIDES_H

#include <pdconv/error.h>
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
 * recordings before the change, then @p n_after after it. Free with ana_sides_deinit(). Errors: no
 * memory.
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

#endif
