/**
 * @file Tables (unwind/bpf_table.h) of files that are mapped now, for a recorder. Large ones are
 * kept in the cache of their search, a file for each build id: BUILD-ID.rows.
 *
 * A file of the cache is used only if it is complete, and was written by a build of the same code
 * for a binary of the same size. So tables are the same with and without the cache.
 */
#ifndef PD_RESOLVE_BINARIES_UNWIND_TABLES_H
#define PD_RESOLVE_BINARIES_UNWIND_TABLES_H

#include <pdconv/error.h>

#include "symbolize/binary.h"
#include "unwind/bpf_table.h"

/** End of the names of the files (see base/io/cache_dir.h). */
#define RESOLVE_ROWS_SUFFIX ".rows"

/**
 * Make the table of the binary @p recorded, of which recorded.size bytes are mapped from
 * recorded.offset on. *ret is NULL if it is not found, is not of the architecture @p arch, or has
 * no code. Without @p ret no table is made. @p delta_ret: a vaddr of the mapping less its file
 * offset. Errors: NOMEM.
 */
struct pd_error *resolve_table_open(const struct sym_search *search, const struct pd_arch *arch,
	const struct sym_recorded *recorded, struct unw_table **ret,
	uint64_t *delta_ret) pd_must_check;

#endif
