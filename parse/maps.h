/**
 * @file How parse/space.c makes snapshots; parse/space.h says what they are.
 */
#ifndef PD_PARSE_MAPS_H
#define PD_PARSE_MAPS_H

#include "parse/space.h"

/** Empty, with one reference; NULL if there is no memory. */
struct pd_maps *pd_maps_create(uint64_t id) pd_must_check;

/** The first entry that overlaps @p start to @p end, or NULL. Borrowed until the next change. */
const struct pd_maps_entry *pd_maps_first(const struct pd_maps *maps, uint64_t start, uint64_t end);

/**
 * Put @p mapping from @p start to @p end in place of what is there; nothing, if @p mapping is NULL.
 * Whoever else holds the snapshot keeps it as it was: then @p maps becomes a copy. False if there
 * is no memory.
 */
bool pd_maps_replace(struct pd_maps **maps, uint64_t id, uint64_t start, uint64_t end,
	const struct pd_mapping *mapping) pd_must_check;

/** Set the generated code in the same way. */
bool pd_maps_set_jit(
	struct pd_maps **maps, uint64_t id, const struct pd_jit *jit, uint32_t epoch) pd_must_check;

#endif
