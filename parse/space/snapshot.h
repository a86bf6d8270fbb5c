/**
 * @file Changes of the snapshots of mappings that parse/space/space.h describes.
 *
 * A snapshot with one reference changes in place. With more, it remains as it is, and @p maps
 * becomes a changed copy, which shares what did not change. Either gets the id @p id.
 */
#ifndef PD_PARSE_SNAPSHOT_H
#define PD_PARSE_SNAPSHOT_H

#include "parse/space/space.h"

/** Create an empty snapshot with one reference. NULL if out of memory. */
struct parse_maps *parse_maps_create(uint64_t id) pd_must_check;

/**
 * Find the first entry that overlaps [@p start, @p end), or NULL. Borrowed until the next change.
 */
const struct parse_maps_entry *parse_maps_first(
	const struct parse_maps *maps, uint64_t start, uint64_t end);

/**
 * Replace the mappings in [@p start, @p end) by @p mapping; NULL: only remove them. False if out of
 * memory; @p maps may only be released then.
 */
bool parse_maps_replace(struct parse_maps **maps, uint64_t id, uint64_t start, uint64_t end,
	const struct parse_mapping *mapping) pd_must_check;

/** Set the mapping of the kernel's image. False if out of memory. */
bool parse_maps_set_kernel_image(
	struct parse_maps **maps, uint64_t id, const struct parse_mapping *image) pd_must_check;

/**
 * Set the generated code of the snapshot. Code of another dump remains as the older one; NULL
 * removes both. False if out of memory.
 */
bool parse_maps_set_jit(struct parse_maps **maps, uint64_t id, const struct parse_jit *jit,
	uint32_t epoch) pd_must_check;

#endif
