/**
 * @file Libraries that are mapped out of the package of an application, a zip archive.
 */
#ifndef PD_SYMBOLIZE_FIND_PACKAGE_H
#define PD_SYMBOLIZE_FIND_PACKAGE_H

#include "symbolize/file/zip.h"
#include "symbolize/find/search.h"

/**
 * Find the stored member at offset @p at of the package with the recorded path @p name. Returns
 * false if @p name is not that of a package, or none is found.
 */
bool sym_package_member(
	const struct sym_search *search, const char *name, uint64_t at, struct sym_zip_member *ret);

/** Note that the package @p name was not looked at, because too many were. */
void sym_package_note_limit(const struct sym_search *search, const char *name);

#endif
