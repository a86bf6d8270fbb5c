/**
 * @file The hottest source lines, for programs that show notes next to source code: editors,
 * reviews of changes, and collections of findings.
 */
#ifndef PD_OUTPUT_ANNOTATE_LINE_NOTES_H
#define PD_OUTPUT_ANNOTATE_LINE_NOTES_H

#include <stdio.h>

#include <pdconv/annotate.h>
#include <pdconv/error.h>

#include "output/annotate/annotate_doc.h"

/** How notes are written. */
struct out_line_notes_opts {
	/** Not PD_LINE_NOTES_NONE. */
	enum pd_line_notes form;
	/** Directory that paths of files below it are relative to; NULL: none. Borrowed. */
	const char *root;
	/** Number of lines. */
	size_t limit;
};

/**
 * Write the hottest lines of @p annotation, hottest first, by its first event. The caller checks @p
 * out for write errors. Errors: NOMEM.
 */
struct pd_error *out_line_notes_write(const struct out_annotation *annotation,
	const struct out_line_notes_opts *opts, FILE *out) pd_must_check;

#endif
