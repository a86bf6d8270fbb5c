/**
 * @file A window on bytes that come piece by piece: what has come and was not taken yet.
 *
 * The bytes are in counted chunks (base/chunk.h). When a chunk is full only the tail moves on to
 * the next one, so that what was taken stays where it is for whoever holds the chunk.
 */
#ifndef PD_BASE_WINDOW_H
#define PD_BASE_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/chunk.h"

/** Zeroed: empty. */
struct pd_window {
	/** Bytes start to end of it; NULL before the first came. */
	struct pd_chunk *chunk;
	size_t start;
	size_t end;
};

/** Bytes that can be seen, and the chunk that holds them: borrowed, NULL if they are mapped. */
struct pd_seen {
	const uint8_t *bytes;
	size_t len;
	struct pd_chunk *chunk;
};

void pd_window_deinit(struct pd_window *window);

struct pd_seen pd_window_peek(const struct pd_window *window);
/** Take @p len of the bytes that peek shows. */
void pd_window_take(struct pd_window *window, size_t len);

/** Where the next bytes go, and for how many there is room: one at least. NULL: no memory. */
uint8_t *pd_window_room(struct pd_window *window, size_t *len_ret);
/** @p len bytes were put there. */
void pd_window_add(struct pd_window *window, size_t len);

#endif
