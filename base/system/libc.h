/**
 * @file Functions that Linux and its C library have, and others do not.
 */
#ifndef PD_BASE_LIBC_H
#define PD_BASE_LIBC_H

#include <stdbool.h>
#include <stddef.h>

/** Fill @p bytes with @p n random bytes, at most 256, for secrets. Returns false on failure. */
bool base_random(void *bytes, size_t n);

/** Text for a value of errno, in English and of static storage. */
const char *base_error_text(int error);

/** Order of two elements, as functions for qsort() return it. */
typedef int base_compare_fn(const void *a, const void *b, void *ctx);

/** Sort @p n elements of @p size bytes. It is stable. @p list may be NULL if @p n is 0. */
void base_sort_with(void *list, size_t n, size_t size, base_compare_fn *compare, void *ctx);

/**
 * Return another descriptor of the file, or the same one where that does not exist: each must be
 * closed by base_close(). Returns -1 and sets errno on failure.
 */
int base_fd_share(int fd);
/** Close @p *fd unless it is negative, and set it to -1. */
void base_close(int *fd);

/** User that the process acts for. */
unsigned base_user(void);

/** Set the mode of the file @p fd, if files have one. */
void base_fd_set_mode(int fd, unsigned mode);

/** Create a file in memory. Returns -1 and sets errno on failure. */
int base_open_in_memory(void);

/**
 * The absolute path of the file @p path without symbolic links, where systems have these; otherwise
 * a copy of it. Allocated; NULL: there is no such file, or no memory; sets errno.
 */
char *base_real_path(const char *path);

/** Columns of the terminal @p fd; 0: it is none, or that is not known. */
size_t base_terminal_columns(int fd);

/**
 * Give two names in the directory @p dir to each other's files at once. Returns false and sets
 * errno on failure: ENOSYS or EINVAL, if the system or the file system cannot do it.
 */
bool base_swap_names(int dir, const char *a, const char *b);

/** Create a file in the directory @p dir that never has a name. Returns -1 and sets errno. */
int base_open_unnamed(const char *dir);

#endif
