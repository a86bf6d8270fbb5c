/**
 * @file Source files: found on this machine by the paths in the debug information, and read once.
 *
 * A file is looked for with its path replaced as the path maps say; below each source directory, by
 * as many of the last parts of its path as exist there; below symfs, or at its own path; and on
 * debuginfod servers. Only regular files up to 16 MiB are read.
 */
#ifndef PD_ANNOTATE_SOURCE_FILES_H
#define PD_ANNOTATE_SOURCE_FILES_H

#include <stddef.h>
#include <stdint.h>

#include <pdconv/build_id.h>
#include <pdconv/error.h>

#include "symbolize/find/file_search.h"

struct ann_sources;

struct ann_sources_opts {
	/** Path maps, symfs, and servers. Borrowed. */
	const struct sym_search *search;
	/** Source directories, several of them with ':' between in each element. Borrowed. */
	const char *const *dirs;
	size_t n_dirs;
};

/** @p opts are copied; what they refer to is borrowed. Errors: NOMEM. */
struct pd_error *ann_sources_create(
	const struct ann_sources_opts *opts, struct ann_sources **ret) pd_must_check;
/** @p sources may be NULL. */
void ann_sources_destroy(struct ann_sources *sources);

/**
 * Find line @p line (from 1) of @p file, a path in the debug information of the binary @p id, which
 * servers are asked by. *ret is borrowed, and NULL if the file or the line is not found, or if @p
 * sources is NULL: then no file is looked for. Errors: NOMEM.
 */
struct pd_error *ann_sources_line(struct ann_sources *sources, const char *file,
	const struct pd_build_id *id, uint32_t line, const char **ret) pd_must_check;

/** Number of lines of @p file; 0 if it was not found, or was not looked for. */
size_t ann_sources_n_lines(const struct ann_sources *sources, const char *file);

/**
 * Path at which @p file was found, borrowed; NULL if it was not, or was not looked for. @p sources
 * may be NULL.
 */
const char *ann_sources_path(const struct ann_sources *sources, const char *file);

/** Copy a source line with spaces in place of tabs. Allocated; NULL: no memory. */
char *ann_source_text(const char *text);

#endif
