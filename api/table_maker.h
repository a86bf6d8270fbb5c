/**
 * @file Tables of binaries for a recorder that unwinds by BPF (capture/bpf/unwinding.h).
 *
 * Programs that a command has started while it was recorded are kept in the cache, a file for each
 * command: HASH.started. The next recording prepares for them before the command starts. A list
 * that is out of date only costs time: tables are made that nothing needs.
 */
#ifndef PD_API_TABLE_MAKER_H
#define PD_API_TABLE_MAKER_H

#include <stddef.h>

#include <pdconv/error.h>
#include <pdconv/vec.h>

#include "capture/bpf/unwinding.h"
#include "symbolize/find/file_search.h"

/** End of the names of the files (see base/io/cache_dir.h). */
#define PD_STARTED_SUFFIX ".started"

/** Programs that a command has started. Initialize with zeros. */
struct api_started {
	PD_VEC(char *) paths;
};

/**
 * Read the programs that @p command has started from the cache @p dir, which may be NULL. Errors:
 * NOMEM.
 */
struct pd_error *api_started_load(
	const char *dir, const char *command, struct api_started *ret) pd_must_check;
void api_started_deinit(struct api_started *started);

/** Write the @p n paths of programs that @p command has started. Failures are ignored. */
void api_started_save(const char *dir, const char *command, const char *const *paths, size_t n);

/** Source that finds binaries of running processes by @p search, which is borrowed. */
struct cap_table_maker api_table_maker(struct sym_search *search);

#endif
