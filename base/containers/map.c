#include "base/containers/map.h"

#include <stdlib.h>

#include "base/containers/hash.h"

enum { FIRST_SLOTS = 16 };

static bool is_taken(const struct base_map *map, size_t i)
{
	return map->taken[i / 64] >> (i % 64) & 1;
}

/* Find the slot of key, or the free slot where it belongs. At least one slot is always free. */
static size_t probe(const struct base_map *map, uint64_t key)
{
	size_t mask = map->n_slots - 1;
	size_t i = base_hash_u64(key) & mask;

	while (is_taken(map, i) && map->slots[i].key != key)
		i = (i + 1) & mask;
	return i;
}

static bool grow(struct base_map *map)
{
	struct base_map grown = { .n_slots = map->n_slots ? map->n_slots * 2 : FIRST_SLOTS };

	/*
	 * Slots are not initialized: only the bits in taken mark the valid ones, so any key is
	 * possible.
	 */
	grown.slots = reallocarray(NULL, grown.n_slots, sizeof(*grown.slots));
	grown.taken = calloc((grown.n_slots + 63) / 64, sizeof(*grown.taken));
	if (!grown.slots || !grown.taken) {
		base_map_deinit(&grown);
		return false;
	}
	base_map_each(slot, map)
	{
		size_t to = probe(&grown, slot->key);

		grown.slots[to] = *slot;
		grown.taken[to / 64] |= (uint64_t)1 << (to % 64);
	}
	grown.n = map->n;
	base_map_deinit(map);
	*map = grown;
	return true;
}

void base_map_deinit(struct base_map *map)
{
	free(map->slots);
	free(map->taken);
	*map = (struct base_map){ 0 };
}

uint64_t *base_map_find(const struct base_map *map, uint64_t key)
{
	if (!map->n)
		return NULL;
	size_t i = probe(map, key);
	return is_taken(map, i) ? &map->slots[i].value : NULL;
}

uint64_t *base_map_add(struct base_map *map, uint64_t key, bool *is_new_ret)
{
	/* Open addressing needs free slots: with more than 2/3 in use, probing takes long. */
	if (map->n * 3 >= map->n_slots * 2 && !grow(map))
		return NULL;
	size_t i = probe(map, key);
	bool is_new = !is_taken(map, i);

	if (is_new) {
		map->slots[i] = (struct base_map_slot){ .key = key };
		map->taken[i / 64] |= (uint64_t)1 << (i % 64);
		map->n++;
	}
	if (is_new_ret)
		*is_new_ret = is_new;
	return &map->slots[i].value;
}
