/**
 * @file Documents: what the report and other analyses show, before it is written as text, Markdown
 * or JSON.
 *
 * A document is a tree of sections. A section has facts, lines of text, tables and further
 * sections. Every part has a key, its name in JSON, and a title, its heading for people. A part
 * without a key is not in JSON; one without a title is only in JSON, unless it is described
 * otherwise.
 *
 * Building a document does not fail: if memory runs out, the document remembers it, and writing it
 * returns the error. All texts are copied. A document is not thread-safe.
 */
#ifndef PD_OUTPUT_DOC_DOC_H
#define PD_OUTPUT_DOC_DOC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <pdconv/error.h>
#include <pdconv/format_opts.h>

/** Kind of the cells in a column. It decides how they are written. */
enum out_cell_kind {
	/** Text. The last column of a table takes the rest of the line. */
	OUT_CELL_TEXT,
	/** Source code or an instruction, of which a terminal shows the beginning. JSON: text. */
	OUT_CELL_CODE,
	/** Function and its binary. JSON: an object {"name", "binary", "inlined"}. */
	OUT_CELL_FUNCTION,
	/** Number without a unit. */
	OUT_CELL_COUNT,
	/** Amount in the unit of the column: "1.24 s" for 1240000000 nanoseconds. */
	OUT_CELL_AMOUNT,
	/** Amount with its sign: "+1.24 s". JSON: a number that may be negative. */
	OUT_CELL_DIFFERENCE,
	/** Percentage: "12.34 %", left empty in text if it rounds to zero. */
	OUT_CELL_SHARE,
	/** Percentage with its sign: "+12.34 %". */
	OUT_CELL_CHANGE,
	/** Ratio with two decimals. */
	OUT_CELL_RATIO,
	/** Address: hexadecimal in text, a string such as "0x401000" in JSON. */
	OUT_CELL_ADDRESS,
};

struct out_column {
	const char *key;
	/** NULL: the column is only in JSON. */
	const char *title;
	enum out_cell_kind kind;
	/** Unit of OUT_CELL_AMOUNT and OUT_CELL_DIFFERENCE; may be NULL. */
	const char *unit;
	/** In text, a bar of the length of the share follows the last column, if there is room. */
	bool has_bar;
};

/** Nesting of a row. Zeroed: a row of a plain table. */
struct out_row_place {
	/** Rows of a greater depth belong to the row before them: "children" in JSON. */
	unsigned depth;
	/** Columns by which the last column is indented in text. */
	unsigned indent;
	/** The last column is marked as one of several branches. */
	bool is_branch;
	/** Rows between this one and the one before are left out: dots stand before its text. */
	bool has_gap;
	/** The row sums up others, and is not in JSON. */
	bool is_summary;
};

struct out_doc;
struct out_table;

/**
 * Create a document. @p kind is its "kind" in JSON. Free with out_doc_destroy(). NULL: no memory.
 */
struct out_doc *out_doc_create(const char *kind);
void out_doc_destroy(struct out_doc *doc);

/**
 * Begin a section within the current one. @p title may be NULL: then the section has no heading.
 */
void out_doc_begin(struct out_doc *doc, const char *key, const char *title);
/** Begin a section that is an element of the array @p key in JSON. */
void out_doc_begin_item(struct out_doc *doc, const char *key, const char *title);
void out_doc_end(struct out_doc *doc);

/**
 * Add a fact. Text shows "label text" in as many lines as the terminal requires; without @p label
 * only JSON has it. Empty texts are left out.
 */
void out_doc_fact(struct out_doc *doc, const char *key, const char *label, const char *text);
/** Like out_doc_fact(), but text keeps it in one line, without its middle if it is too long. */
void out_doc_fact_cut(struct out_doc *doc, const char *key, const char *label, const char *text);
/** Like out_doc_fact(), but text has it in full, in one line, so that it can be copied. */
void out_doc_fact_whole(struct out_doc *doc, const char *key, const char *label, const char *text);
/** Add a number that only JSON has, because a line of text says it in words. */
void out_doc_number(struct out_doc *doc, const char *key, uint64_t number);
void out_doc_real(struct out_doc *doc, const char *key, double number);
void out_doc_bool(struct out_doc *doc, const char *key, bool value);
/** Add lines of text, separated by newlines. In JSON they are elements of the array @p key. */
void out_doc_lines(struct out_doc *doc, const char *key, const char *text);

/** Like out_doc_lines(), for one line: a newline, which a name may have, is shown as an escape. */
void out_doc_line(struct out_doc *doc, const char *key, const char *text);

/** Copy a text so that it lives as long as @p doc. */
const char *out_doc_keep(struct out_doc *doc, const char *text);
/** Format a text that lives as long as @p doc. Never NULL: without memory, writing @p doc fails. */
const char *out_doc_format(struct out_doc *doc, const char *fmt, ...) pd_printf(2, 3);

/**
 * Add a table to the current section. @p columns are copied; their texts and units must outlive the
 * document. A table without rows has no heading in text. In text, the title of the table is that of
 * its last column if that has an empty one.
 */
struct out_table *out_doc_table(struct out_doc *doc, const char *key, const char *title,
	const struct out_column *columns, size_t n_columns);
/**
 * Set the noun for "... and 12 more functions", in the singular. Default: "row". Static storage.
 */
void out_table_set_noun(struct out_table *table, const char *singular);
/** Number of rows that a limit left out. */
void out_table_set_left_out(struct out_table *table, size_t n);
/** Note that the last row of the text sums up @p n rows. JSON counts them as left out. */
void out_table_set_summed_up(struct out_table *table, size_t n);
/** Explain which other rows are left out, after their number: only in texts. NULL: no more. */
void out_table_set_note(struct out_table *table, const char *note);
/** Begin a row. @p place may be NULL. */
void out_table_row(struct out_table *table, const struct out_row_place *place);
/** Fill the next cell of the row. The kind of value must be that of the column. */
void out_table_text(struct out_table *table, const char *text);
void out_table_function(
	struct out_table *table, const char *name, const char *binary, bool is_inlined);
void out_table_count(struct out_table *table, uint64_t count);
/** Fill a cell of a kind with decimals. Shares and changes are percentages. */
void out_table_real(struct out_table *table, double number);
/** Fill a share: @p part of @p whole, 0 if @p whole is 0. */
void out_table_share(struct out_table *table, uint64_t part, uint64_t whole);
/** Leave the next cell empty: null in JSON. */
void out_table_empty(struct out_table *table);

/** Write @p doc to @p out. The caller checks @p out for write errors. Errors: NOMEM. */
struct pd_error *out_doc_write(
	const struct out_doc *doc, const struct pd_text_opts *opts, FILE *out) pd_must_check;

#endif
