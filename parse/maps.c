/* Snapshots of what is mapped: lists that are copied when somebody else holds them. */
#include "parse/maps.h"

#include <stdlib.h>
#include <string.h>

struct pd_maps *pd_maps_ref(struct pd_maps *maps)
{
	maps->refs++;
	return maps;
}

void pd_maps_unref(struct pd_maps *maps)
{
	if (maps && --maps->refs == 0)
		free(maps);
}

/* The first entry that ends behind addr. */
static uint32_t first_ending_after(const struct pd_maps *maps, uint64_t addr)
{
	uint32_t low = 0;
	uint32_t high = maps->n;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (maps->entries[middle].end > addr)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

const struct pd_mapping *pd_maps_find(const struct pd_maps *maps, uint64_t addr)
{
	uint32_t i = first_ending_after(maps, addr);

	return i < maps->n && maps->entries[i].start <= addr ? maps->entries[i].mapping : NULL;
}

struct pd_maps *pd_maps_create(uint64_t id)
{
	struct pd_maps *maps = malloc(sizeof(*maps));

	if (maps)
		*maps = (struct pd_maps){ .id = id, .refs = 1 };
	return maps;
}

bool pd_maps_overlap(const struct pd_maps *maps, uint64_t start, uint64_t end)
{
	uint32_t i = first_ending_after(maps, start);

	return i < maps->n && maps->entries[i].start < end;
}

/*
 * A list is made anew for every change: lists are short, changes are rare beside samples, and
 * whoever holds the old one keeps it.
 */
struct pd_maps *pd_maps_replace(const struct pd_maps *old, uint64_t id, uint64_t start,
	uint64_t end, const struct pd_mapping *mapping)
{
	/* At most one entry is cut in two, and one is new. */
	struct pd_maps *maps =
		malloc(sizeof(*maps) + (old->n + (size_t)2) * sizeof(maps->entries[0]));
	uint32_t i = first_ending_after(old, start);
	uint32_t n = i;

	if (!maps)
		return NULL;
	*maps = (struct pd_maps){ .id = id, .refs = 1 };
	memcpy(maps->entries, old->entries, i * sizeof(old->entries[0]));
	if (i < old->n && old->entries[i].start < start) {
		maps->entries[n] = old->entries[i];
		maps->entries[n++].end = start;
	}
	if (mapping)
		maps->entries[n++] = (struct pd_maps_entry){ start, end, mapping };
	while (i < old->n && old->entries[i].end <= end)
		i++;
	for (; i < old->n; i++) {
		maps->entries[n] = old->entries[i];
		if (maps->entries[n].start < end)
			maps->entries[n].start = end;
		n++;
	}
	maps->n = n;
	return maps;
}
