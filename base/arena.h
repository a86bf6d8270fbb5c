/**
 * @file Memory for things that share a lifetime: allocated one by one, freed together.
 *
 * A zeroed arena is empty. Not thread-safe; one owner each.
 */
#ifndef PD_BASE_ARENA_H
#define PD_BASE_ARENA_H

#include <stddef.h>

struct pd_arena {
	struct pd_arena_block *head;
	/** Bytes handed out, for statistics. */
	size_t used;
};

/** @p size bytes aligned to 8, not cleared; NULL if there is no memory. */
void *pd_arena_alloc(struct pd_arena *arena, size_t size);

/** A copy of @p len bytes and a NUL; NULL if there is no memory. */
char *pd_arena_strndup(struct pd_arena *arena, const void *bytes, size_t len);

/** Free everything that came from @p arena, and leave it empty. */
void pd_arena_deinit(struct pd_arena *arena);

#endif
