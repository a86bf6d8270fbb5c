/**
 * @file Temporary files without a name, and writing to descriptors.
 */
#ifndef PD_BASE_TEMPORARY_H
#define PD_BASE_TEMPORARY_H

#include <stdbool.h>
#include <stddef.h>

/** Open an unnamed file in $TMPDIR or /tmp. Returns -1 and sets errno on failure. */
int pd_temporary_open(void);

/** Write all @p len bytes at the current position. Returns false and sets errno on failure. */
bool pd_write_all(int fd, const void *bytes, size_t len);

#endif
