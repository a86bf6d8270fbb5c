/**
 * @file perf's build-id cache, into which a recorder puts the binaries of its samples, so that they
 * are still there when they have been replaced, and for `perf archive`.
 */
#ifndef PD_CMD_BUILD_ID_CACHE_H
#define PD_CMD_BUILD_ID_CACHE_H

#include <pdconv/error.h>

#include "profile/profile.h"
#include "symbolize/find/file_search.h"

/**
 * Find the directory of the cache: $PERF_BUILDID_DIR, or buildid.dir in the configuration of perf
 * ($PERF_CONFIG, else ~/.perfconfig and /etc/perfconfig), or ~/.debug. *@p ret is allocated, and
 * NULL if no home directory is known. Errors: NOMEM.
 */
struct pd_error *cmd_build_id_cache_dir(char **ret) pd_must_check;

/**
 * Put the files of @p profile, which has been read on the machine that recorded it by
 * cmd_recorded_files_read(), into the cache @p dir, unless they are there. Files are linked, or
 * copied if they are on another file system.
 * Errors: OS, NOMEM.
 */
struct pd_error *cmd_build_id_cache_add(const char *dir, const struct profile *profile,
	const struct sym_search *search) pd_must_check;

#endif
