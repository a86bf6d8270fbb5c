/**
 * @file Reference-counted buffers for records that are not in mapped memory.
 *
 * The count is not atomic: only one thread may use a chunk.
 */
#ifndef PD_BASE_CHUNK_H
#define PD_BASE_CHUNK_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

struct pd_chunk {
	size_t refs;
	size_t size;
	/** Number of its records that wait in a parse_order. */
	size_t n_waiting;
	uint8_t bytes[];
};

/** Allocate a chunk with one reference. Returns NULL if out of memory. */
static inline struct pd_chunk *base_chunk_create(size_t size)
{
	struct pd_chunk *chunk = malloc(sizeof(*chunk) + size);

	if (chunk) {
		chunk->refs = 1;
		chunk->size = size;
		chunk->n_waiting = 0;
	}
	return chunk;
}

/** Add a reference to @p chunk, which is NULL if the bytes are mapped. */
static inline struct pd_chunk *base_chunk_ref(struct pd_chunk *chunk)
{
	if (chunk)
		chunk->refs++;
	return chunk;
}

static inline void base_chunk_unref(struct pd_chunk *chunk)
{
	if (chunk && --chunk->refs == 0)
		free(chunk);
}

#endif
