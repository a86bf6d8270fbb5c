/**
 * @file Building and splitting paths. Private to symbolize/.
 */
#ifndef PD_SYMBOLIZE_FILE_PATH_H
#define PD_SYMBOLIZE_FILE_PATH_H

#include <stdbool.h>
#include <stddef.h>

#include <pdconv/build_id.h>
#include <pdconv/error.h>

#include "base/limit.h"

/** Path under construction. A path that becomes too long is set to "", which no file has. */
struct sym_path {
	char text[PD_LIMIT_PATH_BYTES];
};

/** Set the path. Returns its text. */
const char *sym_path_format(struct sym_path *path, const char *fmt, ...) pd_printf(2, 3);

/**
 * Set @p path to @p file below the directory @p dir, without "." and "..", which might lead out of
 * @p dir. Returns its text.
 */
const char *sym_path_below(struct sym_path *path, const char *dir, const char *file);

/**
 * Return the part of @p path that follows the directory @p dir and begins with a '/', or NULL if
 * @p path is not below @p dir. Every absolute path is below "/" and "". Slashes at the end of
 * @p dir are ignored; links and ".." are not resolved.
 */
const char *sym_path_after(const char *path, const char *dir);

/**
 * Set @p path to the directory of @p file without a trailing '/': "." if it has none, "" for the
 * root.
 */
const char *sym_path_dir(struct sym_path *path, const char *file);
const char *sym_path_base(const char *file);

/**
 * Get the next non-empty part of the colon-separated @p list, and advance *pos. Returns false at
 * the end.
 */
bool sym_path_next(const char *list, size_t *pos, struct sym_path *ret);

/** Write @p id as "xx/yyyy", as directories spell build ids. Returns @p buf. */
const char *sym_path_of_id(const struct pd_build_id *id, char buf[static PD_BUILD_ID_HEX_MAX + 1]);

#endif
