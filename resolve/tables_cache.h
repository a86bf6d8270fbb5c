/**
 * @file Cache of tables (unwind/bpf_table.h), a file for each build id: BUILD-ID.rows.
 *
 * A file is used only if it is complete, and was written by a build of the same code for a binary
 * of the same size. So tables are the same with and without the cache.
 */
#ifndef PD_RESOLVE_TABLES_CACHE_H
#define PD_RESOLVE_TABLES_CACHE_H

#include "symbolize/binary.h"
#include "unwind/bpf_table.h"

/** End of the names of the files (see base/cache_dir.h). */
#define RESOLVE_ROWS_SUFFIX ".rows"

/**
 * Read the table of @p symbols from the cache @p dir, which may be NULL. *@p ret is NULL if it does
 * not have it. Errors: NOMEM.
 */
struct pd_error *resolve_rows_load(
	const char *dir, struct sym_binary *symbols, struct unw_table **ret) pd_must_check;

/** Write the table of @p symbols to the cache. Failures are ignored. */
void resolve_rows_save(const char *dir, struct sym_binary *symbols, const struct unw_table *table);

#endif
