/**
 * @file Source lines by their own samples.
 */
#ifndef PD_ANNOTATE_LINE_SAMPLES_H
#define PD_ANNOTATE_LINE_SAMPLES_H

#include <stddef.h>
#include <stdint.h>

#include <pdconv/error.h>
#include <pdconv/vec.h>

#include "annotate/functions.h"

/** Line of a source file: of the innermost function, if calls were inlined. */
struct ann_line {
	/** Path as in the debug information, borrowed from the profile. */
	const char *file;
	uint32_t line;
	/** Function at its hottest address, borrowed. */
	const char *function;
	/** Index in ann_lines.values of its first value. */
	size_t values;
};

/** Source file, with the sum of its lines. */
struct ann_file {
	const char *file;
	/** Its lines: a range of ann_lines.list. */
	size_t first;
	size_t n;
	size_t values;
};

struct ann_lines {
	/** Files, hottest first; the lines of each file, hottest first. */
	PD_VEC(struct ann_file) files;
	PD_VEC(struct ann_line) list;
	/** Values of lines and files, one for each event. */
	PD_VEC(struct prof_value) values;
	/** Values of samples without a known line, one for each event. */
	PD_VEC(struct prof_value) unknown;
};

/**
 * Sum up the samples of @p function, or of the whole profile if it is NULL, by source line. Texts
 * are borrowed from the profile. Errors: NOMEM.
 */
struct pd_error *ann_lines_create(const struct ann_functions *functions,
	const struct ann_function *function, struct ann_lines *ret) pd_must_check;
void ann_lines_deinit(struct ann_lines *lines);

/** List the indexes of all lines, hottest first, in @p ret, which has lines->list.n elements. */
void ann_lines_by_heat(
	const struct ann_functions *functions, const struct ann_lines *lines, uint32_t *ret);

#endif
