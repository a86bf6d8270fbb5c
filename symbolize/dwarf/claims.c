#include "symbolize/dwarf/claims.h"

#include <stdlib.h>
#include <string.h>

#include "base/limit.h"
#include "base/search.h"

enum {
	/*
	 * Upper limit for the work on one unit: ranges processed, and pieces moved for them.
	 * Entries may share a list of ranges and claim the same code, so it is limited for each
	 * byte of the unit and each address, too. Each range of an intact unit takes a few steps.
	 */
	MAX_WORK = PD_LIMIT_UNIT_WORK,
	BYTE_WORK = PD_LIMIT_BYTE_WORK,
	MIN_WORK = 1 << 16,
	/** Pieces that can be moved in the time that it takes to process a range. */
	MOVES_PER_WORK = 64,
};

bool sym_claims_init(struct sym_claims *claims, uint64_t unit_size, const uint64_t *addrs,
	const struct sym_extent *code, size_t n)
{
	uint64_t work = MIN_WORK + BYTE_WORK * (unit_size + n);

	*claims = (struct sym_claims){
		.addrs = addrs,
		.n_addrs = n,
		.is_claimed = calloc(n + 1, sizeof(*claims->is_claimed)),
		.gaps = calloc(n + 1, sizeof(*claims->gaps)),
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
	pd_vec_deinit(&claims->taken);
	pd_vec_deinit(&claims->open);
	pd_vec_deinit(&claims->done);
}

bool sym_claims_are_missing(const struct sym_claims *claims)
{
	return memchr(claims->is_claimed, false, claims->n_addrs) != NULL;
}

static bool may_work(struct sym_claims *claims, size_t moves)
{
	uint64_t work = 1 + moves / MOVES_PER_WORK;

	if (claims->nomem)
		return false;
	if (claims->left < work)
		return !pd_limit_reach(claims->limit);
	claims->left -= work;
	return true;
}

static size_t first_not_below(const struct sym_claims *claims, uint64_t addr)
{
	return pd_lower_bound(claims->n_addrs, i, claims->addrs[i] < addr);
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

		if (ranges[r].start >= ranges[r].end || !may_work(claims, 0))
			continue;
		/*
		 * Functions without a wanted address are not read, but they limit the code around
		 * addresses that are in no function.
		 */
		bound_gaps(claims, ranges[r].start, ranges[r].end, i);
		for (; !is_hit && i < claims->n_addrs && claims->addrs[i] < ranges[r].end; i++)
			is_hit = may_work(claims, 0) && !claims->is_claimed[i];
	}
	return is_hit;
}

static bool insert_taken(struct sym_claims *claims, size_t at, struct sym_extent extent)
{
	size_t n_after = claims->taken.n - at;

	claims->nomem = claims->nomem || !pd_vec_reserve(&claims->taken, claims->taken.n + 1);
	if (!may_work(claims, n_after))
		return false;
	struct sym_extent *slot = claims->taken.data + at;
	memmove(slot + 1, slot, n_after * sizeof(*slot));
	*slot = extent;
	claims->taken.n++;
	return true;
}

/* Insert room for @p n pieces at index @p at. */
static bool open_up(struct sym_claims *claims, size_t at, size_t n)
{
	size_t n_after = claims->open.n - at;

	claims->nomem = claims->nomem || !pd_vec_reserve(&claims->open, claims->open.n + n);
	if (!may_work(claims, n_after))
		return false;
	struct sym_piece *slot = claims->open.data + at;
	memmove(slot + n, slot, n_after * sizeof(*slot));
	claims->open.n += n;
	return true;
}

/* Index of the first open piece that ends after @p addr. */
static size_t first_piece(const struct sym_claims *claims, uint64_t addr)
{
	return pd_lower_bound(claims->open.n, i, claims->open.data[i].end <= addr);
}

static size_t first_taken(const struct sym_claims *claims, uint64_t addr)
{
	return pd_lower_bound(claims->taken.n, i, claims->taken.data[i].end <= addr);
}

static void take(struct sym_claims *claims, size_t at, struct sym_extent part, uint32_t scope)
{
	size_t piece = first_piece(claims, part.start);

	if (!insert_taken(claims, at, part) || !open_up(claims, piece, 1))
		return;
	claims->open.data[piece] = (struct sym_piece){ part.start, part.end, scope };
	for (size_t i = first_not_below(claims, part.start);
		i < claims->n_addrs && claims->addrs[i] < part.end; i++)
		claims->is_claimed[i] = true;
}

void sym_claims_take(
	struct sym_claims *claims, const struct sym_extent *ranges, size_t n, uint32_t scope)
{
	for (size_t r = 0; r < n; r++) {
		uint64_t start = ranges[r].start, end = ranges[r].end;

		/*
		 * Take the parts between the code that is already taken: folded functions share
		 * their code.
		 */
		for (size_t i = first_taken(claims, start); start < end; i++) {
			struct sym_extent part = { start, end };
			bool is_last = i >= claims->taken.n || claims->taken.data[i].start >= end;

			if (!may_work(claims, 0))
				return;
			if (!is_last)
				part.end = claims->taken.data[i].start;
			start = is_last ? end : claims->taken.data[i].end;
			if (part.start >= part.end)
				continue;
			take(claims, i++, part, scope);
		}
	}
}

/* Give @p part of the piece @p i to @p scope. Returns the index of the following piece. */
static size_t split(struct sym_claims *claims, size_t i, struct sym_extent part, uint32_t scope)
{
	struct sym_piece whole = claims->open.data[i];
	size_t before = part.start > whole.start, after = part.end < whole.end;

	if (before + after && !open_up(claims, i, before + after))
		return claims->open.n;
	struct sym_piece *pieces = claims->open.data + i;
	if (before)
		*pieces++ = (struct sym_piece){ whole.start, part.start, whole.scope };
	*pieces++ = (struct sym_piece){ part.start, part.end, scope };
	if (after)
		*pieces = (struct sym_piece){ part.end, whole.end, whole.scope };
	return i + before + 1;
}

bool sym_claims_paint(struct sym_claims *claims, const struct sym_extent *ranges, size_t n,
	uint32_t outer, uint32_t scope)
{
	bool is_painted = false;

	for (size_t r = 0; r < n; r++) {
		size_t i = first_piece(claims, ranges[r].start);

		while (i < claims->open.n && claims->open.data[i].start < ranges[r].end) {
			struct sym_piece *piece = &claims->open.data[i];
			struct sym_extent part = ranges[r];

			if (!may_work(claims, 0))
				return is_painted;
			/*
			 * Code of another scope was already given to a sibling, or is not part of
			 * this function.
			 */
			if (piece->scope != outer) {
				i++;
				continue;
			}
			if (part.start < piece->start)
				part.start = piece->start;
			if (part.end > piece->end)
				part.end = piece->end;
			if (part.start >= part.end)
				break;
			i = split(claims, i, part, scope);
			is_painted = true;
		}
	}
	return is_painted;
}

void sym_claims_close(struct sym_claims *claims)
{
	size_t n = claims->done.n;

	if (!pd_vec_reserve(&claims->done, n + claims->open.n + 1)) {
		claims->nomem = true;
		return;
	}
	if (claims->open.n)
		memcpy(claims->done.data + n, claims->open.data,
			claims->open.n * sizeof(*claims->open.data));
	claims->done.n += claims->open.n;
	claims->open.n = 0;
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
