/**
 * @file Allocation of large tables with random access.
 *
 * With pages of 4 KiB each look-up would miss the TLB in addition to the cache.
 */
#ifndef PD_BASE_HUGE_H
#define PD_BASE_HUGE_H

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { PD_HUGE_PAGE = 2 << 20, PD_CACHE_LINE = 64 };

/** Allocate @p size uninitialized bytes. Returns NULL if out of memory. Free with free(). */
static inline void *base_huge_aligned(size_t align, size_t size)
{
	void *bytes;

	return posix_memalign(&bytes, align, size ? size : 1) ? NULL : bytes;
}

/**
 * Allocate @p size uninitialized bytes, aligned to a cache line. Blocks of at least a huge page use
 * huge pages if the kernel has any. Returns NULL if out of memory. Free with free().
 */
void *base_huge_alloc(size_t size);

/** Like base_huge_alloc(), but allocate @p n zeroed elements of @p size bytes. */
static inline void *base_huge_calloc(size_t n, size_t size)
{
	size_t total;

	if (__builtin_mul_overflow(n, size, &total))
		return NULL;
	void *bytes = base_huge_alloc(total);
	if (bytes)
		memset(bytes, 0, total);
	return bytes;
}

/**
 * Let a table from this function grow from @p old to @p size bytes, which begin as zeros. The first
 * call has NULL and 0. A table of a huge page or more moves to its new place without being copied,
 * and needs memory only for what was written to. Returns NULL if out of memory: then the table is
 * as before. Free with base_huge_release().
 */
void *base_huge_resize(void *bytes, size_t old, size_t size);

/** Free a table of @p size bytes from base_huge_resize(). @p bytes is NULL if that is 0. */
void base_huge_release(void *bytes, size_t size);

#endif
