#include "base/io/window.h"

#include <string.h>

/* A chunk holds many records, so that few are copied to the next one. Tests choose other sizes. */
#ifdef PD_TEST_WINDOW
enum { CHUNK_BYTES = PD_TEST_WINDOW };
#else
enum { CHUNK_BYTES = 512 * 1024 };
#endif

void base_window_deinit(struct base_window *window)
{
	base_chunk_unref(window->chunk);
	*window = (struct base_window){ 0 };
}

struct base_seen base_window_peek(const struct base_window *window)
{
	if (!window->chunk)
		return (struct base_seen){ .bytes = NULL };
	return (struct base_seen){
		.bytes = window->chunk->bytes + window->start,
		.len = window->end - window->start,
		.chunk = window->chunk,
	};
}

void base_window_take(struct base_window *window, size_t len)
{
	window->start += len;
}

/*
 * The size depends on bytes that have arrived, never on a count in the input, so damaged input
 * cannot make us allocate much.
 */
static bool change_chunk(struct base_window *window)
{
	size_t tail = window->end - window->start;
	size_t size = 2 * tail > CHUNK_BYTES ? 2 * tail : CHUNK_BYTES;
	struct pd_chunk *next = base_chunk_create(size);

	if (!next)
		return false;
	if (window->chunk)
		memcpy(next->bytes, window->chunk->bytes + window->start, tail);
	base_chunk_unref(window->chunk);
	*window = (struct base_window){ .chunk = next, .end = tail };
	return true;
}

uint8_t *base_window_room(struct base_window *window, size_t *len_ret)
{
	if ((!window->chunk || window->end == window->chunk->size) && !change_chunk(window))
		return NULL;
	*len_ret = window->chunk->size - window->end;
	return window->chunk->bytes + window->end;
}

void base_window_add(struct base_window *window, size_t len)
{
	window->end += len;
}
