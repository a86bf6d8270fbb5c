#include "base/system/huge.h"

void *base_huge_alloc(size_t size)
{
	return base_huge_aligned(PD_CACHE_LINE, size);
}

void *base_huge_resize(void *bytes, size_t old, size_t size)
{
	char *grown = base_huge_alloc(size);

	if (!grown)
		return NULL;
	if (old)
		memcpy(grown, bytes, old);
	memset(grown + old, 0, size - old);
	free(bytes);
	return grown;
}

void base_huge_release(void *bytes, size_t size)
{
	(void)size;
	free(bytes);
}
