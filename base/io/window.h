/**
 * @file Window on a stream of bytes: those that have arrived and were not taken yet.
 *
 * The bytes are in reference-counted chunks (base/chunk.h). When a chunk is full, only the bytes
 * that were not taken are copied to the next one, so taken bytes stay valid for the owners of the
 * chunk.
 */
#ifndef PD_BASE_WINDOW_H
#define PD_BASE_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/chunk.h"

/** A zeroed window is empty. */
struct base_window {
	/**
	 * The window is the bytes [start, end) of the chunk, which is NULL before the first bytes
	 * arrive.
	 */
	struct pd_chunk *chunk;
	size_t start;
	size_t end;
};

/** Bytes in a window. The chunk that holds them is borrowed; it is NULL if they are mapped. */
struct base_seen {
	const uint8_t *bytes;
	size_t len;
	struct pd_chunk *chunk;
};

void base_window_deinit(struct base_window *window);

/** Bytes that have arrived and were not taken. */
struct base_seen base_window_peek(const struct base_window *window);
/** Take @p len of the bytes that base_window_peek() returns. */
void base_window_take(struct base_window *window, size_t len);

/** Buffer for the next bytes, with room for at least one. Returns NULL if out of memory. */
uint8_t *base_window_room(struct base_window *window, size_t *len_ret);
/** Append the @p len bytes that were written to the buffer of base_window_room(). */
void base_window_add(struct base_window *window, size_t len);

#endif
