/**
 * @file Decompression of sections. Private to symbolize/.
 */
#ifndef PD_SYMBOLIZE_FILE_UNPACK_H
#define PD_SYMBOLIZE_FILE_UNPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/error.h>

/** Compression algorithms, with the values of ELFCOMPRESS_*. Source: elf(5), the ELF gABI. */
enum { SYM_PACKED_ZLIB = 1, SYM_PACKED_ZSTD = 2 };

/**
 * Decompress @p packed_size bytes at @p packed into @p size bytes, *ret, which are freed with
 * free(). *ret is NULL if they are damaged or have another size. Errors: NOMEM.
 */
struct pd_error *sym_unpack(uint32_t algorithm, const void *packed, size_t packed_size, size_t size,
	void **ret) pd_must_check;

#endif
