/**
 * @file Parts of a document, for its writers. output/doc/doc.c makes them.
 */
#ifndef PD_OUTPUT_DOC_DOC_PARTS_H
#define PD_OUTPUT_DOC_DOC_PARTS_H

#include <pdconv/vec.h>

#include "base/arena.h"
#include "output/doc/doc.h"
#include "output/doc/fit.h"

enum out_part_kind {
	OUT_PART_SECTION,
	OUT_PART_FACT,
	OUT_PART_NUMBER,
	OUT_PART_REAL,
	OUT_PART_BOOL,
	OUT_PART_LINE,
	OUT_PART_TABLE,
};

struct out_cell {
	bool is_empty;
	bool is_inlined;
	uint64_t count;
	double real;
	/** Text, or name of the function. NULL for numbers. */
	const char *text;
	const char *binary;
};

struct out_row {
	struct out_row_place place;
	/** Index of its first cell in out_table.cells. It has one for each column. */
	size_t first_cell;
};

struct out_table {
	struct out_doc *doc;
	const struct out_column *columns;
	size_t n_columns;
	const char *noun;
	size_t n_left_out;
	/** Rows that the last one sums up. */
	size_t n_summed_up;
	/** Says more about rows that are not there; NULL: nothing. */
	const char *note;
	PD_VEC(struct out_row) rows;
	PD_VEC(struct out_cell) cells;
};

/* How the text of a fact is fitted to the terminal. */
enum out_fact_fit {
	OUT_FACT_WRAPPED,
	OUT_FACT_CUT,
	OUT_FACT_WHOLE,
};

struct out_part {
	enum out_part_kind kind;
	enum out_fact_fit fit;
	/** Element of an array of sections with the same key, which follow each other. */
	bool is_item;
	const char *key;
	const char *title;
	struct out_part *parent;
	struct out_part *first;
	struct out_part *last;
	struct out_part *next;
	const char *text;
	uint64_t number;
	double real;
	struct out_table table;
};

struct out_doc {
	struct base_arena arena;
	/** Section whose title is the kind of the document. */
	struct out_part root;
	struct out_part *current;
	/** Receives what could not be allocated. */
	struct out_part lost;
	bool is_failed;
};

/** Cell of a row. Cells that were not filled are empty. */
static inline const struct out_cell *out_cell_at(
	const struct out_table *table, const struct out_row *row, size_t column)
{
	static const struct out_cell empty = { .is_empty = true };
	size_t i = row->first_cell + column;
	size_t end =
		row + 1 < table->rows.data + table->rows.n ? row[1].first_cell : table->cells.n;

	return i < end ? &table->cells.data[i] : &empty;
}

/** Cells of this kind hold a text, not a number. */
bool out_is_text(enum out_cell_kind kind);

/** Longest text of a number, with its NUL: an amount and its sign. */
enum { OUT_CELL_SIZE = OUT_AMOUNT_SIZE + 1 };

/** Format the number of a cell into @p buf, OUT_CELL_SIZE bytes: "" for texts and empty cells. */
void out_cell_format(const struct out_column *column, const struct out_cell *cell, char *buf);

#endif
