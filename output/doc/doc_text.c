/* Documents as text for a terminal: tables first, then whole documents. */
#include "output/doc/doc_text.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/memstream.h"
#include "base/names/name_fit.h"
#include "base/plural.h"
#include "base/printable.h"
#include "base/text.h"
#include "output/doc/doc_parts.h"
#include "output/doc/fit.h"

/* How text is emphasized if it may be coloured. */
enum emphasis {
	AS_TITLE,
	/* Shares that matter most, from 5 %, and those that are worth a look, from 0.5 %. */
	AS_HOT,
	AS_WARM,
	/* Binaries, and what was left out. */
	AS_FAINT,
	N_EMPHASES,
	AS_PLAIN = N_EMPHASES,
};

struct writer {
	FILE *out;
	/* Columns to which texts are fitted; 0: none. */
	size_t width;
	bool has_color;
};

/* Write @p text with control characters escaped. */
static void write_emphasized(const struct writer *w, enum emphasis emphasis, const char *text)
{
	static const char *const starts[N_EMPHASES] = {
		[AS_TITLE] = "\x1b[1m",
		[AS_HOT] = "\x1b[31m",
		[AS_WARM] = "\x1b[32m",
		[AS_FAINT] = "\x1b[2m",
	};
	bool is_colored = w->has_color && emphasis != AS_PLAIN && *text;

	if (is_colored)
		fputs(starts[emphasis], w->out);
	base_text_write(w->out, text);
	if (is_colored)
		fputs("\x1b[m", w->out);
}

enum {
	/** A column of texts is not wider, so that one long text does not move all others. */
	MAX_COLUMN = 40,
	SHARE_COLUMNS = 8,
	BAR_COLUMNS = 20,
	MAX_COLUMNS = 32,
	/** A bar begins here at least, so that those of several tables are below each other. */
	BAR_START = 20,
	/** Columns between a text and the bar of its row, and of the mark of a row in a tree. */
	BAR_GAP = 2,
	MARK_COLUMNS = 2,
};

/* Stands for rows between a row and the one before. */
static const char gap_mark[] = "... ";

/* The columns of a table that text shows, and their widths. */
struct layout {
	const struct out_table *table;
	size_t shown[MAX_COLUMNS];
	int widths[MAX_COLUMNS];
	size_t n;
	/** Functions of the last column by row, fitted to the terminal; NULL: they are not. */
	struct out_fitted *fitted;
};

static const struct out_column *column_at(const struct layout *layout, size_t i)
{
	return &layout->table->columns[layout->shown[i]];
}

static bool is_text_at(const struct layout *layout, size_t i)
{
	return out_is_text(column_at(layout, i)->kind);
}

static size_t cell_width(const struct out_column *column, const struct out_cell *cell)
{
	char buf[OUT_CELL_SIZE];

	if (cell->is_empty)
		return 0;
	if (out_is_text(column->kind))
		return base_columns(cell->text);
	out_cell_format(column, cell, buf);
	return strlen(buf);
}

static bool has_bar(const struct out_table *table)
{
	for (size_t i = 0; i < table->n_columns; i++) {
		if (table->columns[i].has_bar)
			return true;
	}
	return false;
}

static int column_width(const struct out_table *table, size_t column)
{
	const struct out_column *of = &table->columns[column];
	size_t width = base_columns(of->title);
	size_t max = out_is_text(of->kind) ? MAX_COLUMN : OUT_CELL_SIZE;

	/* The texts of tables of shares are below each other. */
	if (width < SHARE_COLUMNS &&
		(of->kind == OUT_CELL_SHARE || (!out_is_text(of->kind) && has_bar(table))))
		width = SHARE_COLUMNS;
	for (size_t i = 0; i < table->rows.n; i++) {
		size_t len = cell_width(of, out_cell_at(table, &table->rows.data[i], column));

		width = len > width ? len : width;
	}
	return (int)(width < max ? width : max);
}

/* Numbers that no row has would be a column of spaces. */
static bool is_shown(const struct out_table *table, size_t column)
{
	if (!table->columns[column].title)
		return false;
	if (out_is_text(table->columns[column].kind))
		return true;
	for (size_t i = 0; i < table->rows.n; i++) {
		if (!out_cell_at(table, &table->rows.data[i], column)->is_empty)
			return true;
	}
	return false;
}

static void measure(const struct out_table *table, struct layout *ret)
{
	*ret = (struct layout){ .table = table };
	for (size_t i = 0; i < table->n_columns && ret->n < MAX_COLUMNS; i++) {
		if (!is_shown(table, i))
			continue;
		ret->widths[ret->n] = column_width(table, i);
		ret->shown[ret->n++] = i;
	}
}

/* Spaces before column @p i: one between numbers, two before texts. */
static int gap(const struct layout *layout, size_t i)
{
	if (is_text_at(layout, i))
		return 2;
	return i ? 1 : 0;
}

/* Columns before the last one, which is indented in a tree. */
static size_t columns_before_last(const struct layout *layout, const struct out_row *row)
{
	size_t last = layout->n - 1;
	size_t used = (size_t)gap(layout, last);

	for (size_t i = 0; i < last; i++)
		used += (size_t)(gap(layout, i) + layout->widths[i]);
	used += row->place.has_gap ? strlen(gap_mark) : 0;
	return used + (row->place.depth ? row->place.indent + MARK_COLUMNS : 0);
}

/* Columns that are left for the text in the last column of @p row; 0: as many as it takes. */
static size_t columns_left(
	const struct writer *w, const struct layout *layout, const struct out_row *row)
{
	size_t used = columns_before_last(layout, row);

	if (!w->width)
		return 0;
	return w->width > used ? w->width - used : 1;
}

static const struct out_cell *last_cell(const struct layout *layout, const struct out_row *row)
{
	return out_cell_at(layout->table, row, layout->shown[layout->n - 1]);
}

static struct out_function_text function_text(const struct out_cell *cell, size_t width)
{
	return (struct out_function_text){
		.name = cell->is_empty ? "" : cell->text,
		.binary = cell->is_empty ? "" : cell->binary,
		.is_inlined = cell->is_inlined,
		.width = width,
	};
}

/* Fit the functions in the last column. Without memory they are written in full. */
static void fit_functions(const struct writer *w, struct layout *layout)
{
	const struct out_table *table = layout->table;

	if (!w->width || column_at(layout, layout->n - 1)->kind != OUT_CELL_FUNCTION)
		return;
	_cleanup_free_ struct out_function_text *functions =
		base_calloc_n(table->rows.n, sizeof(*functions));
	for (size_t i = 0; functions && i < table->rows.n; i++) {
		const struct out_row *row = &table->rows.data[i];

		functions[i] = function_text(last_cell(layout, row), columns_left(w, layout, row));
	}
	if (functions)
		layout->fitted = out_fit_functions(functions, table->rows.n);
}

/* Write a text in a column other than the last one. @p is_last: nothing follows in its row. */
static void write_padded(const struct writer *w, const char *text, int width, bool is_last)
{
	_cleanup_free_ char *fitted = w->width ? base_columns_cut(text, (size_t)width) : NULL;
	int columns = (int)base_columns(fitted ? fitted : text);

	write_emphasized(w, AS_PLAIN, fitted ? fitted : text);
	fprintf(w->out, "%*s", columns < width && !is_last ? width - columns : 0, "");
}

/* Write the title of a column of numbers, which may be the name of an event. */
static void write_right(const struct writer *w, const char *title, int width)
{
	int columns = (int)base_columns(title);

	fprintf(w->out, "%*s", columns < width ? width - columns : 0, "");
	write_emphasized(w, AS_PLAIN, title);
}

/* A last column without a title is named by the table: its title is part of the heading. */
static bool is_titled_by_table(const struct layout *layout)
{
	size_t last = layout->n - 1;

	return last && is_text_at(layout, last) && !*column_at(layout, last)->title;
}

/* Whether the title of the table fits a line after the other headings. */
static bool has_room(const struct writer *w, const struct layout *layout, const char *title)
{
	size_t used = (size_t)gap(layout, layout->n - 1) + base_columns(title);

	for (size_t i = 0; i + 1 < layout->n; i++)
		used += (size_t)(gap(layout, i) + layout->widths[i]);
	return !w->width || used <= w->width;
}

static void write_heading(const struct writer *w, const struct layout *layout, const char *title)
{
	size_t n = layout->n;
	bool has_title = *title && is_titled_by_table(layout) && has_room(w, layout, title);

	if (*title && !has_title) {
		write_emphasized(w, AS_TITLE, title);
		fputc('\n', w->out);
	}
	/* A last column without a title would leave spaces at the end. */
	while (n && (has_title ? n == layout->n : !*column_at(layout, n - 1)->title))
		n--;
	for (size_t i = 0; i < n; i++) {
		const struct out_column *column = column_at(layout, i);

		fprintf(w->out, "%*s", gap(layout, i), "");
		if (!is_text_at(layout, i))
			write_right(w, column->title, layout->widths[i]);
		else
			write_padded(w, column->title, layout->widths[i], i + 1 == n && !has_title);
	}
	if (has_title) {
		fprintf(w->out, "%*s", gap(layout, layout->n - 1), "");
		write_emphasized(w, AS_TITLE, title);
	}
	if (n || has_title)
		fputc('\n', w->out);
}

static enum emphasis emphasis_of(const struct out_column *column, const struct out_cell *cell)
{
	/* The limits of perf report. */
	enum { HOT = 5 };
	static const double warm = 0.5;

	if (column->kind != OUT_CELL_SHARE || cell->is_empty)
		return AS_PLAIN;
	if (cell->real >= HOT)
		return AS_HOT;
	return cell->real >= warm ? AS_WARM : AS_PLAIN;
}

static void write_number(const struct writer *w, const struct out_column *column,
	const struct out_cell *cell, int width)
{
	char buf[OUT_CELL_SIZE];
	int len;

	out_cell_format(column, cell, buf);
	len = (int)strlen(buf);
	fprintf(w->out, "%*s", len < width ? width - len : 0, "");
	write_emphasized(w, emphasis_of(column, cell), buf);
}

/* Write a bar after a row of @p columns columns, if there is room for the longest one. */
static void write_bar(const struct writer *w, const struct layout *layout,
	const struct out_row *row, size_t column, size_t columns)
{
	static const char bar[] = "####################";
	const struct out_cell *cell = out_cell_at(layout->table, row, layout->shown[column]);
	size_t last = (size_t)layout->widths[layout->n - 1];
	size_t start = columns_before_last(layout, row) + (last > BAR_START ? last : BAR_START);
	size_t at = columns > start ? columns : start;
	double share = cell->is_empty || cell->real < 0 ? 0 : cell->real > 100 ? 100 : cell->real;
	int len = (int)(BAR_COLUMNS * share / 100 + 0.5);

	if (!len || (w->width && at + BAR_GAP + BAR_COLUMNS > w->width))
		return;
	fprintf(w->out, "%*s", (int)(at - columns) + BAR_GAP, "");
	write_emphasized(w, emphasis_of(column_at(layout, column), cell), bar + BAR_COLUMNS - len);
}

static void write_bars(
	const struct writer *w, const struct layout *layout, const struct out_row *row)
{
	size_t columns =
		columns_before_last(layout, row) + base_columns(last_cell(layout, row)->text);

	for (size_t i = 0; i < layout->n; i++) {
		if (column_at(layout, i)->has_bar)
			write_bar(w, layout, row, i, columns);
	}
}

static void write_function(
	const struct writer *w, const struct layout *layout, const struct out_row *row)
{
	const struct out_cell *cell = last_cell(layout, row);
	struct out_fitted in_full = { 0 };
	const struct out_fitted *fitted =
		layout->fitted ? &layout->fitted[row - layout->table->rows.data] : &in_full;
	const struct out_function_text function = function_text(cell, 0);

	if (!layout->fitted && !out_fit_function(&function, NULL, &in_full)) {
		base_stream_fail(w->out);
		write_emphasized(w, AS_PLAIN, cell->text);
		return;
	}
	write_emphasized(w, row->place.is_summary ? AS_FAINT : AS_PLAIN, fitted->name);
	write_emphasized(w, AS_FAINT, fitted->binary);
	out_fitted_deinit(&in_full);
}

static void write_last(
	const struct writer *w, const struct layout *layout, const struct out_row *row)
{
	const struct out_cell *cell = last_cell(layout, row);
	size_t left = columns_left(w, layout, row);

	if (row->place.depth)
		fprintf(w->out, "%*s%s", (int)row->place.indent, "",
			row->place.is_branch ? "- " : "  ");
	if (row->place.has_gap)
		write_emphasized(w, AS_FAINT, gap_mark);
	if (cell->is_empty)
		return;
	if (column_at(layout, layout->n - 1)->kind == OUT_CELL_FUNCTION) {
		write_function(w, layout, row);
		return;
	}
	bool is_code = column_at(layout, layout->n - 1)->kind == OUT_CELL_CODE;
	_cleanup_free_ char *fitted = !left	? NULL
				      : is_code ? out_fit_code(cell->text, left)
						: base_columns_cut(cell->text, left);
	write_emphasized(
		w, row->place.is_summary ? AS_FAINT : AS_PLAIN, fitted ? fitted : cell->text);
}

/* Number of shown columns up to the last one that is not empty. */
static size_t count_filled(const struct layout *layout, const struct out_row *row)
{
	size_t n = layout->n;

	while (n && out_cell_at(layout->table, row, layout->shown[n - 1])->is_empty)
		n--;
	return n;
}

static void write_row(
	const struct writer *w, const struct layout *layout, const struct out_row *row)
{
	size_t n = count_filled(layout, row);

	for (size_t i = 0; i < n; i++) {
		const struct out_column *column = column_at(layout, i);
		const struct out_cell *cell = out_cell_at(layout->table, row, layout->shown[i]);

		fprintf(w->out, "%*s", gap(layout, i), "");
		if (!is_text_at(layout, i))
			write_number(w, column, cell, layout->widths[i]);
		else if (i + 1 < layout->n)
			write_padded(
				w, cell->is_empty ? "" : cell->text, layout->widths[i], i + 1 == n);
		else
			write_last(w, layout, row);
	}
	if (n == layout->n)
		write_bars(w, layout, row);
	fputc('\n', w->out);
}

static void write_left_out(const struct writer *w, const struct out_table *table)
{
	if (table->n_left_out)
		fprintf(w->out, "  ... and %zu more %s%s", table->n_left_out, table->noun,
			base_plural_of(table->noun, table->n_left_out));
	if (table->note)
		fprintf(w->out, "%s%s", table->n_left_out ? "; " : "  ", table->note);
	if (table->n_left_out || table->note)
		fputc('\n', w->out);
}

/* Write a table with its heading. Tables without rows are left out. */
static void write_table(const struct writer *w, const struct out_part *part)
{
	const struct out_table *table = &part->table;
	struct layout layout;

	if (!table->rows.n || !part->title)
		return;
	measure(table, &layout);
	if (!layout.n)
		return;
	fit_functions(w, &layout);
	fputc('\n', w->out);
	write_heading(w, &layout, part->title);
	for (size_t i = 0; i < table->rows.n; i++)
		write_row(w, &layout, &table->rows.data[i]);
	write_left_out(w, table);
	out_fitted_destroy(layout.fitted, layout.table->rows.n);
}

enum {
	/** Columns of the labels of facts. */
	LABEL_COLUMNS = 8,
	/** Columns before the text of a fact. */
	FACT_COLUMNS = LABEL_COLUMNS + 3,
};

static void write_line(const struct writer *w, enum emphasis emphasis, const char *text)
{
	write_emphasized(w, emphasis, text);
	fputc('\n', w->out);
}

/* Number of bytes of @p text that are written into a line of @p width columns: whole words. */
static size_t line_length(const char *text, size_t width)
{
	size_t len = strlen(text);
	size_t fitting = base_columns_prefix(text, width);

	if (fitting == len)
		return len;
	for (size_t i = fitting; i > 0; i--) {
		if (text[i] == ' ')
			return i;
	}
	/* A word that is longer than a line stays whole. */
	return strcspn(text, " ");
}

/* Write @p text in lines that begin below each other. */
static void write_wrapped(const struct writer *w, const char *text, size_t width)
{
	while (*text) {
		size_t len = line_length(text, width);
		_cleanup_free_ char *line = strndup(text, len);

		write_line(w, AS_PLAIN, line ? line : text);
		if (!line)
			return;
		text += len + strspn(text + len, " ");
		if (*text)
			fprintf(w->out, "%*s", FACT_COLUMNS, "");
	}
}

static void write_fact(const struct writer *w, const struct out_part *part)
{
	size_t room = w->width > FACT_COLUMNS ? w->width - FACT_COLUMNS : 1;
	bool is_long = w->width && base_columns(part->text) > room;

	if (!part->title)
		return;
	fprintf(w->out, "  %-*s ", LABEL_COLUMNS, part->title);
	if (is_long && part->fit == OUT_FACT_WRAPPED) {
		write_wrapped(w, part->text, room);
		return;
	}
	_cleanup_free_ char *cut =
		is_long && part->fit == OUT_FACT_CUT ? base_columns_cut(part->text, room) : NULL;
	write_line(w, AS_PLAIN, cut ? cut : part->text);
}

static void write_section(const struct writer *w, const struct out_part *section)
{
	if (section->title) {
		fputc('\n', w->out);
		write_line(w, AS_TITLE, section->title);
	}
	for (const struct out_part *i = section->first; i; i = i->next) {
		switch (i->kind) {
		case OUT_PART_SECTION:
			write_section(w, i);
			break;
		case OUT_PART_FACT:
			write_fact(w, i);
			break;
		case OUT_PART_LINE:
			write_line(w, AS_PLAIN, i->text);
			break;
		case OUT_PART_TABLE:
			write_table(w, i);
			break;
		case OUT_PART_NUMBER:
		case OUT_PART_REAL:
		case OUT_PART_BOOL:
			break;
		}
	}
}

void out_doc_write_text(const struct out_doc *doc, const struct pd_text_opts *opts, FILE *out)
{
	const struct writer w = {
		.out = out,
		.width = opts->width,
		.has_color = opts->has_color,
	};

	write_section(&w, &doc->root);
}
