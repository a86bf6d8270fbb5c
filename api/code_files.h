/**
 * @file Where code and source files are looked for: binaries where the profile found them, and
 * sources.
 */
#ifndef PD_API_CODE_FILES_H
#define PD_API_CODE_FILES_H

#include <pdconv/error.h>

#include "annotate/binary_code.h"
#include "annotate/source_files.h"
#include "api/reading.h"
#include "output/formats.h"

struct pd_code_files {
	struct pd_reading reading;
	/** Borrows from the reading. */
	struct ann_files files;
	struct ann_sources *sources;
	/** Borrows the above. */
	struct out_html_code html;
};

/**
 * Prepare to find the files of the recording @p path, which may be NULL, with @p opts. @p opts and
 * @p files must stay where they are. Call the deinit in any case. Errors: USAGE, NOMEM.
 */
struct pd_error *pd_code_files_init(struct pd_code_files *files, const struct pd_profile_opts *opts,
	const char *path) pd_must_check;
/** Zeroed @p files are valid. */
void pd_code_files_deinit(struct pd_code_files *files);

#endif
