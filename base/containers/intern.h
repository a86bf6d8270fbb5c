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
#include "base/containers/slots.h"

struct base_intern_entry {
	const void *bytes;
	uint32_t len;
};

/** Rows of a block: see base_intern.width. */
enum { PD_INTERN_BLOCK_ROWS = 1024 };

/** Set of interned byte strings. A zeroed set is empty. */
struct base_intern {
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
	struct base_arena arena;
	/** Bytes of tables that are counted. */
	size_t charged;
	struct base_intern_entry *entries;
	size_t n;
	size_t cap;
	/** Hashes and ids of all strings. */
	struct base_slots slots;
};

#define PD_INTERN_NONE UINT32_MAX

/** Bytes that a string of @p len bytes occupies. */
static inline size_t base_intern_padded(uint32_t len)
{
	return ((size_t)len + 8) & ~(size_t)7;
}

void base_intern_deinit(struct base_intern *set);

static inline const void *base_intern_bytes(const struct base_intern *set, uint32_t id)
{
	if (set->width)
		return set->blocks[id / PD_INTERN_BLOCK_ROWS] +
		       id % PD_INTERN_BLOCK_ROWS * base_intern_padded(set->width);
	return set->entries[id].bytes;
}

static inline uint32_t base_intern_len(const struct base_intern *set, uint32_t id)
{
	return set->width ? set->width : set->entries[id].len;
}

/** Reserve room for @p n entries in total. Returns false if out of memory. */
bool base_intern_reserve(struct base_intern *set, size_t n);

/**
 * Intern @p len bytes, which are copied if they are new, and return their id. Returns
 * PD_INTERN_NONE if out of memory or ids.
 */
uint32_t base_intern_add(struct base_intern *set, const void *bytes, size_t len);
/** Intern a C string without its NUL; NULL counts as "". */
uint32_t base_intern_str(struct base_intern *set, const char *text);

/** Id of @p len bytes, or PD_INTERN_NONE if they were not interned. */
uint32_t base_intern_find(const struct base_intern *set, const void *bytes, size_t len);

/**
 * Fill the empty @p set with @p n byte strings with the lengths @p lens, as they follow each other
 * in @p bytes: each at a multiple of 8, with a NUL after it (see base_intern_padded()). @p bytes
 * are borrowed, and stay in use as long as the set. Returns false if the strings do not fill
 * exactly @p size bytes, or if out of memory.
 */
bool base_intern_adopt(
	struct base_intern *set, const uint32_t *lens, size_t n, const char *bytes, size_t size);

#endif
