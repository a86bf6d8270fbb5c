#include "base/containers/sort.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

enum {
	DIGIT_BITS = 11,
	N_VALUES = 1 << DIGIT_BITS,
	N_DIGITS = (64 + DIGIT_BITS - 1) / DIGIT_BITS,
	/** Length below which counting digits takes longer than qsort(). */
	FEW = 512,
};

static int compare(const void *a, const void *b)
{
	const struct base_keyed *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return (x->index > y->index) - (x->index < y->index);
}

static size_t digit_of(uint64_t key, unsigned digit)
{
	return key >> (digit * DIGIT_BITS) & (N_VALUES - 1);
}

/* Distribute the elements by one digit. If the digit is the same for all, do nothing: false. */
static bool move_by_digit(const struct base_keyed *from, struct base_keyed *to, size_t n,
	unsigned digit, size_t counts[static N_VALUES])
{
	size_t sum = 0;

	memset(counts, 0, N_VALUES * sizeof(*counts));
	for (size_t i = 0; i < n; i++)
		counts[digit_of(from[i].key, digit)]++;
	if (counts[digit_of(from[0].key, digit)] == n)
		return false;
	for (size_t value = 0; value < N_VALUES; value++) {
		size_t count = counts[value];

		counts[value] = sum;
		sum += count;
	}
	for (size_t i = 0; i < n; i++)
		to[counts[digit_of(from[i].key, digit)]++] = from[i];
	return true;
}

static bool is_sorted(const struct base_keyed *list, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		if (list[i].key < list[i - 1].key)
			return false;
	}
	return true;
}

bool base_sort_keyed(struct base_keyed *list, size_t n)
{
	struct base_keyed *from = list;

	/* Records are often in order of time, and need no second list then. */
	if (is_sorted(list, n))
		return true;
	if (n < FEW) {
		/* qsort() is not stable, but compare() breaks ties by the ascending index. */
		if (n)
			qsort(list, n, sizeof(*list), compare);
		return true;
	}
	_cleanup_free_ struct base_keyed *scratch = reallocarray(NULL, n, sizeof(*scratch));
	_cleanup_free_ size_t *counts = reallocarray(NULL, N_VALUES, sizeof(*counts));
	if (!scratch || !counts)
		return false;
	/* Least significant digit first: each pass is stable, so it keeps the previous order. */
	for (unsigned digit = 0; digit < N_DIGITS; digit++) {
		struct base_keyed *to = from == list ? scratch : list;

		if (move_by_digit(from, to, n, digit, counts))
			from = to;
	}
	if (from != list)
		memcpy(list, from, n * sizeof(*list));
	return true;
}
