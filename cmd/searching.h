/**
 * @file Where the command line says that binaries are.
 */
#ifndef PD_CMD_SEARCHING_H
#define PD_CMD_SEARCHING_H

#include <pdconv/error.h>

#include "cmd/options.h"
#include "symbolize/binary.h"

struct cmd_search {
	struct sym_search search;
	/** All that were given, ':' between; NULL: none was. */
	char *debug_dirs;
	PD_VEC(struct sym_path_map) path_maps;
	PD_VEC(struct sym_archive *) archives;
	/** NULL: names are not kept. */
	char *cache_dir;
	/** Or NULL. */
	char *kernel_dir;
	/** NULL: nothing is fetched. */
	struct sym_debuginfod *debuginfod;
};

/** What @p options say, whose texts are borrowed. Errors: USAGE. */
struct pd_error *cmd_search_init(
	struct cmd_search *search, const struct cmd_options *options) pd_must_check;
void cmd_search_deinit(struct cmd_search *search);

/** Note in @p diag what went wrong with what was asked for. */
void cmd_search_tell(struct cmd_search *search, struct pd_diag *diag);

#endif
