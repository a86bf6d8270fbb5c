#include "symbolize/file/unpack.h"

#include <libdeflate.h>
#include <stdlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "base/cleanup.h"
#include "base/huge.h"

static struct pd_error *unpack_zlib(
	const void *packed, size_t packed_size, void *bytes, size_t size, bool *ok_ret)
{
	struct libdeflate_decompressor *decompressor = libdeflate_alloc_decompressor();

	if (!decompressor)
		return &pd_enomem;
	*ok_ret = libdeflate_zlib_decompress(decompressor, packed, packed_size, bytes, size,
			  NULL) == LIBDEFLATE_SUCCESS;
	libdeflate_free_decompressor(decompressor);
	return NULL;
}

static struct pd_error *unpack_zstd(
	const void *packed, size_t packed_size, void *bytes, size_t size, bool *ok_ret)
{
	size_t n = ZSTD_decompress(bytes, size, packed, packed_size);

	if (ZSTD_isError(n) && ZSTD_getErrorCode(n) == ZSTD_error_memory_allocation)
		return &pd_enomem;
	*ok_ret = n == size;
	return NULL;
}

struct pd_error *sym_unpack(
	uint32_t algorithm, const void *packed, size_t packed_size, size_t size, void **ret)
{
	_cleanup_free_ void *bytes = pd_huge_alloc(size);
	struct pd_error *err = NULL;
	bool ok = false;

	*ret = NULL;
	if (!bytes)
		return &pd_enomem;
	if (algorithm == SYM_PACKED_ZLIB)
		err = unpack_zlib(packed, packed_size, bytes, size, &ok);
	else if (algorithm == SYM_PACKED_ZSTD)
		err = unpack_zstd(packed, packed_size, bytes, size, &ok);
	if (!err && ok)
		*ret = take_ptr(bytes);
	return err;
}
