/**
 * @file Files that may be compressed, read as a whole. Private to symbolize/.
 */
#ifndef PD_SYMBOLIZE_KERNEL_PACKED_H
#define PD_SYMBOLIZE_KERNEL_PACKED_H

#include "symbolize/find/archive.h"
#include "symbolize/file/image.h"

/**
 * The bytes of the regular file @p path, unpacked if it is compressed by gzip, xz or zstd, at *ret
 * (malloc). NULL, and @p failure_ret says why, if it cannot be read, is damaged, or has more than 512
 * MiB. Errors: no memory.
 */
struct pd_error *sym_packed_read(const char *path, uint8_t **ret, size_t *size_ret,
	struct sym_failure *failure_ret) pd_must_check;

/** The same of @p member of @p archive. */
struct pd_error *sym_packed_read_member(const struct sym_archive *archive,
	const struct sym_member *member, uint8_t **ret, size_t *size_ret,
	struct sym_failure *failure_ret) pd_must_check;

#endif
