/**
 * @file Options of profiles (pdconv/profile_opts.h) as the pipeline and the formats take them, and
 * where code and source files are looked for.
 */
#ifndef PD_API_READING_H
#define PD_API_READING_H

#include <pdconv/error.h>
#include <pdconv/file.h>
#include <pdconv/profile_opts.h>

#include "annotate/binary_code.h"
#include "annotate/source_files.h"
#include "output/formats.h"
#include "profile/sample_filter.h"
#include "resolve/resolve.h"
#include "symbolize/find/file_search.h"

struct sym_debuginfod;
struct sym_deps;
struct sym_process_roots;
struct sym_trouble;

/** How a recording is read. Must stay where it is, and outlives what it is used for. */
struct api_reading {
	struct resolve_opts resolve;
	struct prof_filter filter;
	struct sym_given given;
	/** NULL: nothing is fetched. */
	struct sym_debuginfod *debuginfod;
	/** Files that exist and cannot be read. */
	struct sym_trouble *trouble;
	/** Root directories of containers. */
	struct sym_process_roots *roots;
	/** Receives the files that are looked for; may be NULL. Borrowed. */
	struct sym_deps *deps;
	/** Files of the kernel within the recording; NULL: there are none. */
	char *kernel_dir;
	/** How long reading took. */
	struct resolve_times times;
};

/**
 * Set @p ret to @p opts, which are borrowed, without the request of a format. @p path is where the
 * recording is, next to which archives may be; NULL: it was not opened by a path. @p deps may be
 * NULL. Call the deinit in any case. Errors: USAGE, NOMEM.
 */
struct pd_error *api_reading_init(const struct pd_profile_opts *opts, const char *path,
	struct sym_deps *deps, struct api_reading *ret) pd_must_check;
/** Note in @p diag what failed when files were looked for. */
void api_reading_report(const struct api_reading *reading, struct pd_diag *diag);
void api_reading_deinit(struct api_reading *reading);

/** Set @p ret to how @p opts, which are borrowed, let formats write. Errors: USAGE. */
struct pd_error *api_reading_write_opts(
	const struct pd_profile_opts *opts, struct out_write_opts *ret) pd_must_check;

/** Binaries where the profile found them, and sources. */
struct api_code_files {
	struct api_reading reading;
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
struct pd_error *api_code_files_init(struct api_code_files *files,
	const struct pd_profile_opts *opts, const char *path) pd_must_check;
/** Zeroed @p files are valid. */
void api_code_files_deinit(struct api_code_files *files);

#endif
