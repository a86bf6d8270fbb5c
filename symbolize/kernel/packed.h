/**
 * @file Files read as a whole that may be compressed. Private to symbolize/.
 */
#ifndef PD_SYMBOLIZE_KERNEL_PACKED_H
#define PD_SYMBOLIZE_KERNEL_PACKED_H

#include "symbolize/find/binary_archive.h"
#include "symbolize/file/image.h"

/**
 * Read the regular file @p path, and decompress it if it is compressed by gzip, xz or zstd. *ret
 * comes from malloc(). It is NULL, and @p failure_ret has the reason, if the file cannot be read,
 * is damaged, or has more than PD_LIMIT_PACKED_KERNEL_BYTES. Errors: NOMEM.
 */
struct pd_error *sym_packed_read(const char *path, struct sym_access access, uint8_t **ret,
	size_t *size_ret, struct sym_failure *failure_ret) pd_must_check;

/** Like sym_packed_read(), for @p member of @p archive. */
struct pd_error *sym_packed_read_member(const struct sym_archive *archive,
	const struct sym_member *member, uint8_t **ret, size_t *size_ret,
	struct sym_failure *failure_ret) pd_must_check;

#endif
