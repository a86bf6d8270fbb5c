#include "resolve/stacks/unmapped.h"

#include <string.h>

/* Whether setting the bits of all regions is worth it, and takes little time. */
static bool is_small(const struct parse_maps *maps)
{
	/* More mappings would make it quadratic: each one may have come with a new snapshot. */
	enum { MOST_MAPPINGS = 256 };

	/* Generated code may be at addresses that are not mapped. */
	return maps->n <= MOST_MAPPINGS && !maps->jit;
}

/* Set the bits of an entry. Return false if it is larger than all regions that have bits. */
static bool set_bits(struct resolve_mapped_regions *regions, const struct parse_maps_entry *entry)
{
	uint64_t first = entry->start >> RESOLVE_REGION_SHIFT,
		 last = (entry->end - 1) >> RESOLVE_REGION_SHIFT;

	if (last - first >= RESOLVE_UNMAPPED_BITS)
		return false;
	for (uint64_t region = first; region <= last; region++) {
		unsigned bit = resolve_region_bit(region);

		regions->bits[bit / 64] |= UINT64_C(1) << bit % 64;
	}
	return true;
}

static void fill(struct resolve_mapped_regions *regions, const struct parse_maps *maps)
{
	bool is_filled = is_small(maps);

	*regions = (struct resolve_mapped_regions){ .maps_id = maps->id };
	for (const struct parse_maps_entry *entry = is_filled ? parse_maps_next(maps, NULL) : NULL;
		entry && is_filled; entry = parse_maps_next(maps, entry))
		is_filled = set_bits(regions, entry);
	if (!is_filled)
		memset(regions->bits, 0xff, sizeof(regions->bits));
}

const struct resolve_mapped_regions *resolve_mapped_regions(
	struct resolve_unmapped *unmapped, const struct parse_maps *maps)
{
	struct resolve_mapped_regions *regions =
		&unmapped->known[maps->id % RESOLVE_UNMAPPED_SNAPSHOTS];

	if (regions->maps_id != maps->id)
		fill(regions, maps);
	return regions;
}
