/**
 * @file The record of the files that a binary's ranges were read from. Private to symbolize/.
 */
#ifndef PD_SYMBOLIZE_TABLE_SOURCES_H
#define PD_SYMBOLIZE_TABLE_SOURCES_H

#include "symbolize/file/image.h"
#include "symbolize/table/ranges.h"

/**
 * Record that @p image was read or, if it is NULL, that @p wanted (its name, or NULL) was not
 * found. @p dwo_id is 0 except for split units. Errors: no memory.
 */
struct pd_error *sym_note_source(struct sym_ranges *ranges, enum sym_source_kind kind,
	const struct sym_image *image, const char *wanted, uint64_t dwo_id) pd_must_check;

#endif
