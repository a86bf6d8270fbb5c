/**
 * @file A hash map from 64-bit keys to 64-bit values, open addressing.
 *
 * Any key is allowed. A zeroed map is empty.
 */
#ifndef PD_BASE_MAP_H
#define PD_BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct base_map_slot {
	uint64_t key;
	uint64_t value;
};

struct base_map {
	struct base_map_slot *slots;
	/** Bitmap of slots in use. */
	uint64_t *taken;
	/** Number of slots: a power of two, or 0. */
	size_t n_slots;
	size_t n;
};

void base_map_deinit(struct base_map *map);

/** Find the value of @p key, or NULL. The pointer is valid until the next insertion. */
uint64_t *base_map_find(const struct base_map *map, uint64_t key);

/**
 * Find the value of @p key, and insert it with the value 0 if it is missing. Returns NULL if out of
 * memory. @p is_new_ret may be NULL. The pointer is valid until the next insertion.
 */
uint64_t *base_map_add(struct base_map *map, uint64_t key, bool *is_new_ret);

/** Entry after @p slot, or the first one if @p slot is NULL. Returns NULL at the end. */
static inline struct base_map_slot *base_map_next(
	const struct base_map *map, const struct base_map_slot *slot)
{
	size_t i = slot ? (size_t)(slot - map->slots) + 1 : 0;

	/* Many slots are free, so look at 64 of them at a time. */
	for (; i < map->n_slots; i = (i | 63) + 1) {
		uint64_t taken = map->taken[i / 64] >> (i % 64);

		if (taken)
			return &map->slots[i + (size_t)__builtin_ctzll(taken)];
	}
	return NULL;
}

/** Loop over the entries in unspecified order. The loop must not insert entries. */
#define base_map_each(slot, map) \
	for (struct base_map_slot *slot = base_map_next(map, NULL); (slot); \
		(slot) = base_map_next(map, slot))

#endif
