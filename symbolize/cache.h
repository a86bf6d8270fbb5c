/**
 * @file The cache of tables of ranges, a file for each build id.
 *
 * A file has a header with a checksum, followed by the table (symbolize/table/ranges.h) as it is in
 * memory. It is used only if it is complete, was written by a build of the same code, and was made
 * from files that have not changed; otherwise it is ignored. Names are the same with and without
 * the cache.
 */
#ifndef PD_SYMBOLIZE_CACHE_H
#define PD_SYMBOLIZE_CACHE_H

#include <pdconv/error.h>

#include "symbolize/binary.h"

/** End of the names of the files (see base/io/cache_dir.h). */
#define SYM_CACHE_SUFFIX ".names"

/** Lists of a table (struct sym_ranges) in the order in which a file has them: L(member). */
#define SYM_CACHE_LISTS(L) \
	L(locations) \
	L(symbols) \
	L(scopes) \
	L(functions) \
	L(files) \
	L(strings)

/** Length of sym_cache_code(). */
#define SYM_CACHE_CODE_LEN 32

/** Bytes of an element of the list @p member. */
#define SYM_CACHE_ELEMENT_BYTES(member) sizeof(*((struct sym_ranges *)0)->member.data)

/** Fill the empty table of @p binary from the cache, if that has it. Errors: NOMEM. */
struct pd_error *sym_cache_load(struct sym_binary *binary) pd_must_check;

/**
 * Write the table of @p binary to the cache, replacing an older one atomically. A table is not
 * written without a build id, or if files that it needs were missing. Failures are ignored.
 */
void sym_cache_save(struct sym_binary *binary);

/** Checksum of the code that makes names, in hexadecimal. Files have it in their header. */
const char *sym_cache_code(void);

#endif
