/**
 * @file Where paths of the recording machine lead on this machine. Private to symbolize/.
 */
#ifndef PD_SYMBOLIZE_FIND_RECORDED_PATH_H
#define PD_SYMBOLIZE_FIND_RECORDED_PATH_H

#include "symbolize/file/path.h"
#include "symbolize/find/search.h"

/**
 * Whether @p path leads into a file system that would show this machine, or pdconv itself, instead
 * of the recorded process.
 */
bool sym_path_is_of_this_machine(const char *path);

/**
 * Get path @p i of those at which the recorded path @p name may be: below the symfs or at its own
 * path, then with each path map. *ret is "" if that one does not apply. Returns false after the
 * last one.
 */
bool sym_recorded_path(
	const struct sym_search *search, const char *name, size_t i, struct sym_path *ret);

#endif
