/**
 * @file Annotation of a function, and of source lines, as text, Markdown or JSON.
 */
#ifndef PD_OUTPUT_ANNOTATE_ANNOTATE_DOC_H
#define PD_OUTPUT_ANNOTATE_ANNOTATE_DOC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <pdconv/error.h>

#include "annotate/binary_code.h"
#include "annotate/functions.h"
#include "annotate/line_samples.h"
#include "annotate/function_listing.h"
#include "annotate/source_files.h"
#include "output/doc/doc.h"

struct out_annotate_opts {
	/** Name of the recording. Borrowed. */
	const char *input;
	/** Number of rows in a table of source lines. */
	size_t limit;
	/** Show all instructions of a long function, not only those near samples. */
	bool is_whole;
	/** Leave out the source lines between instructions. */
	bool no_source;
	struct pd_text_opts text;
};

/** Content of an annotation. Borrowed. */
struct out_annotation {
	const struct ann_functions *functions;
	/** How the function was found. Its function is NULL if lines of all files are shown. */
	struct ann_match match;
	/** The instructions of the function; NULL: only source lines are shown. */
	const struct ann_listing *listing;
	/** The code of the function; NULL without a listing. */
	const struct ann_code *code;
	const struct ann_lines *lines;
	/** NULL: no source text is shown, only files and lines. */
	struct ann_sources *sources;
};

/** Write @p annotation to @p out. The caller checks @p out for write errors. Errors: NOMEM. */
struct pd_error *out_annotate_write(const struct out_annotation *annotation,
	const struct out_annotate_opts *opts, FILE *out) pd_must_check;

#endif
