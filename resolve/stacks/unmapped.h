/**
 * @file Unmapped addresses: a quick test whether an address of a process is in no mapping of code.
 *
 * For programs without frame pointers the kernel records arbitrary values of the stack as return
 * addresses. Most of them are not mapped. A bitmap of the regions of 2 MiB that have mappings shows
 * that for most of them, without a search in the mappings.
 */
#ifndef PD_RESOLVE_STACKS_UNMAPPED_H
#define PD_RESOLVE_STACKS_UNMAPPED_H

#include <stdbool.h>
#include <stdint.h>

#include "parse/space/space.h"

enum {
	RESOLVE_UNMAPPED_SNAPSHOTS = 64,
	RESOLVE_UNMAPPED_BITS = 512,
	/** Regions are of 2 MiB. */
	RESOLVE_REGION_SHIFT = 21,
};

/** Regions of a snapshot that may have mappings. */
struct resolve_mapped_regions {
	/** Id of the snapshot; 0: none. */
	uint64_t maps_id;
	/** Bitmap indexed by a hash of the region. */
	uint64_t bits[RESOLVE_UNMAPPED_BITS / 64];
};

/** Direct-mapped cache of the regions of snapshots. A zeroed one is empty. */
struct resolve_unmapped {
	struct resolve_mapped_regions known[RESOLVE_UNMAPPED_SNAPSHOTS];
};

/** Return the regions of @p maps, valid until the next call. */
const struct resolve_mapped_regions *resolve_mapped_regions(
	struct resolve_unmapped *unmapped, const struct parse_maps *maps);

static inline unsigned resolve_region_bit(uint64_t region)
{
	/* Regions side by side, as most are, get different bits. */
	return (unsigned)(region ^ region >> 9 ^ region >> 18) % RESOLVE_UNMAPPED_BITS;
}

/** Whether code may be at the process address @p addr, in a snapshot with @p regions. */
static inline bool resolve_may_be_mapped(
	const struct resolve_mapped_regions *regions, uint64_t addr)
{
	unsigned bit = resolve_region_bit(addr >> RESOLVE_REGION_SHIFT);

	return regions->bits[bit / 64] >> bit % 64 & 1;
}

/**
 * Whether the process address @p addr is in no mapping of @p maps, whose regions are @p regions,
 * and not in generated code either.
 */
static inline bool resolve_is_unmapped(
	const struct resolve_mapped_regions *regions, const struct parse_maps *maps, uint64_t addr)
{
	if (!resolve_may_be_mapped(regions, addr))
		return true;
	return !maps->jit && !parse_maps_find(maps, addr);
}

#endif
