/**
 * @file Where binaries are looked for, as the command line says.
 */
#ifndef PD_CMD_SEARCH_OPTIONS_H
#define PD_CMD_SEARCH_OPTIONS_H

#include <pdconv/error.h>

#include "cmd/options/options.h"

/**
 * Print why the cache is not used, if other users could have written to it, unless @p options are
 * quiet. Errors: NOMEM.
 */
struct pd_error *cmd_cache_warn(const struct cmd_options *options) pd_must_check;

/**
 * Complete options->profile.search: with the cache, which is trimmed, with perf's
 * build-id cache, and with servers. Errors:
 * USAGE, no servers are known; NOMEM.
 */
struct pd_error *cmd_search_complete(struct cmd_options *options) pd_must_check;

/**
 * Find the directory of the cache: $XDG_CACHE_HOME/pdconv, or ~/.cache/pdconv. *@p ret is
 * allocated; NULL: neither variable is set, or @p options use no cache. Errors: NOMEM.
 */
struct pd_error *cmd_cache_dir(const struct cmd_options *options, char **ret) pd_must_check;

/**
 * Remove the least recently used files of the cache @p dir until it has its largest size. Returns
 * the number of files that were removed because another user could have written them.
 */
size_t cmd_cache_trim(const char *dir);

#endif
