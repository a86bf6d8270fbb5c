/**
 * @file Pieces of code in order of address, where pieces are inserted anywhere. Private to
 * symbolize/.
 *
 * They are in blocks of a limited size. An insertion moves the pieces of one block, and a new block
 * moves the pointers to those after it, so debug information in any order takes about the time that
 * it takes in ascending order.
 */
#ifndef PD_SYMBOLIZE_DWARF_PIECES_H
#define PD_SYMBOLIZE_DWARF_PIECES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/error.h>
#include <pdconv/vec.h>

/** Code with one innermost scope: addresses from start up to, but not including, end. */
struct sym_piece {
	uint64_t start;
	uint64_t end;
	/** Index of the scope; SYM_NO_SCOPE for code that is in no function. */
	uint32_t scope;
};

struct sym_piece_block;

/** Sorted pieces without overlaps. Zeroed they are empty. */
struct sym_pieces {
	/** Each has at least one piece, except for the first one if there are no pieces. */
	PD_VEC(struct sym_piece_block *) blocks;
	size_t n;
};

/** Place of a piece, or the end. Insertions elsewhere make it invalid. */
struct sym_piece_at {
	size_t block;
	size_t i;
};

void sym_pieces_deinit(struct sym_pieces *pieces);
/** Remove all pieces. Keeps memory for a few. */
void sym_pieces_clear(struct sym_pieces *pieces);

/** Find the first piece that ends after @p addr, or the end. */
struct sym_piece_at sym_pieces_find(const struct sym_pieces *pieces, uint64_t addr);
/** The piece at @p at, or NULL at the end. Valid until the next insertion. */
struct sym_piece *sym_pieces_get(const struct sym_pieces *pieces, struct sym_piece_at at);
/** The place after @p at, which is not the end. */
struct sym_piece_at sym_pieces_next(const struct sym_pieces *pieces, struct sym_piece_at at);

/**
 * Insert @p piece in front of *at, which becomes the place of the new piece. Returns false if
 * memory ran out.
 */
bool sym_pieces_insert(
	struct sym_pieces *pieces, struct sym_piece_at *at, struct sym_piece piece) pd_must_check;

/** Copy all pieces to @p to, which has room for pieces->n. */
void sym_pieces_copy(const struct sym_pieces *pieces, struct sym_piece *to);

#endif
