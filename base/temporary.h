/**
 * @file Files that are gone when they are closed.
 */
#ifndef PD_BASE_TEMPORARY_H
#define PD_BASE_TEMPORARY_H

#include <stdbool.h>
#include <stddef.h>

/** A descriptor of a new file without a name, in $TMPDIR or /tmp; negative, with errno, on failure. */
int pd_temporary_open(void);

/** Write all @p len bytes at the descriptor's position; false, with errno, on failure. */
bool pd_write_all(int fd, const void *bytes, size_t len);

#endif
