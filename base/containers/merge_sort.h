/**
 * @file Natural merge sort, for lists that consist of few ascending runs. It is stable.
 *
 * The functions are inlined into their callers, so that comparing and copying cost no calls where
 * the order is constant.
 */
#ifndef PD_BASE_MERGE_SORT_H
#define PD_BASE_MERGE_SORT_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/** Elements to be sorted. */
struct base_merge_order {
	/** Size of an element, in bytes. */
	size_t size;
	/** Whether the element @p a must come before the element @p b. */
	bool (*is_less)(const void *a, const void *b);
};

#define PD_MERGE_INLINE static inline __attribute__((always_inline))

/** Length of the ascending run at the start of @p list, which has @p n elements. */
PD_MERGE_INLINE size_t base_merge_run(
	const char *list, size_t n, const struct base_merge_order *order)
{
	size_t i = 1;

	while (i < n && !order->is_less(list + i * order->size, list + (i - 1) * order->size))
		i++;
	return i < n ? i : n;
}

/** Merge two neighbouring runs, the first @p n_left of the @p n elements of @p from, into @p to. */
PD_MERGE_INLINE void base_merge_pair(
	const char *from, char *to, size_t n_left, size_t n, const struct base_merge_order *order)
{
	size_t size = order->size, left = 0, right = n_left;

	for (size_t i = 0; i < n; i++) {
		/* The left one of equal elements comes first, which keeps the sort stable. */
		bool is_right = left == n_left;

		if (!is_right && right < n)
			is_right = order->is_less(from + right * size, from + left * size);
		memcpy(to + i * size, from + (is_right ? right++ : left++) * size, size);
	}
}

/** Whether the @p n elements of @p list are sorted. */
PD_MERGE_INLINE bool base_merge_is_sorted(
	const void *list, size_t n, const struct base_merge_order *order)
{
	return base_merge_run((const char *)list, n, order) == n;
}

/**
 * Sort the @p n elements of @p list. @p scratch has room for as many. Returns the one of both that
 * has the sorted elements; what the other has is undefined.
 */
PD_MERGE_INLINE void *base_merge_sort_either(
	void *list, void *scratch, size_t n, const struct base_merge_order *order)
{
	char *from = (char *)list, *to = (char *)scratch;
	size_t n_runs;

	do {
		n_runs = 0;
		for (size_t at = 0, end; at < n; at = end, n_runs++) {
			size_t off = at * order->size;
			size_t middle = at + base_merge_run(from + off, n - at, order);

			end = middle +
			      base_merge_run(from + middle * order->size, n - middle, order);
			base_merge_pair(from + off, to + off, middle - at, end - at, order);
		}
		char *merged = to;
		to = from;
		from = merged;
	} while (n_runs > 1);
	return from;
}

/**
 * Like base_merge_sort_either(), but the sorted elements are in @p list. Callers check
 * base_merge_is_sorted() first: this saves the scratch memory, and copying a list that is sorted.
 */
PD_MERGE_INLINE void base_merge_sort(
	void *list, void *scratch, size_t n, const struct base_merge_order *order)
{
	void *sorted = base_merge_sort_either(list, scratch, n, order);

	if (sorted != list && n)
		memcpy(list, sorted, n * order->size);
}

#undef PD_MERGE_INLINE

#endif
