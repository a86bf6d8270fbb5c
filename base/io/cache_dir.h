/**
 * @file A directory of cached files, each of which can be made again.
 *
 * Files are replaced atomically, so several processes may use a directory at the same time. The
 * time of modification of a file is that of its last use. Directories and files are accessible to
 * their owner only.
 */
#ifndef PD_BASE_CACHE_DIR_H
#define PD_BASE_CACHE_DIR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

/**
 * Return why the files in @p dir cannot be trusted: it belongs to another user than the caller or
 * root, or others can write it. Returns NULL if they can be trusted, and if the directory does not
 * exist. The text is static.
 */
const char *base_cache_dir_distrust(const char *dir);

/**
 * Read the whole file @p name, and mark it as used. Free the result with free(). Returns NULL if
 * the file does not exist or is not regular, if it has more than @p most bytes, if another user
 * than the caller or root owns or can write it, or if it cannot be read.
 */
uint8_t *base_cache_dir_read(const char *dir, const char *name, uint64_t most, size_t *size_ret);

/**
 * Write the @p n parts to the file @p name, replacing an older one, and create the directory if it
 * is missing. Returns false on failure, which leaves the older file as it was.
 */
bool base_cache_dir_write(const char *dir, const char *name, const struct iovec *parts, size_t n);

/** Create @p dir and its parents, for the user alone. What cannot be created is left out. */
void base_cache_dir_create(const char *dir);

/** Remove the file @p name, if there is one. */
void base_cache_dir_remove(const char *dir, const char *name);

/**
 * Remove the least recently used files whose names end in one of the @p n @p suffixes, until the
 * rest of them has at most @p most bytes. Files that another user than the caller or root owns or
 * can write are removed in any case: the result is their number.
 */
size_t base_cache_dir_trim(const char *dir, const char *const *suffixes, size_t n, uint64_t most);

#endif
