/**
 * @file Columns of the html format: sequences of numbers or bytes, encoded as they are added.
 */
#ifndef PD_OUTPUT_HTML_HTML_COLUMNS_H
#define PD_OUTPUT_HTML_HTML_COLUMNS_H

#include <stdbool.h>
#include <stdint.h>

#include <pdconv/vec.h>

#include "output/html/html_column_defs.h"

enum html_column_id {
#define HTML_COLUMN_ENUM(id, ...) HTML_##id,
	HTML_COLUMNS(HTML_COLUMN_ENUM)
#undef HTML_COLUMN_ENUM
		HTML_N_COLUMNS
};

struct html_column {
	/** Number of values. */
	uint64_t n;
	/** Value that was added last. */
	uint64_t last;
	PD_VEC(uint8_t) bytes;
};

/** All columns. Zeroed ones are empty. */
struct html_columns {
	struct html_column list[HTML_N_COLUMNS];
	/** An allocation failed; the columns are not valid. */
	bool no_memory;
};

void html_columns_deinit(struct html_columns *columns);

/** Append @p value to a column of kind VARINT or DELTA. */
void html_put(struct html_columns *columns, enum html_column_id id, uint64_t value);
/** Append @p n bytes to a column of kind BYTES. */
void html_put_bytes(
	struct html_columns *columns, enum html_column_id id, const void *bytes, size_t n);

/** Name of a column: "string.length". Static storage. */
const char *html_column_name(enum html_column_id id);
/** Kind of a column: "varint", "delta" or "bytes". Static storage. */
const char *html_column_kind(enum html_column_id id);

#endif
