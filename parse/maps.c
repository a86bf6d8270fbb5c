/* Snapshots of mappings: sorted lists with copy on write. */
#include "parse/maps.h"

#include <stdlib.h>
#include <string.h>

#include "base/search.h"

/* A change adds at most two entries: the new one, and the second half of one that is split. */
enum { FIRST_CAP = 8, MAX_MORE = 2 };

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

/* Index of the first entry that ends after addr. */
static uint32_t first_ending_after(const struct pd_maps *maps, uint64_t addr)
{
	return pd_lower_bound(maps->n, i, maps->entries[i].end <= addr);
}

const struct pd_mapping *pd_maps_find(const struct pd_maps *maps, uint64_t addr)
{
	uint32_t i = first_ending_after(maps, addr);

	return i < maps->n && maps->entries[i].start <= addr ? maps->entries[i].mapping : NULL;
}

const struct pd_mapping *pd_maps_find_before(const struct pd_maps *maps, uint64_t addr)
{
	uint32_t i = first_ending_after(maps, addr);

	if (!i || i >= maps->n || maps->entries[i].start > addr ||
		maps->entries[i - 1].end != maps->entries[i].start)
		return NULL;
	return maps->entries[i - 1].mapping;
}

const struct pd_maps_entry *pd_maps_kernel_image(const struct pd_maps *maps)
{
	for (uint32_t i = 0; i < maps->n; i++) {
		const struct pd_dso *dso = maps->entries[i].mapping->dso;

		if (dso->is_kernel && strcmp(dso->name, PD_KERNEL_NAME) == 0)
			return &maps->entries[i];
	}
	return NULL;
}

static struct pd_maps *allocate(uint32_t cap)
{
	struct pd_maps *maps = malloc(sizeof(*maps) + cap * sizeof(maps->entries[0]));

	if (maps)
		*maps = (struct pd_maps){ .refs = 1, .cap = cap };
	return maps;
}

struct pd_maps *pd_maps_create(uint64_t id)
{
	struct pd_maps *maps = allocate(FIRST_CAP);

	if (maps)
		maps->id = id;
	return maps;
}

const struct pd_maps_entry *pd_maps_first(const struct pd_maps *maps, uint64_t start, uint64_t end)
{
	uint32_t i = first_ending_after(maps, start);

	return i < maps->n && maps->entries[i].start < end ? &maps->entries[i] : NULL;
}

/* Make the list unshared, with room for the entries that one change may add. */
static bool make_own(struct pd_maps **maps)
{
	struct pd_maps *old = *maps;

	if (old->refs == 1 && old->cap >= old->n + MAX_MORE)
		return true;
	struct pd_maps *own = allocate(old->n + old->n / 2 + FIRST_CAP);
	if (!own)
		return false;
	own->n = old->n;
	own->jit = old->jit;
	own->jit_epoch = old->jit_epoch;
	own->older_jit = old->older_jit;
	own->older_jit_epoch = old->older_jit_epoch;
	memcpy(own->entries, old->entries, old->n * sizeof(old->entries[0]));
	pd_maps_unref(old);
	*maps = own;
	return true;
}

/* Compute the entries that replace [first, last), which overlap [start, end). */
static uint32_t cut(const struct pd_maps *maps, uint32_t first, uint32_t last,
	const struct pd_maps_entry *put, struct pd_maps_entry ret[static 1 + MAX_MORE])
{
	const struct pd_maps_entry *entries = maps->entries;
	uint32_t n = 0;

	if (first < last && entries[first].start < put->start) {
		ret[n] = entries[first];
		ret[n++].end = put->start;
	}
	if (put->mapping)
		ret[n++] = *put;
	if (first < last && entries[last - 1].end > put->end) {
		ret[n] = entries[last - 1];
		ret[n++].start = put->end;
	}
	return n;
}

bool pd_maps_replace(struct pd_maps **maps, uint64_t id, uint64_t start, uint64_t end,
	const struct pd_mapping *mapping)
{
	const struct pd_maps_entry put = { start, end, mapping };
	struct pd_maps_entry instead[1 + MAX_MORE];

	if (!make_own(maps))
		return false;
	struct pd_maps *own = *maps;
	uint32_t first = first_ending_after(own, start);
	uint32_t last = first;
	while (last < own->n && own->entries[last].start < end)
		last++;
	uint32_t n = cut(own, first, last, &put, instead);

	/* make_own() has reserved room for all entries that a change can add. */
	memmove(&own->entries[first + n], &own->entries[last],
		(own->n - last) * sizeof(own->entries[0]));
	memcpy(&own->entries[first], instead, n * sizeof(instead[0]));
	own->n = own->n - (last - first) + n;
	/* The unwinder caches by id, so changed mappings must have a new one. */
	own->id = id;
	return true;
}

bool pd_maps_set_jit(struct pd_maps **maps, uint64_t id, const struct pd_jit *jit, uint32_t epoch)
{
	if (!make_own(maps))
		return false;
	if (!jit || (*maps)->jit != jit) {
		(*maps)->older_jit = jit ? (*maps)->jit : NULL;
		(*maps)->older_jit_epoch = (*maps)->jit_epoch;
	}
	(*maps)->jit = jit;
	(*maps)->jit_epoch = epoch;
	(*maps)->id = id;
	return true;
}
