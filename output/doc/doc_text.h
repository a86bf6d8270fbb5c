/**
 * @file Parts of the text writer of documents.
 */
#ifndef PD_OUTPUT_DOC_DOC_TEXT_H
#define PD_OUTPUT_DOC_DOC_TEXT_H

#include "output/doc/doc_private.h"

/** How text is emphasized if it may be coloured. */
enum out_emphasis {
	OUT_TITLE,
	/** Shares that matter most, from 5 %, and those that are worth a look, from 0.5 %. */
	OUT_HOT,
	OUT_WARM,
	/** Binaries, and what was left out. */
	OUT_FAINT,
	OUT_N_EMPHASES,
	OUT_PLAIN = OUT_N_EMPHASES,
};

struct out_text_writer {
	FILE *out;
	/** Columns to which texts are fitted; 0: none. */
	size_t width;
	bool has_color;
};

/** Write @p text with control characters escaped. */
void out_text_write(const struct out_text_writer *w, enum out_emphasis emphasis, const char *text);

/** Write a table with its heading. Tables without rows are left out. */
void out_text_write_table(const struct out_text_writer *w, const struct out_part *part);

#endif
