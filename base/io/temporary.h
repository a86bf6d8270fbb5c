/**
 * @file Temporary files, and writing to descriptors.
 */
#ifndef PD_BASE_TEMPORARY_H
#define PD_BASE_TEMPORARY_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/** Open an unnamed file in $TMPDIR or /tmp. Returns -1 and sets errno on failure. */
int base_temporary_open(void);

/** Directory of temporary files: $TMPDIR or /tmp. Borrowed from the environment. */
const char *base_temporary_dir(void);

/** Like base_temporary_open(), but in base_temporary_large_dir(). */
int base_temporary_open_large(void);

/**
 * Directory of temporary files that may become large: $TMPDIR, /var/tmp if it can be written to, or
 * /tmp, which is often in memory. Borrowed from the environment.
 */
const char *base_temporary_large_dir(void);

/**
 * Create a file that only the user may read, whose name ends in @p suffix, in the directory of
 * temporary files. *@p path_ret: its path, allocated. Returns -1 and sets errno on failure.
 */
int base_temporary_create(const char *suffix, char **path_ret);

/**
 * Create a file with @p mode, as open(2) takes it, whose path in the directory @p dir is @p start,
 * random letters and @p suffix. With S_IFDIR in @p mode it is a directory, opened for reading. The
 * caller frees *@p path_ret, that path. Returns -1 and sets errno on failure.
 */
int base_temporary_create_in(
	int dir, const char *start, const char *suffix, mode_t mode, char **path_ret);

/** Write all @p len bytes at the current position. Returns false and sets errno on failure. */
bool base_write_all(int fd, const void *bytes, size_t len);

/** Like read(), but goes on after a signal. */
ssize_t base_read_some(int fd, void *bytes, size_t size);

#endif
