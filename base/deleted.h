/**
 * @file Names of files that were deleted while they were mapped.
 */
#ifndef PD_BASE_DELETED_H
#define PD_BASE_DELETED_H

#include <stddef.h>
#include <string.h>

/** Mark that the kernel appends to the name of a deleted file (d_path() in fs/d_path.c). */
#define PD_DELETED_MARK " (deleted)"

/** Length of @p name without PD_DELETED_MARK; of the whole name if nothing precedes the mark. */
static inline size_t base_undeleted_len(const char *name)
{
	size_t len = strlen(name), mark = strlen(PD_DELETED_MARK);

	return len > mark && strcmp(name + len - mark, PD_DELETED_MARK) == 0 ? len - mark : len;
}

#endif
