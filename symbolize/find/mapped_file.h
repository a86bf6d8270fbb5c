/**
 * @file Files of a recording that are not binaries. Dumps of JIT compilers are searched for like
 * binaries, and mapped. Packages of applications are zip archives that libraries are mapped out of.
 */
#ifndef PD_SYMBOLIZE_FIND_MAPPED_FILE_H
#define PD_SYMBOLIZE_FIND_MAPPED_FILE_H

#include <stddef.h>
#include <stdint.h>

#include <pdconv/error.h>

#include "base/system/file_map.h"
#include "symbolize/file/zip.h"
#include "symbolize/find/file_search.h"

struct sym_mapped_file {
	/** NULL if the file was not found or is empty. */
	const uint8_t *bytes;
	size_t size;
	struct base_file_map map;
};

/**
 * Open the regular file @p name, a path on the recording machine: below symfs or else at that path,
 * unless own paths are off, then by its base name in debug_dirs, then in archives. If it is not
 * found, or cannot be read, *ret is empty. Fails only if memory runs out.
 */
struct pd_error *sym_mapped_file_open(const struct sym_search *search, const char *name,
	struct sym_mapped_file *ret) pd_must_check;
void sym_mapped_file_close(struct sym_mapped_file *file);

/**
 * Find the stored member at offset @p at of the package with the recorded path @p name. Returns
 * false if @p name is not that of a package, or none is found.
 */
bool sym_package_member(
	const struct sym_search *search, const char *name, uint64_t at, struct sym_zip_member *ret);

/** Note that the package @p name was not looked at, because too many were. */
void sym_package_note_limit(const struct sym_search *search, const char *name);

#endif
