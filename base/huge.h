/**
 * @file Allocation of large tables with random access.
 *
 * With pages of 4 KiB each look-up would miss the TLB in addition to the cache.
 */
#ifndef PD_BASE_HUGE_H
#define PD_BASE_HUGE_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { PD_HUGE_PAGE = 2 << 20, PD_CACHE_LINE = 64 };

/**
 * Allocate @p size uninitialized bytes, aligned to a cache line. Blocks of at least a huge page use
 * huge pages if the kernel has any. Returns NULL if out of memory. Free with free().
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

/** Like pd_huge_alloc(), but allocate @p n zeroed elements of @p size bytes. */
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

/** @p size rounded up to huge pages. */
static inline size_t pd_huge_round(size_t size)
{
	return (size + PD_HUGE_PAGE - 1) & ~((size_t)PD_HUGE_PAGE - 1);
}

/**
 * Reserve @p size zeroed bytes, a multiple of a huge page and aligned to one, for a table that
 * grows in place: they take memory only as they are written to. Returns NULL if the address space
 * has no room. Free with pd_huge_release().
 */
static inline void *pd_huge_reserve(size_t size)
{
	size_t total;

	if (__builtin_add_overflow(size, PD_HUGE_PAGE, &total))
		return NULL;
	char *bytes = mmap(NULL, total, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (bytes == MAP_FAILED)
		return NULL;
	size_t before = -(uintptr_t)bytes % PD_HUGE_PAGE;
	if (before)
		munmap(bytes, before);
	munmap(bytes + before + size, PD_HUGE_PAGE - before);
	return bytes + before;
}

/** Let the first @p size bytes of a reservation use huge pages, unless they are few. */
static inline void pd_huge_advise(void *bytes, size_t size)
{
	if (size >= PD_HUGE_PAGE)
		madvise(bytes, size, MADV_HUGEPAGE);
}

/** Give back a reservation of @p size bytes. NULL: there is none. */
static inline void pd_huge_release(void *bytes, size_t size)
{
	if (bytes)
		munmap(bytes, size);
}

#endif
