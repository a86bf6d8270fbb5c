/**
 * @file Programs that a command has started while it was recorded, a file for each command:
 * HASH.started in the cache. The next recording prepares for them before the command starts.
 *
 * A list that is out of date only costs time: tables are made that nothing needs.
 */
#ifndef PD_RESOLVE_STARTED_H
#define PD_RESOLVE_STARTED_H

#include <stddef.h>

#include <pdconv/error.h>
#include <pdconv/vec.h>

/** End of the names of the files (see base/cache_dir.h). */
#define RESOLVE_STARTED_SUFFIX ".started"

/** Initialize with zeros. */
struct resolve_started {
	PD_VEC(char *) paths;
};

/**
 * Read the programs that @p command has started from the cache @p dir, which may be NULL. Errors:
 * NOMEM.
 */
struct pd_error *resolve_started_load(
	const char *dir, const char *command, struct resolve_started *ret) pd_must_check;
void resolve_started_deinit(struct resolve_started *started);

/** Write the @p n paths of programs that @p command has started. Failures are ignored. */
void resolve_started_save(const char *dir, const char *command, const char *const *paths, size_t n);

#endif
