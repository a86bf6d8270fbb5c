/**
 * @file Putting paths together. Private to symbolize/.
 */
#ifndef PD_SYMBOLIZE_FILE_PATH_H
#define PD_SYMBOLIZE_FILE_PATH_H

#include <stdbool.h>
#include <stddef.h>

#include <pdconv/build_id.h>
#include <pdconv/error.h>

/** A path under construction. One that gets too long is "", which is no file. */
struct sym_path {
	char text[4096];
};

/** Returns the text. */
const char *sym_path_format(struct sym_path *path, const char *fmt, ...) pd_printf(2, 3);

/** @p file below the directory @p dir, with one '/' between. */
const char *sym_path_below(struct sym_path *path, const char *dir, const char *file);

/** The directory of @p file, without the '/' at its end; "." or "" (the root) where it has none. */
const char *sym_path_dir(struct sym_path *path, const char *file);
const char *sym_path_base(const char *file);

/** The text between two ':' of @p list at *pos, which moves on; false at the end. Empty parts are
 * skipped. */
bool sym_path_next(const char *list, size_t *pos, struct sym_path *ret);

/** "xx/yyyy": how a build id is spelled in directories. */
const char *sym_path_of_id(const struct pd_build_id *id, char buf[static PD_BUILD_ID_HEX_MAX + 1]);

#endif
