/**
 * @file Buffers of bytes that are not mapped, which live as long as a record in them is in use.
 *
 * Counted from one thread only.
 */
#ifndef PD_BASE_CHUNK_H
#define PD_BASE_CHUNK_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

struct pd_chunk {
	size_t refs;
	size_t size;
	/** Records of it that wait in a pd_order. */
	size_t n_waiting;
	uint8_t bytes[];
};

/** With one reference; NULL if there is no memory. */
static inline struct pd_chunk *pd_chunk_create(size_t size)
{
	struct pd_chunk *chunk = malloc(sizeof(*chunk) + size);

	if (chunk) {
		chunk->refs = 1;
		chunk->size = size;
		chunk->n_waiting = 0;
	}
	return chunk;
}

/** One more reference to @p chunk, which may be NULL: then the bytes are mapped. */
static inline struct pd_chunk *pd_chunk_ref(struct pd_chunk *chunk)
{
	if (chunk)
		chunk->refs++;
	return chunk;
}

static inline void pd_chunk_unref(struct pd_chunk *chunk)
{
	if (chunk && --chunk->refs == 0)
		free(chunk);
}

#endif
