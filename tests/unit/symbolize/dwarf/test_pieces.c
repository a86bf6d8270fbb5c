/* Sorted pieces of code: insertions in every order, and their cost. */
#include "tests/unit/test.h"

#include "symbolize/dwarf/pieces.h"

enum { N = 5000 };

static void insert(struct sym_pieces *pieces, uint64_t start, uint32_t scope)
{
	struct sym_piece_at at = sym_pieces_find(pieces, start);

	assert_true(sym_pieces_insert(pieces, &at, (struct sym_piece){ start, start + 2, scope }));
	assert_int_equal(sym_pieces_get(pieces, at)->start, start);
}

/* All of [0, 4 * N) in pieces of 2 with gaps of 2, each with its number as scope. */
static void check(const struct sym_pieces *pieces)
{
	struct sym_piece *copy = calloc(N, sizeof(*copy));
	struct sym_piece_at at = sym_pieces_find(pieces, 0);

	assert_int_equal(pieces->n, N);
	sym_pieces_copy(pieces, copy);
	for (uint64_t i = 0; i < N; i++) {
		const struct sym_piece *piece = sym_pieces_get(pieces, at);

		assert_non_null(piece);
		assert_int_equal(piece->start, 4 * i);
		assert_int_equal(piece->scope, i);
		assert_memory_equal(&copy[i], piece, sizeof(*piece));
		at = sym_pieces_next(pieces, at);
		/* The end of a piece is in the gap before the next one. */
		struct sym_piece_at found = sym_pieces_find(pieces, 4 * i + 2);
		assert_ptr_equal(sym_pieces_get(pieces, found), sym_pieces_get(pieces, at));
		found = sym_pieces_find(pieces, 4 * i + 1);
		assert_ptr_equal(sym_pieces_get(pieces, found), piece);
	}
	assert_null(sym_pieces_get(pieces, at));
	free(copy);
}

static void pieces_are_sorted_in_every_order(void **state)
{
	/* Each factor that has no common divisor with N is another order. */
	static const uint64_t factors[] = { 1, N - 1, 2999, 1733, 7 };

	(void)state;
	for (size_t f = 0; f < sizeof(factors) / sizeof(factors[0]); f++) {
		struct sym_pieces pieces = { 0 };

		assert_null(sym_pieces_get(&pieces, sym_pieces_find(&pieces, 0)));
		for (uint64_t i = 0; i < N; i++) {
			uint64_t k = (i + 1) * factors[f] % N;
			insert(&pieces, 4 * k, (uint32_t)k);
		}
		check(&pieces);
		sym_pieces_clear(&pieces);
		assert_null(sym_pieces_get(&pieces, sym_pieces_find(&pieces, 0)));
		for (uint64_t i = N; i-- > 0;)
			insert(&pieces, 4 * i, (uint32_t)i);
		check(&pieces);
		sym_pieces_deinit(&pieces);
	}
}

/* From both ends in turn, which would move all pieces of one array each time. */
static void ends_in_turn_are_sorted(void **state)
{
	struct sym_pieces pieces = { 0 };

	(void)state;
	for (uint64_t i = 0; i < N / 2; i++) {
		insert(&pieces, 4 * (N / 2 - 1 - i), (uint32_t)(N / 2 - 1 - i));
		insert(&pieces, 4 * (N / 2 + i), (uint32_t)(N / 2 + i));
	}
	check(&pieces);
	sym_pieces_deinit(&pieces);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pieces_are_sorted_in_every_order),
		cmocka_unit_test(ends_in_turn_are_sorted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
