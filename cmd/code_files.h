/**
 * @file Where code and source files are looked for, as the command line says: binaries where the
 * profile found them, and sources.
 */
#ifndef PD_CMD_CODE_FILES_H
#define PD_CMD_CODE_FILES_H

#include <pdconv/error.h>

#include "annotate/code.h"
#include "annotate/sources.h"
#include "cmd/search.h"
#include "output/formats.h"

struct cmd_code_files {
	struct cmd_search search;
	/** Borrows the search. */
	struct ann_files files;
	struct ann_sources *sources;
	/** Borrows the above. */
	struct out_html_code html;
};

/**
 * Prepare to find the files of the recording @p input. @p options and @p files must stay where they
 * are. Call the deinit in any case. Errors: USAGE, NOMEM.
 */
struct pd_error *cmd_code_files_init(struct cmd_code_files *files,
	const struct cmd_options *options, const char *input) pd_must_check;
/** Zeroed @p files are valid. */
void cmd_code_files_deinit(struct cmd_code_files *files);

#endif
