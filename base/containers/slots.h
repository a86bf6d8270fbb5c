/**
 * @file Slots of a hash table that finds things by their ids: open addressing, linear probing.
 *
 * The things are elsewhere, and the caller compares them. A slot has the hash as well as the id, so
 * most of those that differ need not be read, and a table grows without them.
 */
#ifndef PD_BASE_SLOTS_H
#define PD_BASE_SLOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/prefetch.h"

struct base_slot {
	/** Id plus 1; 0: the slot is free. */
	uint32_t id_plus_1;
	uint32_t hash;
};

/** A zeroed table has no slots. */
struct base_slots {
	struct base_slot *data;
	/** A power of two, or 0. */
	size_t n;
};

void base_slots_deinit(struct base_slots *slots);

/** Bytes of @p n slots. */
static inline size_t base_slots_bytes(size_t n)
{
	return n * sizeof(struct base_slot);
}

/** Whether two thirds of @p n slots are in use if @p n_used are. Then more are needed. */
static inline bool base_slots_are_full(size_t n, size_t n_used)
{
	return n_used * 3 >= n * 2;
}

/**
 * Grow to @p n slots, a power of two, in place: memory is needed only for those that are added.
 * Returns false if out of memory.
 */
bool base_slots_grow(struct base_slots *slots, size_t n);

/** Index of the slot where the search for @p hash begins. There are slots. */
static inline size_t base_slots_first(const struct base_slots *slots, uint32_t hash)
{
	return hash & (slots->n - 1);
}

/** Index of the slot where a search goes on after @p i. It ends at a free slot. */
static inline size_t base_slots_next(const struct base_slots *slots, size_t i)
{
	return (i + 1) & (slots->n - 1);
}

/** Start to load the slot where the search for @p hash begins. */
static inline void base_slots_load(const struct base_slots *slots, uint32_t hash)
{
	if (slots->n)
		base_prefetch(&slots->data[base_slots_first(slots, hash)]);
}

/** Add @p id, which the table does not have and has room for. */
static inline void base_slots_put(struct base_slots *slots, uint32_t hash, uint32_t id)
{
	size_t i = base_slots_first(slots, hash);

	while (slots->data[i].id_plus_1)
		i = base_slots_next(slots, i);
	slots->data[i] = (struct base_slot){ id + 1, hash };
}

#endif
