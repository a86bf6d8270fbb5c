/**
 * @file Looking at a path before it is opened. Private to symbolize/.
 *
 * Links and ".." do not lead out of a root, the first root_len bytes of the path, as if that
 * directory were "/"; 0: the path is below no root.
 */
#ifndef PD_SYMBOLIZE_FILE_OPEN_PATH_H
#define PD_SYMBOLIZE_FILE_OPEN_PATH_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#include "symbolize/file/path.h"

/** File that was seen at a path. */
struct sym_seen {
	/** Descriptor without access to the contents (O_PATH); -1 where that does not exist. */
	int fd;
	/** The path without links, where descriptors of this kind do not exist; else NULL. */
	char *real;
	struct stat st;
};

/**
 * Look at what is at @p path. Links of the kernel, such as /dev/stdin, are followed only below a
 * root or if @p follows_magic is set. Returns false and sets errno on failure; otherwise the caller
 * releases the result by sym_unsee().
 */
bool sym_see(const char *path, size_t root_len, bool follows_magic, struct sym_seen *ret);
/**
 * Like sym_see() with a root, but without openat2(), which exists since Linux 5.6: opens each
 * component separately.
 */
bool sym_see_by_steps(const char *path, size_t root_len, struct sym_seen *ret);
void sym_unsee(struct sym_seen *seen);

/** Open the regular file @p seen, which was found at @p path. Returns -1 and sets errno. */
int sym_seen_open(const struct sym_seen *seen, const char *path, size_t root_len);

/** Whether it is in one of the kernel's file systems, such as procfs. */
bool sym_seen_is_of_kernel(const struct sym_seen *seen);

/** Set @p ret to a path that leads to what was seen, for calls that take one. */
void sym_seen_link(const struct sym_seen *seen, struct sym_path *ret);

/** Set @p ret to @p path without links. It stays below its root. Returns false if not known. */
bool sym_seen_path(
	const struct sym_seen *seen, const char *path, size_t root_len, struct sym_path *ret);

/** Whether the files at @p path have no times of their own, because the kernel makes them. */
bool sym_path_is_virtual(const char *path);

#endif
