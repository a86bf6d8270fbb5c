/**
 * @file Radix sort by 64-bit keys, and comparison for other sorts.
 *
 * For hundreds of thousands of addresses of symbols and frames, the radix sort takes a third of the
 * time of a comparison sort.
 */
#ifndef PD_BASE_SORT_H
#define PD_BASE_SORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct base_keyed {
	uint64_t key;
	/** Index of the element with the key. Lists are built in ascending order of it. */
	uint32_t index;
};

/** Order of two numbers, as functions that compare for qsort() return it. */
static inline int base_compare_u32(uint32_t a, uint32_t b)
{
	return a < b ? -1 : a > b;
}

/** Likewise. */
static inline int base_compare_u64(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

/** Sort by key, ascending and stable. Returns false if out of memory. */
bool base_sort_keyed(struct base_keyed *list, size_t n);

#endif
