/**
 * @file Where binaries are looked for, as the command line says.
 */
#ifndef PD_CMD_SEARCH_H
#define PD_CMD_SEARCH_H

#include <pdconv/error.h>

#include "cmd/options.h"
#include "symbolize/find/given.h"
#include "symbolize/find/search.h"

struct cmd_search {
	/** For struct resolve_opts. Borrows everything below. */
	struct sym_search search;
	struct sym_given given;
	/** Directory of the cache of names; NULL: no cache. */
	char *cache_dir;
	/** Files that were looked for; NULL: no cache. */
	struct sym_deps *deps;
	/** Files that could not be read, and limits that were reached. */
	struct sym_trouble *trouble;
	/** Files of the kernel within the recording; NULL: there are none. */
	char *kernel_dir;
	/** NULL: nothing is fetched. */
	struct sym_debuginfod *debuginfod;
};

/**
 * Print why the cache is not used, if other users could have written to it, unless @p options are
 * quiet. Errors: NOMEM.
 */
struct pd_error *cmd_cache_warn(const struct cmd_options *options) pd_must_check;

/** Complete the search of @p options, which are borrowed, for @p input. Errors: USAGE, NOMEM. */
struct pd_error *cmd_search_init(struct cmd_search *search, const struct cmd_options *options,
	const char *input) pd_must_check;
void cmd_search_deinit(struct cmd_search *search);

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

/** Add what failed during the search to @p diag. */
void cmd_search_report(struct cmd_search *search, struct pd_diag *diag);

#endif
