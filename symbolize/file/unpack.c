#include "symbolize/file/unpack.h"

#include <libdeflate.h>
#include <stdlib.h>
#include <zstd.h>

#include "base/cleanup.h"
#include "base/huge.h"

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
	_cleanup_free_ void *bytes = pd_huge_alloc(size);
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
