/**
 * @file The code of the functions of one unit that hold wanted addresses, painted with the inlined
 * calls in it. Private to symbolize/.
 *
 * A function is read as a whole if one address in it is wanted: the next recording of the same
 * program has other addresses in the same functions.
 */
#ifndef PD_SYMBOLIZE_DWARF_CLAIMS_H
#define PD_SYMBOLIZE_DWARF_CLAIMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/vec.h>

/** Addresses from start up to before end. */
struct sym_extent {
	uint64_t start;
	uint64_t end;
};

/** Code of one innermost scope. */
struct sym_piece {
	uint64_t start;
	uint64_t end;
	/** SYM_NO_SCOPE in code of no function. */
	uint32_t scope;
};

#define SYM_NO_SCOPE UINT32_MAX

struct sym_claims {
	/** What is wanted, ascending. Borrowed. */
	const uint64_t *addrs;
	size_t n_addrs;
	/** Of each: whether a function has claimed it, and if not, the code around it of no function. */
	bool *is_claimed;
	struct sym_extent *gaps;
	/** Code of functions, sorted, no two overlapping. */
	PD_VEC(struct sym_extent) taken;
	/** Pieces of the function that is being read, sorted; and of those before it. */
	PD_VEC(struct sym_piece) open;
	PD_VEC(struct sym_piece) done;
	/** Work that may still be done. */
	uint64_t left;
	bool nomem;
};

/** For @p n addresses; @p code is the unit's code around each. False: no memory. */
bool sym_claims_init(
	struct sym_claims *claims, const uint64_t *addrs, const struct sym_extent *code, size_t n);
void sym_claims_deinit(struct sym_claims *claims);

/** Whether some wanted addresses are not claimed. */
bool sym_claims_are_missing(const struct sym_claims *claims);

/** A function has code at @p ranges; whether that holds a wanted address which none has claimed. */
bool sym_claims_is_hit(struct sym_claims *claims, const struct sym_extent *ranges, size_t n);

/** Give the function's code, as far as it is not another's, to @p scope. */
void sym_claims_take(
	struct sym_claims *claims, const struct sym_extent *ranges, size_t n, uint32_t scope);

/**
 * Give to @p scope what @p outer has of @p ranges: an inlined call moves in only from the scope around
 * it, or of two calls side by side that both claim some code one would seem to be inside the other.
 * Returns whether there is such code.
 */
bool sym_claims_paint(struct sym_claims *claims, const struct sym_extent *ranges, size_t n,
	uint32_t outer, uint32_t scope);

/** The functions up to here are read. */
void sym_claims_close(struct sym_claims *claims);

/** All are read: `done` becomes sorted, with the gaps among it. */
void sym_claims_finish(struct sym_claims *claims);

#endif
