/**
 * @file What parse/file.c and parse/feature.c share.
 */
#ifndef PD_PARSE_FILE_PRIVATE_H
#define PD_PARSE_FILE_PRIVATE_H

#include "base/cursor.h"
#include "parse/file.h"

/** A cursor over a section that lies within the file. */
static inline struct pd_cursor pd_section_cursor(
	const struct pd_file *file, struct pd_section section)
{
	return pd_cursor_init(file->bytes + section.offset, section.size, file->swap);
}

/** Decode the features that pdconv uses. Damaged ones are noted and left out. */
struct pd_error *pd_features_decode(struct pd_file *file) pd_must_check;

#endif
