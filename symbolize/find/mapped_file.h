/**
 * @file Files of a recording that are not binaries, such as dumps of JIT compilers. They are
 * searched for like binaries and mapped.
 */
#ifndef PD_SYMBOLIZE_FIND_MAPPED_FILE_H
#define PD_SYMBOLIZE_FIND_MAPPED_FILE_H

#include <stddef.h>
#include <stdint.h>

#include <pdconv/error.h>

#include "base/file_map.h"
#include "symbolize/find/search.h"

struct sym_mapped_file {
	/** NULL if the file was not found or is empty. */
	const uint8_t *bytes;
	size_t size;
	struct pd_file_map map;
};

/**
 * Open the regular file @p name, a path on the recording machine: below symfs or else at that path,
 * unless own paths are off, then by its base name in debug_dirs, then in archives. If it is not
 * found, or cannot be read, *ret is empty. Fails only if memory runs out.
 */
struct pd_error *sym_mapped_file_open(const struct sym_search *search, const char *name,
	struct sym_mapped_file *ret) pd_must_check;
void sym_mapped_file_close(struct sym_mapped_file *file);

#endif
