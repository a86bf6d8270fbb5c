/**
 * @file Interning: equal byte strings get one number.
 *
 * Numbers are dense from 0 in the order of first appearance, so parallel arrays can hold what
 * belongs to each. Serves for names, stacks (arrays of frame numbers) and any other value whose
 * bytes are its identity. The bytes stay where they are until the set is destroyed, are aligned to
 * 8 and are followed by a NUL.
 */
#ifndef PD_BASE_INTERN_H
#define PD_BASE_INTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

struct pd_intern_entry {
	const void *bytes;
	uint32_t len;
	uint32_t hash;
};

/** The hash is here too, so that entries that differ need not be looked at. */
struct pd_intern_slot {
	/** Entry number + 1; 0: free. */
	uint32_t entry;
	uint32_t hash;
};

/** A zeroed one is empty. */
struct pd_intern {
	struct pd_arena arena;
	struct pd_intern_entry *entries;
	size_t n;
	size_t cap;
	/** Open addressing. */
	struct pd_intern_slot *slots;
	size_t n_slots;
};

#define PD_INTERN_NONE UINT32_MAX

void pd_intern_deinit(struct pd_intern *set);

/** Make room for @p n entries, so that none has to be moved before. False: there is no memory. */
bool pd_intern_reserve(struct pd_intern *set, size_t n);

/**
 * The number of @p len bytes, which are copied if they are new; PD_INTERN_NONE if there is no
 * memory (or no number left).
 */
uint32_t pd_intern_add(struct pd_intern *set, const void *bytes, size_t len);

/** The same for a C string; NULL counts as "". */
uint32_t pd_intern_str(struct pd_intern *set, const char *text);

/** The number of @p len bytes if they are there, else PD_INTERN_NONE. */
uint32_t pd_intern_find(const struct pd_intern *set, const void *bytes, size_t len);

static inline const void *pd_intern_bytes(const struct pd_intern *set, uint32_t id)
{
	return set->entries[id].bytes;
}

static inline uint32_t pd_intern_len(const struct pd_intern *set, uint32_t id)
{
	return set->entries[id].len;
}

#endif
