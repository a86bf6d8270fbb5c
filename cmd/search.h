/**
 * @file Where binaries are looked for, as the command line says.
 */
#ifndef PD_CMD_SEARCH_H
#define PD_CMD_SEARCH_H

#include <pdconv/error.h>

#include "cmd/options.h"
#include "symbolize/find/search.h"

struct cmd_search {
	/** For struct resolve_opts. Borrows everything below. */
	struct sym_search search;
	/** All directories, ':' between; NULL: none was given. */
	char *dirs;
	PD_VEC(struct sym_archive *) archives;
	/** Directory of the cache of names; NULL: no cache. */
	char *cache_dir;
	/** Files that were looked for; NULL: no cache. */
	struct sym_deps *deps;
	/** Files of the kernel within the recording; NULL: there are none. */
	char *kernel_dir;
	/** NULL: nothing is fetched. */
	struct sym_debuginfod *debuginfod;
};

/** Complete the search of @p options, which are borrowed, for @p input. Errors: USAGE, NOMEM. */
struct pd_error *cmd_search_init(struct cmd_search *search, const struct cmd_options *options,
	const char *input) pd_must_check;
void cmd_search_deinit(struct cmd_search *search);

/** Remove the least recently used files of the cache @p dir until it has its largest size. */
void cmd_cache_trim(const char *dir);

/** Add what failed during the search to @p diag. */
void cmd_search_report(struct cmd_search *search, struct pd_diag *diag);

#endif
