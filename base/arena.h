/**
 * @file Arena allocator: objects are allocated one by one and freed together.
 *
 * A zeroed arena is empty. An arena is not thread-safe.
 */
#ifndef PD_BASE_ARENA_H
#define PD_BASE_ARENA_H

#include <stddef.h>

#include "base/budget.h"

struct base_arena {
	struct base_arena_block *head;
	/** Allocated bytes, for statistics. */
	size_t used;
	/** Account that counts the blocks; NULL: none. May be set at any time. */
	struct base_account *account;
	size_t charged;
};

/**
 * Allocate @p size bytes, aligned to 8 and uninitialized. Returns NULL if out of memory or if the
 * budget is used up.
 */
void *base_arena_alloc(struct base_arena *arena, size_t size);

/** Copy @p len bytes and append a NUL. Returns NULL if out of memory. */
char *base_arena_strndup(struct base_arena *arena, const void *bytes, size_t len);

/** Free all memory of @p arena and leave it empty, with its account. */
void base_arena_deinit(struct base_arena *arena);

#endif
