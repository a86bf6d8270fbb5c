/**
 * @file Changes of the snapshots of mappings that parse/space.h describes.
 */
#ifndef PD_PARSE_MAPS_H
#define PD_PARSE_MAPS_H

#include "parse/space.h"

/** Create an empty snapshot with one reference. NULL if out of memory. */
struct pd_maps *pd_maps_create(uint64_t id) pd_must_check;

/**
 * Find the first entry that overlaps [@p start, @p end), or NULL. Borrowed until the next change.
 */
const struct pd_maps_entry *pd_maps_first(const struct pd_maps *maps, uint64_t start, uint64_t end);

/**
 * Replace the mappings in [@p start, @p end) by @p mapping; NULL: only remove them. If the snapshot
 * has other references, @p maps becomes a changed copy with the id @p id. False if out of memory.
 */
bool pd_maps_replace(struct pd_maps **maps, uint64_t id, uint64_t start, uint64_t end,
	const struct pd_mapping *mapping) pd_must_check;

/**
 * Set the generated code of the snapshot, copying it like pd_maps_replace(). Code of another dump
 * remains as the older one; NULL removes both. False if out of memory.
 */
bool pd_maps_set_jit(
	struct pd_maps **maps, uint64_t id, const struct pd_jit *jit, uint32_t epoch) pd_must_check;

#endif
