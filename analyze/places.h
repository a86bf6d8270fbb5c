/**
 * @file Places: what the rows of a table stand for at each frame, such as the functions there.
 */
#ifndef PD_ANALYZE_PLACES_H
#define PD_ANALYZE_PLACES_H

#include <stdbool.h>
#include <stdint.h>

#include <pdconv/vec.h>

#include "profile/ids.h"

/** Places of all frames of a profile. A zeroed one is empty. */
struct ana_places {
	/** Index of the first place of each frame in list, and the end of the last one. */
	PD_VEC(uint32_t) starts;
	/** Ids of places, innermost inlined function first. Equal places have the same id. */
	PD_VEC(uint32_t) list;
};

static inline void ana_places_deinit(struct ana_places *places)
{
	pd_vec_deinit(&places->starts);
	pd_vec_deinit(&places->list);
}

/**
 * Begin the places of the next frame, or end those of the last one. Returns false if out of memory.
 */
static inline bool ana_places_next(struct ana_places *places)
{
	return pd_vec_push(&places->starts, (uint32_t)places->list.n);
}

/** Places at a frame, innermost first; at least one. All but the last are inlined. */
static inline const uint32_t *ana_places_at(
	const struct ana_places *places, struct prof_frame_id frame, uint32_t *n_ret)
{
	uint32_t start = places->starts.data[frame.i];

	*n_ret = places->starts.data[frame.i + 1] - start;
	return &places->list.data[start];
}

#endif
