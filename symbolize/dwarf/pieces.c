#include "symbolize/dwarf/pieces.h"

#include <stdlib.h>
#include <string.h>

#include "base/analyzer.h"
#include "base/lower_bound.h"

/* Most functions have fewer inlined calls than this. */
enum { BLOCK = 128 };

struct sym_piece_block {
	size_t n;
	struct sym_piece list[BLOCK];
};

static void drop_blocks(struct sym_pieces *pieces, size_t n_kept)
{
	while (pieces->blocks.n > n_kept)
		free(pieces->blocks.data[--pieces->blocks.n]);
}

void sym_pieces_deinit(struct sym_pieces *pieces)
{
	drop_blocks(pieces, 0);
	pd_vec_deinit(&pieces->blocks);
	*pieces = (struct sym_pieces){ 0 };
}

void sym_pieces_clear(struct sym_pieces *pieces)
{
	drop_blocks(pieces, 1);
	if (pieces->blocks.n)
		pieces->blocks.data[0]->n = 0;
	pieces->n = 0;
}

static uint64_t block_end(const struct sym_piece_block *block)
{
	return block->list[block->n - 1].end;
}

struct sym_piece_at sym_pieces_find(const struct sym_pieces *pieces, uint64_t addr)
{
	struct sym_piece_block *const *blocks = pieces->blocks.data;
	size_t n = pieces->n ? pieces->blocks.n : 0;
	size_t block = base_lower_bound(n, k, block_end(blocks[k]) <= addr);

	if (block == n)
		return (struct sym_piece_at){ .block = n };
	const struct sym_piece *list = blocks[block]->list;
	return (struct sym_piece_at){
		.block = block,
		.i = base_lower_bound(blocks[block]->n, k, list[k].end <= addr),
	};
}

struct sym_piece *sym_pieces_get(const struct sym_pieces *pieces, struct sym_piece_at at)
{
	bool is_end = at.block >= pieces->blocks.n || at.i >= pieces->blocks.data[at.block]->n;

	return is_end ? NULL : &pieces->blocks.data[at.block]->list[at.i];
}

struct sym_piece_at sym_pieces_next(const struct sym_pieces *pieces, struct sym_piece_at at)
{
	if (at.i + 1 < pieces->blocks.data[at.block]->n)
		return (struct sym_piece_at){ at.block, at.i + 1 };
	return (struct sym_piece_at){ at.block + 1, 0 };
}

/* Insert an empty block at index @p at. NULL if out of memory. */
static struct sym_piece_block *add_block(struct sym_pieces *pieces, size_t at)
{
	struct sym_piece_block *block = malloc(sizeof(*block));

	if (!block || !pd_vec_push(&pieces->blocks, block)) {
		free(block);
		return NULL;
	}
	PD_IS_OWNED(block, "drop_blocks() frees it");
	block->n = 0;
	struct sym_piece_block **slot = pieces->blocks.data + at;
	memmove(slot + 1, slot, (pieces->blocks.n - 1 - at) * sizeof(struct sym_piece_block *));
	*slot = block;
	return block;
}

/* Make room in the full block of *at. Pieces that arrive in order fill each block. */
static bool divide(struct sym_pieces *pieces, struct sym_piece_at *at)
{
	struct sym_piece_block *next = add_block(pieces, at->block + 1);

	if (!next)
		return false;
	struct sym_piece_block *full = pieces->blocks.data[at->block];
	bool is_last = at->i == BLOCK && at->block + 2 == pieces->blocks.n;
	size_t n_kept = is_last ? BLOCK : BLOCK / 2;
	next->n = BLOCK - n_kept;
	memcpy(next->list, full->list + n_kept, next->n * sizeof(*next->list));
	full->n = n_kept;
	if (at->i > n_kept || is_last)
		*at = (struct sym_piece_at){ at->block + 1, at->i - n_kept };
	return true;
}

bool sym_pieces_insert(struct sym_pieces *pieces, struct sym_piece_at *at, struct sym_piece piece)
{
	if (!pieces->blocks.n && !add_block(pieces, 0))
		return false;
	/* The end is the place after the last piece of the last block. */
	if (at->block && at->block >= pieces->blocks.n)
		*at = (struct sym_piece_at){ at->block - 1, pieces->blocks.data[at->block - 1]->n };
	if (pieces->blocks.data[at->block]->n == BLOCK && !divide(pieces, at))
		return false;
	struct sym_piece_block *block = pieces->blocks.data[at->block];
	struct sym_piece *slot = block->list + at->i;
	memmove(slot + 1, slot, (block->n - at->i) * sizeof(*slot));
	*slot = piece;
	block->n++;
	pieces->n++;
	return true;
}

void sym_pieces_copy(const struct sym_pieces *pieces, struct sym_piece *to)
{
	for (size_t i = 0; i < pieces->blocks.n; i++) {
		const struct sym_piece_block *block = pieces->blocks.data[i];

		memcpy(to, block->list, block->n * sizeof(*to));
		to += block->n;
	}
}
