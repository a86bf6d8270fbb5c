#include "symbolize/unpack.h"

#include <libdeflate.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <zstd.h>

#include "base/cleanup.h"

enum { HUGE_PAGE = 2 << 20 };

/* Debug information unpacks to hundreds of megabytes, which the kernel need not clear page by page. */
static void *allocate(size_t size)
{
	void *bytes;

	if (size < HUGE_PAGE)
		return malloc(size ? size : 1);
	if (posix_memalign(&bytes, HUGE_PAGE, size))
		return NULL;
	madvise(bytes, size, MADV_HUGEPAGE);
	return bytes;
}

static bool unpack_zlib(const void *packed, size_t packed_size, void *bytes, size_t size)
{
	struct libdeflate_decompressor *decompressor = libdeflate_alloc_decompressor();

	if (!decompressor)
		return false;
	bool ok = libdeflate_zlib_decompress(decompressor, packed, packed_size, bytes, size,
			  NULL) == LIBDEFLATE_SUCCESS;
	libdeflate_free_decompressor(decompressor);
	return ok;
}

void *sym_unpack(uint32_t algorithm, const void *packed, size_t packed_size, size_t size)
{
	_cleanup_free_ void *bytes = allocate(size);
	bool ok = false;

	if (!bytes)
		return NULL;
	if (algorithm == SYM_PACKED_ZLIB)
		ok = unpack_zlib(packed, packed_size, bytes, size);
	else if (algorithm == SYM_PACKED_ZSTD)
		ok = ZSTD_decompress(bytes, size, packed, packed_size) == size;
	if (!ok)
		return NULL;
	return_ptr(bytes);
}
