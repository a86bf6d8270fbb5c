/**
 * @file Large tables that are read all over the place.
 *
 * In pages of 4 KiB each look-up would miss the processor's cache of page addresses too.
 */
#ifndef PD_BASE_HUGE_H
#define PD_BASE_HUGE_H

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { PD_HUGE_PAGE = 2 << 20, PD_CACHE_LINE = 64 };

/**
 * @p size bytes, which are not set to anything, in huge pages if they fill some and the kernel has any;
 * NULL: there is no memory. They begin on a cache line. To be freed with free().
 */
static inline void *pd_huge_alloc(size_t size)
{
	size_t align = size < PD_HUGE_PAGE ? PD_CACHE_LINE : PD_HUGE_PAGE;
	void *bytes;

	if (posix_memalign(&bytes, align, size ? size : 1))
		return NULL;
	if (align == PD_HUGE_PAGE)
		madvise(bytes, size, MADV_HUGEPAGE);
	return bytes;
}

/** The same, all 0. */
static inline void *pd_huge_calloc(size_t n, size_t size)
{
	size_t total;

	if (__builtin_mul_overflow(n, size, &total))
		return NULL;
	void *bytes = pd_huge_alloc(total);
	if (bytes)
		memset(bytes, 0, total);
	return bytes;
}

#endif
