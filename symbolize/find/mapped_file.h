/**
 * @file Files beside a recording that are no binaries: found where binaries are looked for, mapped.
 */
#ifndef PD_SYMBOLIZE_FIND_MAPPED_FILE_H
#define PD_SYMBOLIZE_FIND_MAPPED_FILE_H

#include <stddef.h>
#include <stdint.h>

#include <pdconv/error.h>

#include "symbolize/find/search.h"

struct sym_mapped_file {
	/** NULL: it was not found, or is empty. */
	const uint8_t *bytes;
	size_t size;
};

/**
 * Open the regular file @p name, a path on the recording machine: under --symfs or else where it was,
 * then in the further directories by its name alone. Not finding it is no error.
 */
struct sym_mapped_file sym_mapped_file_open(const struct sym_search *search, const char *name);
void sym_mapped_file_close(struct sym_mapped_file *file);

#endif
