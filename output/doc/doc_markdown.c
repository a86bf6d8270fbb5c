#include "output/doc/doc_markdown.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/plural.h"
#include "base/printable.h"
#include "output/doc/doc_parts.h"
#include "output/doc/fit.h"

/* Characters that would be taken for Markdown or HTML. */
static bool is_special(char c)
{
	return strchr("\\`*_{}[]<>#|~$&", c) != NULL;
}

/* Write untrusted text so that it is shown as it is: "\\x1b" for an ESC. */
static void write_escaped(const char *text, FILE *out)
{
	char escape[PD_ESCAPE_SIZE];

	for (size_t len = strlen(text), n; len; len -= n, text += n) {
		n = base_printable_next(text, len, escape);
		/* An escape begins with a backslash, which has to be escaped as well. */
		if (*escape || is_special(*text))
			putc_unlocked('\\', out);
		if (*escape)
			fputs_unlocked(escape, out);
		else
			fwrite_unlocked(text, 1, n, out);
	}
}

static void write_heading(const char *title, unsigned level, FILE *out)
{
	static const char marks[] = "######";
	unsigned n = level < strlen(marks) ? level : (unsigned)strlen(marks);

	fprintf(out, "\n%.*s ", (int)n, marks);
	write_escaped(title, out);
	fputs("\n\n", out);
}

/* Write what follows the name of a function: " (app, inlined)". */
static void write_binary(const struct out_cell *cell, FILE *out)
{
	const char *binary = out_fit_has_binary(cell->text, cell->binary) ? cell->binary : "";

	if (!*binary && !cell->is_inlined)
		return;
	fputs(" (", out);
	write_escaped(binary, out);
	if (cell->is_inlined)
		fprintf(out, "%sinlined", *binary ? ", " : "");
	fputc(')', out);
}

/* Longest function with its binary: longer ones make a table of Markdown hard to read. */
enum { FUNCTION_COLUMNS = 100 };

/* The functions in column @p c of a table, fitted, by row. NULL: the column has others. */
static struct out_fitted *fit_functions(const struct out_table *table, size_t c)
{
	size_t n = table->rows.n;

	if (c == table->n_columns || table->columns[c].kind != OUT_CELL_FUNCTION)
		return NULL;
	_cleanup_free_ struct out_function_text *functions = base_calloc_n(n, sizeof(*functions));
	for (size_t i = 0; functions && i < n; i++) {
		const struct out_cell *cell = out_cell_at(table, &table->rows.data[i], c);

		functions[i] = (struct out_function_text){
			.name = cell->is_empty ? "" : cell->text,
			.binary = cell->is_empty ? "" : cell->binary,
			.is_inlined = cell->is_inlined,
			.width = FUNCTION_COLUMNS,
		};
	}
	return functions ? out_fit_functions(functions, n) : NULL;
}

/* Write a cell of the last column, or of another one; @p text stands for that of the cell. */
static void write_cell(const struct out_column *column, const struct out_row *row,
	const struct out_cell *cell, const char *text, bool is_last, FILE *out)
{
	char buf[OUT_CELL_SIZE];

	if (!out_is_text(column->kind)) {
		out_cell_format(column, cell, buf);
		fprintf(out, " %s |", buf + strspn(buf, " "));
		return;
	}
	fputc(' ', out);
	/* Spaces at the beginning of a cell would be lost. */
	for (unsigned i = 1; is_last && i < row->place.depth; i++)
		fputs("&nbsp;", out);
	if (!cell->is_empty) {
		if (is_last && row->place.has_gap)
			fputs("... ", out);
		write_escaped(text, out);
		if (column->kind == OUT_CELL_FUNCTION)
			write_binary(cell, out);
	}
	fputs(" |", out);
}

/* Return the last column that is shown, or n_columns if none is. */
static size_t last_shown(const struct out_table *table)
{
	size_t last = table->n_columns;

	for (size_t i = 0; i < table->n_columns; i++)
		last = table->columns[i].title ? i : last;
	return last;
}

static void write_columns(const struct out_table *table, FILE *out)
{
	fputc('|', out);
	for (size_t i = 0; i < table->n_columns; i++) {
		if (!table->columns[i].title)
			continue;
		fputc(' ', out);
		write_escaped(table->columns[i].title, out);
		fputs(" |", out);
	}
	fputs("\n|", out);
	for (size_t i = 0; i < table->n_columns; i++) {
		if (table->columns[i].title)
			fputs(out_is_text(table->columns[i].kind) ? "-|" : "-:|", out);
	}
	fputc('\n', out);
}

static void write_left_out(const struct out_table *table, FILE *out)
{
	if (!table->n_left_out && !table->note)
		return;
	fputc('\n', out);
	if (table->n_left_out)
		fprintf(out, "... and %zu more %s%s", table->n_left_out, table->noun,
			base_plural_of(table->noun, table->n_left_out));
	if (table->note)
		fprintf(out, "%s%s", table->n_left_out ? "; " : "", table->note);
	fputc('\n', out);
}

static void write_table(const struct out_part *part, unsigned level, FILE *out)
{
	const struct out_table *table = &part->table;
	size_t last = last_shown(table);

	if (!table->rows.n || !part->title)
		return;
	if (*part->title)
		write_heading(part->title, level, out);
	else
		fputc('\n', out);
	write_columns(table, out);
	/* Without memory the names are written in full. */
	struct out_fitted *fitted = fit_functions(table, last);
	for (size_t i = 0; i < table->rows.n; i++) {
		const struct out_row *row = &table->rows.data[i];

		fputc('|', out);
		for (size_t c = 0; c < table->n_columns; c++) {
			const struct out_cell *cell = out_cell_at(table, row, c);

			if (table->columns[c].title)
				write_cell(&table->columns[c], row, cell,
					fitted && c == last ? fitted[i].name : cell->text,
					c == last, out);
		}
		fputc('\n', out);
	}
	out_fitted_destroy(fitted, table->rows.n);
	write_left_out(table, out);
}

static void write_fact(const struct out_part *part, FILE *out)
{
	if (!part->title)
		return;
	fprintf(out, "- %s: ", part->title);
	write_escaped(part->text, out);
	fputc('\n', out);
}

/* Lines that follow each other are a list, so that they stay lines. */
static void write_line(const struct out_part *part, FILE *out)
{
	if (!*part->text) {
		fputc('\n', out);
		return;
	}
	fputs("- ", out);
	write_escaped(part->text + strspn(part->text, " "), out);
	fputc('\n', out);
}

static void write_section(const struct out_part *section, unsigned level, FILE *out)
{
	if (section->title)
		write_heading(section->title, level, out);
	for (const struct out_part *i = section->first; i; i = i->next) {
		switch (i->kind) {
		case OUT_PART_SECTION:
			write_section(i, level + 1, out);
			break;
		case OUT_PART_FACT:
			write_fact(i, out);
			break;
		case OUT_PART_LINE:
			write_line(i, out);
			break;
		case OUT_PART_TABLE:
			write_table(i, level + 1, out);
			break;
		case OUT_PART_NUMBER:
		case OUT_PART_REAL:
		case OUT_PART_BOOL:
			break;
		}
	}
}

void out_doc_write_markdown(const struct out_doc *doc, FILE *out)
{
	enum { TOP = 2 };

	write_section(&doc->root, TOP, out);
}
