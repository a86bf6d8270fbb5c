#include "base/system/huge.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>

void *base_huge_alloc(size_t size)
{
	bool is_huge = size >= PD_HUGE_PAGE;
	void *bytes = base_huge_aligned(is_huge ? PD_HUGE_PAGE : PD_CACHE_LINE, size);

	if (bytes && is_huge)
		madvise(bytes, size, MADV_HUGEPAGE);
	return bytes;
}

/* Bytes of the mapping for a table of @p size. */
static size_t mapped_size(size_t size)
{
	return (size + PD_HUGE_PAGE - 1) & ~((size_t)PD_HUGE_PAGE - 1);
}

/* Map @p size zeroed bytes, aligned to a huge page. */
static void *map(size_t size)
{
	char *bytes = mmap(NULL, size + PD_HUGE_PAGE, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (bytes == MAP_FAILED)
		return NULL;
	size_t before = -(uintptr_t)bytes % PD_HUGE_PAGE;
	if (before)
		munmap(bytes, before);
	munmap(bytes + before + size, PD_HUGE_PAGE - before);
	madvise(bytes + before, size, MADV_HUGEPAGE);
	return bytes + before;
}

/* Replace a table of @p old bytes that is not mapped by @p grown, unless that is NULL. */
static void *copy(char *grown, void *bytes, size_t old)
{
	if (grown && old)
		memcpy(grown, bytes, old);
	if (grown)
		free(bytes);
	return grown;
}

/* Let a mapping grow, in a new place that is aligned as well. */
static void *move(void *bytes, size_t old, size_t size)
{
	void *place = map(size);

	/* The new mapping is replaced by the old one, so that the kernel has one for the table. */
	if (!place || mremap(bytes, old, size, MREMAP_MAYMOVE | MREMAP_FIXED, place) != MAP_FAILED)
		return place;
	munmap(place, size);
	return NULL;
}

void *base_huge_resize(void *bytes, size_t old, size_t size)
{
	if (old >= PD_HUGE_PAGE)
		return move(bytes, mapped_size(old), mapped_size(size));
	if (size >= PD_HUGE_PAGE)
		return copy(map(mapped_size(size)), bytes, old);
	char *grown = base_huge_alloc(size);
	if (grown)
		memset(grown + old, 0, size - old);
	return copy(grown, bytes, old);
}

void base_huge_release(void *bytes, size_t size)
{
	if (size < PD_HUGE_PAGE)
		free(bytes);
	else
		munmap(bytes, mapped_size(size));
}
