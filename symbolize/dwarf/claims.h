/**
 * @file Claims of functions and inlined calls to code of one unit. Private to symbolize/.
 *
 * A function is read as a whole if it contains one wanted address, because the next recording of
 * the same program has other addresses in the same functions. Inlined calls then take parts of its
 * code, so that each piece of code belongs to the innermost scope.
 */
#ifndef PD_SYMBOLIZE_DWARF_CLAIMS_H
#define PD_SYMBOLIZE_DWARF_CLAIMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/vec.h>

#include "base/limit.h"
#include "symbolize/dwarf/pieces.h"

/** Addresses from start up to, but not including, end. */
struct sym_extent {
	uint64_t start;
	uint64_t end;
};

#define SYM_NO_SCOPE UINT32_MAX

struct sym_claims {
	/** Wanted addresses, ascending. Borrowed. */
	const uint64_t *addrs;
	size_t n_addrs;
	/**
	 * For each address: whether a function has claimed it and, if not, the code around it that
	 * is in no function.
	 */
	bool *is_claimed;
	struct sym_extent *gaps;
	/** Code of functions. */
	struct sym_pieces taken;
	/** Pieces of the function that is being read, and those of the functions before it. */
	struct sym_pieces open;
	PD_VEC(struct sym_piece) done;
	/** Remaining work, and the limit that ends it; see MAX_WORK. */
	uint64_t left;
	enum base_limit_id limit;
	bool nomem;
};

/**
 * Start with @p n unclaimed addresses; @p code is the unit's code around each of them, and
 * @p unit_size the size of its entries in bytes. Returns false if memory ran out.
 */
bool sym_claims_init(struct sym_claims *claims, uint64_t unit_size, const uint64_t *addrs,
	const struct sym_extent *code, size_t n);
void sym_claims_deinit(struct sym_claims *claims);

/** Whether some wanted addresses are not claimed. */
bool sym_claims_are_missing(const struct sym_claims *claims);

/** Whether a function with code at @p ranges contains a wanted address that is not claimed yet. */
bool sym_claims_is_hit(struct sym_claims *claims, const struct sym_extent *ranges, size_t n);

/** Give the code of a function to @p scope, except for code that another function has taken. */
void sym_claims_take(
	struct sym_claims *claims, const struct sym_extent *ranges, size_t n, uint32_t scope);

/**
 * Give the part of @p ranges that belongs to @p outer to @p scope. Only code of the enclosing scope
 * is given away: otherwise, of two calls next to each other that claim the same code, one would
 * appear to be inlined into the other. Returns whether there is such code.
 */
bool sym_claims_paint(struct sym_claims *claims, const struct sym_extent *ranges, size_t n,
	uint32_t outer, uint32_t scope);

/** Finish the function that was being read. */
void sym_claims_close(struct sym_claims *claims);

/** Finish the last function. After this `done` is sorted and includes the gaps. */
void sym_claims_finish(struct sym_claims *claims);

#endif
