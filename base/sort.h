/**
 * @file Sorting by 64-bit keys.
 *
 * Addresses of hundreds of thousands of symbols and frames: looking at their digits takes a third of the
 * time of comparing them.
 */
#ifndef PD_BASE_SORT_H
#define PD_BASE_SORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pd_keyed {
	uint64_t key;
	/** Of what the key belongs to; equal keys are sorted by it if they come in that order. */
	uint32_t index;
};

/** Sort by key, ascending; equal keys keep their order. False: there is no memory. */
bool pd_sort_keyed(struct pd_keyed *list, size_t n);

#endif
