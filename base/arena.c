#include "base/arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/analyzer.h"

enum { BLOCK_BYTES = 64 * 1024 };

struct base_arena_block {
	struct base_arena_block *next;
	size_t size;
	size_t used;
	_Alignas(8) unsigned char bytes[];
};

static struct base_arena_block *create_block(struct base_arena *arena, size_t size)
{
	size_t whole = sizeof(struct base_arena_block) + size;

	if (!base_account_charge(arena->account, whole))
		return NULL;
	struct base_arena_block *block = malloc(whole);
	if (!block)
		base_account_release(arena->account, whole);
	else if (arena->account)
		arena->charged += whole;
	return block;
}

void *base_arena_alloc(struct base_arena *arena, size_t size)
{
	struct base_arena_block *block = arena->head;

	if (size > SIZE_MAX - sizeof(*block) - 7)
		return NULL;
	size = (size + 7) & ~(size_t)7;
	if (!block || block->size - block->used < size) {
		size_t block_size = size > BLOCK_BYTES / 4 ? size : BLOCK_BYTES;

		block = create_block(arena, block_size);
		if (!block)
			return NULL;
		block->size = block_size;
		block->used = 0;
		/*
		 * A large object fills its block alone. The block goes after the head, so that the
		 * head's free space stays in use.
		 */
		if (arena->head && block_size == size) {
			block->next = arena->head->next;
			arena->head->next = block;
		} else {
			block->next = arena->head;
			arena->head = block;
		}
		PD_IS_OWNED(block, "base_arena_deinit() frees the list");
	}
	void *p = block->bytes + block->used;
	block->used += size;
	arena->used += size;
	return p;
}

char *base_arena_strndup(struct base_arena *arena, const void *bytes, size_t len)
{
	char *copy = len < SIZE_MAX ? base_arena_alloc(arena, len + 1) : NULL;

	if (!copy)
		return NULL;
	memcpy(copy, bytes, len);
	copy[len] = '\0';
	return copy;
}

void base_arena_deinit(struct base_arena *arena)
{
	for (struct base_arena_block *block = arena->head, *next; block; block = next) {
		next = block->next;
		free(block);
	}
	base_account_release(arena->account, arena->charged);
	*arena = (struct base_arena){ .account = arena->account };
}
