/**
 * @file Rows: samples counted for a table, whatever its rows stand for.
 *
 * A row is identified by a place in stacks (see analyze/places.h), by a part of the sample that is
 * the same for all its frames, such as the name of its thread, or by both. A sample is counted once
 * in the total of each row that its stack has, and in self of the row of its leaf. Rows have a cell
 * for each column: of each event, or of each side of a comparison.
 */
#ifndef PD_ANALYZE_ROWS_H
#define PD_ANALYZE_ROWS_H

#include <stddef.h>
#include <stdint.h>

#include <pdconv/error.h>
#include <pdconv/vec.h>

#include "analyze/places.h"
#include "analyze/symbols.h"
#include "base/containers/intern.h"
#include "profile/profile.h"

/** Samples of one column in one row. */
struct ana_cell {
	/** Samples whose leaf is the place of the row. */
	struct prof_value self;
	/** Samples that have the place anywhere in their stack. */
	struct prof_value total;
	/** Number of the sample that was counted last; 0: none. A sample counts once in total. */
	uint64_t last;
};

/** Identity of a row. */
enum ana_rows_kind {
	ANA_ROWS_BY_PLACE,
	ANA_ROWS_BY_PART,
	/** Part and place. */
	ANA_ROWS_BY_BOTH,
};

struct ana_rows {
	enum ana_rows_kind kind;
	/** Not used for rows by part. Borrowed. */
	const struct ana_places *places;
	/** Count only the leaf of each stack. */
	bool has_leaf_only;
	size_t n_columns;
	/** The cells of row 0, those of row 1 and so on. Rows by place exist before they occur. */
	PD_VEC(struct ana_cell) cells;
	/** Number of rows. */
	size_t n;
	/** struct ana_row_id by row, for rows by both. */
	struct base_intern ids;
	/** Number of samples that were added. */
	uint64_t n_added;
};

/** Identity of a row by both. */
struct ana_row_id {
	uint32_t part;
	uint32_t place;
};

/** A sample to count. */
struct ana_hit {
	/** Stack, leaf first. Rows by part need none. Borrowed. */
	const struct prof_frame_id *frames;
	uint32_t n_frames;
	/** Place of samples without frames; PROF_NONE: they are not counted. */
	uint32_t no_place;
	uint32_t part;
	size_t column;
	struct prof_value value;
};

/** Make room for the rows 0 to @p n - 1. Returns false if out of memory. */
bool ana_rows_expect(struct ana_rows *rows, size_t n);
/** Count a sample. Returns false if out of memory. */
bool ana_rows_add(struct ana_rows *rows, const struct ana_hit *hit);
void ana_rows_deinit(struct ana_rows *rows);

/** The cells of a row, one for each column. */
static inline const struct ana_cell *ana_rows_at(const struct ana_rows *rows, uint32_t row)
{
	return &rows->cells.data[row * rows->n_columns];
}

/** Whether any sample has the row. */
bool ana_rows_occurs(const struct ana_rows *rows, uint32_t row);

/**
 * Count the functions in the stacks of a profile: row i is the symbol i. @p columns holds the
 * column of each sample, PROF_NONE to leave it out. All is borrowed. Errors: NOMEM.
 */
struct pd_error *ana_rows_of_functions(const struct profile *profile,
	const struct ana_symbols *symbols, const uint32_t *columns, size_t n_columns,
	struct ana_rows *ret) pd_must_check;

#endif
