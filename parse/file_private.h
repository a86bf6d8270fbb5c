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

/**
 * Decode the body of feature @p bit, which is present, if pdconv uses it. A damaged one is noted and
 * what can be read of it is kept. Of a feature that comes more than once the last one counts.
 */
struct pd_error *pd_feature_decode(struct pd_file *file, unsigned bit) pd_must_check;

#endif
