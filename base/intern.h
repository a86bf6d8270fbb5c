/**
 * @file Interning: equal byte strings get the same id.
 *
 * Ids count from 0 in the order of first appearance, so they can index parallel arrays. Names,
 * stacks (arrays of frame ids) and any other values that are equal if their bytes are equal can be
 * interned. The copied bytes do not move until the set is destroyed, are aligned to 8 and are
 * followed by a NUL.
 */
#ifndef PD_BASE_INTERN_H
#define PD_BASE_INTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/slots.h"

struct pd_intern_entry {
	const void *bytes;
	uint32_t len;
};

/** Rows of a block: see pd_intern.width. */
enum { PD_INTERN_BLOCK_ROWS = 1024 };

/** Set of interned byte strings. A zeroed set is empty. */
struct pd_intern {
	/**
	 * Length of all strings, at least 1; 0: lengths differ. May be set while the set is empty.
	 * Strings of one length are found by their id alone: they are in blocks of
	 * PD_INTERN_BLOCK_ROWS rows, and the set has no entries.
	 */
	uint32_t width;
	const char **blocks;
	/** Capacity of blocks. */
	size_t cap_blocks;
	/** The bytes. Its account also counts the tables of the set. */
	struct pd_arena arena;
	/** Bytes of tables that are counted. */
	size_t charged;
	struct pd_intern_entry *entries;
	size_t n;
	size_t cap;
	/** Hashes and ids of all strings. */
	struct pd_slots slots;
};

#define PD_INTERN_NONE UINT32_MAX

/** Bytes that a string of @p len bytes occupies. */
static inline size_t pd_intern_padded(uint32_t len)
{
	return ((size_t)len + 8) & ~(size_t)7;
}

void pd_intern_deinit(struct pd_intern *set);

static inline const void *pd_intern_bytes(const struct pd_intern *set, uint32_t id)
{
	if (set->width)
		return set->blocks[id / PD_INTERN_BLOCK_ROWS] +
		       id % PD_INTERN_BLOCK_ROWS * pd_intern_padded(set->width);
	return set->entries[id].bytes;
}

static inline uint32_t pd_intern_len(const struct pd_intern *set, uint32_t id)
{
	return set->width ? set->width : set->entries[id].len;
}

/** Start to load what pd_intern_bytes() and pd_intern_len() look at. */
static inline void pd_intern_load_id(const struct pd_intern *set, uint32_t id)
{
	if (!set->width)
		__builtin_prefetch(&set->entries[id]);
}

/** Reserve room for @p n entries in total. Returns false if out of memory. */
bool pd_intern_reserve(struct pd_intern *set, size_t n);

/**
 * Intern @p len bytes, which are copied if they are new, and return their id. Returns
 * PD_INTERN_NONE if out of memory or ids.
 */
uint32_t pd_intern_add(struct pd_intern *set, const void *bytes, size_t len);

/**
 * Functions for many look-ups at a time, whose cache misses overlap: hash all, start to load all
 * slots, then all entries, then all bytes, and add all. What is loaded only affects the time.
 */
uint32_t pd_intern_hash(const void *bytes, size_t len);
/** Like pd_intern_add() with @p hash, the pd_intern_hash() of the bytes. */
uint32_t pd_intern_add_hashed(struct pd_intern *set, const void *bytes, size_t len, uint32_t hash);

static inline void pd_intern_load_slot(const struct pd_intern *set, uint32_t hash)
{
	pd_slots_load(&set->slots, hash);
}

/** Likely id of the string with @p hash, by its first slot. PD_INTERN_NONE: not likely any. */
static inline uint32_t pd_intern_guess(const struct pd_intern *set, uint32_t hash)
{
	const struct pd_slot *slot;

	if (!set->slots.n)
		return PD_INTERN_NONE;
	slot = &set->slots.data[pd_slots_first(&set->slots, hash)];
	/* That of a free slot is PD_INTERN_NONE. */
	return slot->hash == hash ? slot->id_plus_1 - 1 : PD_INTERN_NONE;
}

static inline void pd_intern_load_entry(const struct pd_intern *set, uint32_t hash)
{
	uint32_t id = set->entries ? pd_intern_guess(set, hash) : PD_INTERN_NONE;

	if (id != PD_INTERN_NONE)
		__builtin_prefetch(&set->entries[id]);
}

static inline void pd_intern_load_bytes(const struct pd_intern *set, uint32_t hash)
{
	uint32_t id = pd_intern_guess(set, hash);

	if (id != PD_INTERN_NONE)
		__builtin_prefetch(pd_intern_bytes(set, id));
}

/** Bytes to add together with others. */
struct pd_intern_item {
	/** NULL: none. */
	const void *bytes;
	size_t len;
	/** Set by pd_intern_load_items(). */
	uint32_t hash;
};

/** Hash @p n items, and start to load what pd_intern_add_item() looks at. */
void pd_intern_load_items(const struct pd_intern *set, struct pd_intern_item *items, size_t n);

/** Add an item that was loaded, like pd_intern_add(). It has bytes. */
static inline uint32_t pd_intern_add_item(struct pd_intern *set, const struct pd_intern_item *item)
{
	return pd_intern_add_hashed(set, item->bytes, item->len, item->hash);
}

/** Intern a C string without its NUL; NULL counts as "". */
uint32_t pd_intern_str(struct pd_intern *set, const char *text);

/**
 * Fill the empty @p set with @p n byte strings with the lengths @p lens, as they follow each other
 * in @p bytes: each at a multiple of 8, with a NUL after it (see pd_intern_padded()). @p bytes are
 * borrowed, and stay in use as long as the set. Returns false if the strings do not fill exactly @p
 * size bytes, or if out of memory.
 */
bool pd_intern_adopt(
	struct pd_intern *set, const uint32_t *lens, size_t n, const char *bytes, size_t size);

/** Id of @p len bytes, or PD_INTERN_NONE if they were not interned. */
uint32_t pd_intern_find(const struct pd_intern *set, const void *bytes, size_t len);

#endif
