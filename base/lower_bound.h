/**
 * @file Binary search in sorted lists.
 */
#ifndef PD_BASE_LOWER_BOUND_H
#define PD_BASE_LOWER_BOUND_H

#include <stddef.h>

/**
 * Index of the first element from @p first to @p end - 1 for which @p is_below is false, or @p end
 * if it is true for all. @p is_below is an expression in which @p i is the index of an element; it
 * must not be true again after an element for which it is false. The result has the type of @p end.
 */
#define base_lower_bound_from(first, end, i, is_below) \
	({ \
		__typeof__((end) + 0) low_ = (first), high_ = (end); \
\
		while (low_ < high_) { \
			__typeof__(low_) i = low_ + (high_ - low_) / 2; \
\
			if (is_below) \
				low_ = i + 1; \
			else \
				high_ = i; \
		} \
		low_; \
	})

/**
 * Index of the first of @p n elements for which @p is_below is false, or @p n.
 *
 *     base_lower_bound(n, i, list[i].end <= addr)    the first that ends after addr
 *     base_lower_bound(n, i, list[i].start <= addr)  how many start at or before addr
 */
#define base_lower_bound(n, i, is_below) base_lower_bound_from(0, n, i, is_below)

#endif
