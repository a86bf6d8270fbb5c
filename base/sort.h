/**
 * @file Radix sort by 64-bit keys.
 *
 * For hundreds of thousands of addresses of symbols and frames, it takes a third of the time of a
 * comparison sort.
 */
#ifndef PD_BASE_SORT_H
#define PD_BASE_SORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pd_keyed {
	uint64_t key;
	/** Index of the element with the key. Lists are built in ascending order of it. */
	uint32_t index;
};

/** Sort by key, ascending and stable. Returns false if out of memory. */
bool pd_sort_keyed(struct pd_keyed *list, size_t n);

#endif
