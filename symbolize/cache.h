/**
 * @file Tables of ranges kept from one run to the next: a file for each build id.
 *
 * A file holds what symbolize/table/ranges.h says of a binary, as it is in memory, behind a header with a
 * checksum. It is used only if it is whole, of this program's version, and was made from files that are
 * the same now; else it is as if it were not there. Answers are the same with and without it.
 */
#ifndef PD_SYMBOLIZE_CACHE_H
#define PD_SYMBOLIZE_CACHE_H

#include <stdint.h>

#include <pdconv/error.h>

#include "symbolize/binary.h"

/** Fill the empty table of @p binary if there is one for it. Errors: no memory. */
struct pd_error *sym_cache_load(struct sym_binary *binary) pd_must_check;

/**
 * Keep the table of @p binary, in place of an older one at once. Nothing happens where it cannot be
 * kept: without a build id, or where files that belong to it were not found.
 */
void sym_cache_save(struct sym_binary *binary);

/** Remove what was not used for longest until the files in @p dir have @p most bytes together. */
void sym_cache_trim(const char *dir, uint64_t most);

#endif
