/**
 * @file Noting the files that went into a binary's ranges. Private to symbolize/.
 */
#ifndef PD_SYMBOLIZE_TABLE_SOURCES_H
#define PD_SYMBOLIZE_TABLE_SOURCES_H

#include "symbolize/file/image.h"
#include "symbolize/table/ranges.h"

/**
 * Note that @p image was read; or if that is NULL, that @p wanted (its name, or NULL) was not found.
 * @p dwo_id is 0 but for split units.
 */
struct pd_error *sym_note_source(struct sym_ranges *ranges, enum sym_source_kind kind,
	const struct sym_image *image, const char *wanted, uint64_t dwo_id) pd_must_check;

#endif
