#include "symbolize/dwarf/claims.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/limit.h"
#include "base/lower_bound.h"

enum {
	/*
	 * Upper limit for the work on one unit: ranges and addresses that are looked at. Entries
	 * may share a list of ranges and claim the same code, so it is limited for each byte of the
	 * unit and each address, too. Each range of an intact unit takes a few steps.
	 */
	MAX_WORK = PD_LIMIT_UNIT_WORK,
	BYTE_WORK = PD_LIMIT_BYTE_WORK,
	MIN_WORK = 1 << 16,
};

bool sym_claims_init(struct sym_claims *claims, uint64_t unit_size, const uint64_t *addrs,
	const struct sym_extent *code, size_t n)
{
	uint64_t work = MIN_WORK + BYTE_WORK * (unit_size + n);

	*claims = (struct sym_claims){
		.addrs = addrs,
		.n_addrs = n,
		.is_claimed = base_calloc_n(n, sizeof(*claims->is_claimed)),
		.gaps = base_calloc_n(n, sizeof(*claims->gaps)),
		.left = work < MAX_WORK ? work : MAX_WORK,
		.limit = work < MAX_WORK ? PD_LIMIT_ID_BYTE_WORK : PD_LIMIT_ID_UNIT_WORK,
	};
	if (!claims->is_claimed || !claims->gaps)
		return false;
	memcpy(claims->gaps, code, n * sizeof(*code));
	return true;
}

void sym_claims_deinit(struct sym_claims *claims)
{
	free(claims->is_claimed);
	free(claims->gaps);
	sym_pieces_deinit(&claims->taken);
	sym_pieces_deinit(&claims->open);
	pd_vec_deinit(&claims->done);
}

bool sym_claims_are_missing(const struct sym_claims *claims)
{
	return memchr(claims->is_claimed, false, claims->n_addrs) != NULL;
}

static bool may_work(struct sym_claims *claims)
{
	if (claims->nomem)
		return false;
	if (!claims->left)
		return !base_limit_reach(claims->limit);
	claims->left--;
	return true;
}

static size_t first_not_below(const struct sym_claims *claims, uint64_t addr)
{
	return base_lower_bound(claims->n_addrs, i, claims->addrs[i] < addr);
}

/* Limit the gaps around the addresses on both sides of a function from @p low to @p high. */
static void bound_gaps(struct sym_claims *claims, uint64_t low, uint64_t high, size_t first)
{
	size_t following = first_not_below(claims, high);

	if (first && claims->gaps[first - 1].end > low)
		claims->gaps[first - 1].end = low;
	if (following < claims->n_addrs && claims->gaps[following].start < high)
		claims->gaps[following].start = high;
}

bool sym_claims_is_hit(struct sym_claims *claims, const struct sym_extent *ranges, size_t n)
{
	bool is_hit = false;

	for (size_t r = 0; r < n; r++) {
		size_t i = first_not_below(claims, ranges[r].start);

		if (ranges[r].start >= ranges[r].end || !may_work(claims))
			continue;
		/*
		 * Functions without a wanted address are not read, but they limit the code around
		 * addresses that are in no function.
		 */
		bound_gaps(claims, ranges[r].start, ranges[r].end, i);
		for (; !is_hit && i < claims->n_addrs && claims->addrs[i] < ranges[r].end; i++)
			is_hit = may_work(claims) && !claims->is_claimed[i];
	}
	return is_hit;
}

/* Insert a piece in front of *at, which becomes its place. Returns false if memory ran out. */
static bool insert(struct sym_claims *claims, struct sym_pieces *pieces, struct sym_piece_at *at,
	struct sym_piece piece)
{
	claims->nomem = claims->nomem || !sym_pieces_insert(pieces, at, piece);
	return !claims->nomem;
}

/*
 * Take a part, which belongs in front of *at. That becomes the place after it. Returns false if
 * this is not possible.
 */
static bool take(struct sym_claims *claims, struct sym_piece_at *at, struct sym_piece part)
{
	struct sym_piece_at open = sym_pieces_find(&claims->open, part.start);

	if (!may_work(claims) || !insert(claims, &claims->taken, at, part) ||
		!insert(claims, &claims->open, &open, part))
		return false;
	*at = sym_pieces_next(&claims->taken, *at);
	for (size_t i = first_not_below(claims, part.start);
		i < claims->n_addrs && claims->addrs[i] < part.end; i++)
		claims->is_claimed[i] = true;
	return true;
}

/*
 * Take the parts of the range between the code that is already taken: folded functions share their
 * code.
 */
static void take_range(struct sym_claims *claims, const struct sym_extent *range, uint32_t scope)
{
	struct sym_piece_at at = sym_pieces_find(&claims->taken, range->start);
	uint64_t start = range->start;

	while (start < range->end && may_work(claims)) {
		struct sym_piece *other = sym_pieces_get(&claims->taken, at);
		struct sym_piece part = { start, range->end, scope };
		bool is_last = !other || other->start >= range->end;

		if (!is_last)
			part.end = other->start;
		start = is_last ? range->end : other->end;
		if (part.start < part.end && !take(claims, &at, part))
			return;
		if (!is_last)
			at = sym_pieces_next(&claims->taken, at);
	}
}

void sym_claims_take(
	struct sym_claims *claims, const struct sym_extent *ranges, size_t n, uint32_t scope)
{
	for (size_t r = 0; r < n; r++)
		take_range(claims, &ranges[r], scope);
}

/*
 * Give @p part of the piece at *at to @p scope. *at becomes the place of the next piece, which may
 * be the rest of this one. Returns false if that is not possible.
 */
static bool split(
	struct sym_claims *claims, struct sym_piece_at *at, struct sym_extent part, uint32_t scope)
{
	struct sym_piece *piece = sym_pieces_get(&claims->open, *at);
	struct sym_piece before = { piece->start, part.start, piece->scope };
	struct sym_piece after = { part.end, piece->end, piece->scope };

	if (!may_work(claims))
		return false;
	*piece = (struct sym_piece){ part.start, part.end, scope };
	if (before.start < before.end) {
		if (!insert(claims, &claims->open, at, before))
			return false;
		*at = sym_pieces_next(&claims->open, *at);
	}
	*at = sym_pieces_next(&claims->open, *at);
	return after.start >= after.end || insert(claims, &claims->open, at, after);
}

/* Paint one range. Returns whether code of @p outer was in it. */
static bool paint_range(
	struct sym_claims *claims, const struct sym_extent *range, uint32_t outer, uint32_t scope)
{
	struct sym_piece_at at = sym_pieces_find(&claims->open, range->start);
	bool is_painted = false;
	struct sym_piece *piece;

	while ((piece = sym_pieces_get(&claims->open, at)) && piece->start < range->end) {
		struct sym_extent part = *range;

		if (!may_work(claims))
			return is_painted;
		/*
		 * Code of another scope was already given to a sibling, or is not part of this
		 * function.
		 */
		if (piece->scope != outer) {
			at = sym_pieces_next(&claims->open, at);
			continue;
		}
		if (part.start < piece->start)
			part.start = piece->start;
		if (part.end > piece->end)
			part.end = piece->end;
		if (part.start >= part.end)
			break;
		if (!split(claims, &at, part, scope))
			break;
		is_painted = true;
	}
	return is_painted;
}

bool sym_claims_paint(struct sym_claims *claims, const struct sym_extent *ranges, size_t n,
	uint32_t outer, uint32_t scope)
{
	bool is_painted = false;

	for (size_t r = 0; r < n; r++)
		is_painted |= paint_range(claims, &ranges[r], outer, scope);
	return is_painted;
}

void sym_claims_close(struct sym_claims *claims)
{
	size_t n = claims->done.n;

	if (!pd_vec_reserve(&claims->done, n + claims->open.n + 1)) {
		claims->nomem = true;
		return;
	}
	sym_pieces_copy(&claims->open, claims->done.data + n);
	claims->done.n += claims->open.n;
	sym_pieces_clear(&claims->open);
}

/*
 * Add the code around unclaimed addresses. A limit for the gap of one address also limits those of
 * its neighbours, so gaps of neighbours become equal and are added once.
 */
static void add_gaps(struct sym_claims *claims)
{
	struct sym_extent *gaps = claims->gaps;
	size_t n = claims->n_addrs;

	/*
	 * Limits were only set for the nearest address on each side, so they are passed on here,
	 * first upwards and then downwards.
	 */
	for (size_t i = 1; i < n; i++) {
		if (gaps[i].start < gaps[i - 1].start)
			gaps[i].start = gaps[i - 1].start;
	}
	for (size_t i = n; i-- > 1;) {
		if (gaps[i - 1].end > gaps[i].end)
			gaps[i - 1].end = gaps[i].end;
	}
	for (size_t i = 0; i < n; i++) {
		struct sym_piece gap = { gaps[i].start, gaps[i].end, SYM_NO_SCOPE };

		if (claims->is_claimed[i] ||
			(claims->done.n &&
				claims->done.data[claims->done.n - 1].start == gap.start))
			continue;
		claims->nomem = claims->nomem || !pd_vec_push(&claims->done, gap);
	}
}

static int compare_pieces(const void *a, const void *b)
{
	const struct sym_piece *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

void sym_claims_finish(struct sym_claims *claims)
{
	sym_claims_close(claims);
	add_gaps(claims);
	if (claims->done.n)
		qsort(claims->done.data, claims->done.n, sizeof(*claims->done.data),
			compare_pieces);
}
