#include "base/window.h"

#include <string.h>

/* A chunk holds many records, so that few are copied to the next one. */
enum { CHUNK_BYTES = 512 * 1024 };

void pd_window_deinit(struct pd_window *window)
{
	pd_chunk_unref(window->chunk);
	*window = (struct pd_window){ 0 };
}

struct pd_seen pd_window_peek(const struct pd_window *window)
{
	if (!window->chunk)
		return (struct pd_seen){ .bytes = NULL };
	return (struct pd_seen){
		.bytes = window->chunk->bytes + window->start,
		.len = window->end - window->start,
		.chunk = window->chunk,
	};
}

void pd_window_take(struct pd_window *window, size_t len)
{
	window->start += len;
}

/*
 * The size depends on bytes that have arrived, never on a count in the input, so damaged input
 * cannot make us allocate much.
 */
static bool change_chunk(struct pd_window *window)
{
	size_t tail = window->end - window->start;
	size_t size = 2 * tail > CHUNK_BYTES ? 2 * tail : CHUNK_BYTES;
	struct pd_chunk *next = pd_chunk_create(size);

	if (!next)
		return false;
	if (window->chunk)
		memcpy(next->bytes, window->chunk->bytes + window->start, tail);
	pd_chunk_unref(window->chunk);
	*window = (struct pd_window){ .chunk = next, .end = tail };
	return true;
}

uint8_t *pd_window_room(struct pd_window *window, size_t *len_ret)
{
	if ((!window->chunk || window->end == window->chunk->size) && !change_chunk(window))
		return NULL;
	*len_ret = window->chunk->size - window->end;
	return window->chunk->bytes + window->end;
}

void pd_window_add(struct pd_window *window, size_t len)
{
	window->end += len;
}
