/**
 * @file Interning of many byte strings at a time, so that their cache misses overlap.
 *
 * Hash all, start to load all slots, then all entries, then all bytes, and add all. What is loaded
 * only affects the time.
 */
#ifndef PD_BASE_INTERN_AHEAD_H
#define PD_BASE_INTERN_AHEAD_H

#include "base/containers/intern.h"
#include "base/prefetch.h"

/** Hash of @p len bytes, for the functions below. */
uint32_t base_intern_hash(const void *bytes, size_t len);
/** Like base_intern_add() with @p hash, the base_intern_hash() of the bytes. */
uint32_t base_intern_add_hashed(
	struct base_intern *set, const void *bytes, size_t len, uint32_t hash);

static inline void base_intern_load_slot(const struct base_intern *set, uint32_t hash)
{
	base_slots_load(&set->slots, hash);
}

/** Likely id of the string with @p hash, by its first slot. PD_INTERN_NONE: not likely any. */
static inline uint32_t base_intern_guess(const struct base_intern *set, uint32_t hash)
{
	const struct base_slot *slot;

	if (!set->slots.n)
		return PD_INTERN_NONE;
	slot = &set->slots.data[base_slots_first(&set->slots, hash)];
	/* That of a free slot is PD_INTERN_NONE. */
	return slot->hash == hash ? slot->id_plus_1 - 1 : PD_INTERN_NONE;
}

static inline void base_intern_load_bytes(const struct base_intern *set, uint32_t hash)
{
	uint32_t id = base_intern_guess(set, hash);

	if (id != PD_INTERN_NONE)
		base_prefetch(base_intern_bytes(set, id));
}

/** Bytes to add together with others. */
struct base_intern_item {
	/** NULL: none. */
	const void *bytes;
	size_t len;
	/** Set by base_intern_load_items(). */
	uint32_t hash;
};

/** Hash @p n items, and start to load what base_intern_add_item() looks at. */
void base_intern_load_items(
	const struct base_intern *set, struct base_intern_item *items, size_t n);

/** Add an item that was loaded, like base_intern_add(). It has bytes. */
static inline uint32_t base_intern_add_item(
	struct base_intern *set, const struct base_intern_item *item)
{
	return base_intern_add_hashed(set, item->bytes, item->len, item->hash);
}

/** Start to load what base_intern_bytes() and base_intern_len() look at. */
static inline void base_intern_load_id(const struct base_intern *set, uint32_t id)
{
	if (!set->width)
		base_prefetch(&set->entries[id]);
}

#endif
