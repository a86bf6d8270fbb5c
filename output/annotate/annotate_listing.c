/* Instructions of an annotation, with the source lines between them. */
#include "output/annotate/annotate_listing.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "annotate/arrows.h"
#include "annotate/function_listing.h"
#include "annotate/functions.h"
#include "base/analyzer.h"
#include "base/array.h"
#include "base/cleanup.h"
#include "base/format.h"
#include "base/memstream.h"
#include "base/plural.h"
#include "base/text.h"
#include "output/annotate/annotate_lines.h"

/* Columns of instructions that only JSON has. */
enum { OUT_ANNOTATE_HIDDEN_COLUMNS = 6 };

struct writing {
	const struct out_annotation *annotation;
	const struct out_annotate_opts *opts;
	const struct prof_value *whole;
	struct out_table *table;
	struct ann_arrows arrows;
	/* Whether each row is shown. */
	bool *is_shown;
	struct pd_build_id id;
	/* Row before the current one, or NULL after a gap. */
	const struct ann_row *previous;
	/* Last heading of an inlined call, or NULL. */
	char *heading;
};

static const struct ann_row *row_at(const struct writing *w, size_t i)
{
	return &w->annotation->listing->rows.data[i];
}

/* Begin a row of text between instructions. */
static void add_text(struct writing *w, const char *text)
{
	static const struct out_row_place between = { .is_summary = true };

	out_table_row(w->table, &between);
	out_annotate_add_values(w->table, w->annotation->functions, NULL, w->whole);
	out_table_empty(w->table);
	for (size_t i = 0; i < OUT_ANNOTATE_HIDDEN_COLUMNS; i++)
		out_table_empty(w->table);
	out_table_text(w->table, text);
}

static bool is_same_text(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

/* Write "f > g (a.c:12) > h (b.c:3)": each inlined function with the location of its call. */
static char *describe_chain(const struct sym_names *names)
{
	char *text = NULL;
	size_t len;
	FILE *out = base_memstream_open(&text, &len);

	if (!out)
		return NULL;
	for (uint32_t i = names->n; i-- > 0;) {
		const struct sym_name *name = &names->names[i];
		const struct sym_name *caller = i + 1 < names->n ? &names->names[i + 1] : NULL;

		fprintf(out, "%s%s", caller ? " > " : "", name->function ? name->function : "?");
		if (caller && caller->file && caller->line)
			fprintf(out, " (%s:%" PRIu32 ")", base_file_name(caller->file),
				caller->line);
	}
	return base_memstream_close(out, &text) ? text : NULL;
}

/*
 * Heading of the code of an inlined call, "[inlined g > h, called at b.c:3]": short names,
 * outermost first, and the location of the innermost call. "[f]" for code of the function itself.
 * Allocated; NULL: no memory.
 */
static char *describe_heading(const struct sym_names *names)
{
	const struct sym_name *caller = names->n > 1 ? &names->names[1] : NULL;
	char *text = NULL;
	size_t len;
	FILE *out = base_memstream_open(&text, &len);

	PD_IS_TRUE(names->names || !names->n, "n names are at names->names");
	if (!out)
		return NULL;
	fputs(caller ? "[inlined " : "[", out);
	for (uint32_t i = caller ? names->n - 1 : names->n; i-- > 0;) {
		const char *function = names->names[i].function;
		_cleanup_free_ char *name = ann_short_name(function ? function : "?");

		if (!name)
			base_stream_fail(out);
		fprintf(out, "%s%s", name ? name : "?", i ? " > " : "");
	}
	if (caller && caller->file && caller->line)
		fprintf(out, ", called at %s:%" PRIu32, base_file_name(caller->file), caller->line);
	fputc(']', out);
	return base_memstream_close(out, &text) ? text : NULL;
}

/* Add the heading of @p row if it differs from the last one. */
static struct pd_error *add_heading(struct writing *w, const struct ann_row *row)
{
	/* The code of a function up to its first inlined call needs no heading. */
	if (row->names.n <= 1 && !w->heading)
		return NULL;
	_cleanup_free_ char *heading = describe_heading(&row->names);
	if (!heading)
		return &pd_enomem;
	if (is_same_text(w->heading, heading))
		return NULL;
	free(w->heading);
	w->heading = take_ptr(heading);
	add_text(w, w->heading);
	return NULL;
}

static bool is_same_line(const struct ann_row *a, const struct ann_row *b)
{
	return a && a->names.n && b->names.n && a->names.names[0].line == b->names.names[0].line &&
	       is_same_text(a->names.names[0].file, b->names.names[0].file);
}

/* Add the source line of @p row, if it is another one than that of the row before. */
static struct pd_error *add_source(struct writing *w, const struct ann_row *row)
{
	const struct sym_name *name = row->names.n ? &row->names.names[0] : NULL;
	const char *line;

	if (w->opts->no_source || !name || !name->file || !name->line ||
		is_same_line(w->previous, row))
		return NULL;
	struct pd_error *err =
		ann_sources_line(w->annotation->sources, name->file, &w->id, name->line, &line);
	if (err)
		return err;
	_cleanup_free_ char *source = ann_source_text(line ? line : "");
	if (!source)
		return &pd_enomem;
	_cleanup_free_ char *text = base_format("%s:%" PRIu32 "%s%s", base_file_name(name->file),
		name->line, *source ? "  " : "", source);
	if (!text)
		return &pd_enomem;
	add_text(w, text);
	return NULL;
}

/* Text of an instruction after its arrows. Allocated; NULL: no memory. */
static char *with_arrows(const struct writing *w, size_t i, const char *insn)
{
	if (w->opts->text.style != PD_STYLE_TEXT || !w->arrows.width)
		return strdup(insn);
	return base_format("%.*s%s", (int)w->arrows.width, ann_arrows_row(&w->arrows, i), insn);
}

static void add_text_or_empty(struct out_table *table, const char *text)
{
	if (text)
		out_table_text(table, text);
	else
		out_table_empty(table);
}

/* Fill the columns that only JSON has. */
static struct pd_error *add_hidden(struct writing *w, const struct ann_row *row)
{
	const struct sym_name *name = row->names.n ? &row->names.names[0] : NULL;
	_cleanup_free_ char *chain = describe_chain(&row->names);
	_cleanup_free_ char *insn =
		row->text ? ann_insn_text(w->annotation->listing, row, 0) : NULL;

	if (!chain || (row->text && !insn))
		return &pd_enomem;
	out_table_count(w->table, row->size);
	add_text_or_empty(w->table, name ? name->file : NULL);
	if (name && name->line)
		out_table_count(w->table, name->line);
	else
		out_table_empty(w->table);
	out_table_text(w->table, chain);
	if (row->branch)
		out_table_count(w->table, row->target);
	else
		out_table_empty(w->table);
	add_text_or_empty(w->table, insn);
	return NULL;
}

static struct pd_error *add_insn(struct writing *w, size_t i)
{
	enum { MNEMONIC_COLUMNS = 7 };
	const struct ann_row *row = row_at(w, i);
	_cleanup_free_ char *insn =
		row->text ? ann_insn_text(w->annotation->listing, row, MNEMONIC_COLUMNS)
			  : strdup("");
	_cleanup_free_ char *text = insn ? with_arrows(w, i, insn) : NULL;

	if (!text)
		return &pd_enomem;
	out_table_row(w->table, NULL);
	out_annotate_add_values(w->table, w->annotation->functions,
		ann_row_values(w->annotation->listing, row), w->whole);
	out_table_count(w->table, row->addr);
	struct pd_error *err = add_hidden(w, row);
	out_table_text(w->table, text);
	return err;
}

static struct pd_error *add_gap(struct writing *w, size_t n)
{
	_cleanup_free_ char *text =
		base_format("... %zu instruction%s without samples", n, base_plural(n));

	if (!text)
		return &pd_enomem;
	add_text(w, text);
	w->previous = NULL;
	return NULL;
}

static struct pd_error *add_row(struct writing *w, size_t i)
{
	const struct ann_row *row = row_at(w, i);
	struct pd_error *err = add_heading(w, row);

	if (!err)
		err = add_source(w, row);
	if (!err)
		err = add_insn(w, i);
	w->previous = row;
	return err;
}

static struct pd_error *add_rows(struct writing *w)
{
	size_t n = w->annotation->listing->rows.n, n_left_out = 0;

	for (size_t i = 0, end; i < n; i = end) {
		struct pd_error *err;

		for (end = i; end < n && !w->is_shown[end];)
			end++;
		n_left_out += end - i;
		err = end > i ? add_gap(w, end - i) : add_row(w, end++);
		if (err)
			return err;
	}
	out_table_set_noun(w->table, "instruction");
	out_table_set_left_out(w->table, n_left_out);
	return NULL;
}

static void create_table(struct writing *w, struct out_doc *doc)
{
	struct out_column columns[OUT_ANNOTATE_MAX_EVENTS * OUT_ANNOTATE_EVENT_COLUMNS + 2 +
				  OUT_ANNOTATE_HIDDEN_COLUMNS];
	const struct out_column more[] = {
		{ .key = "address", .title = "address", .kind = OUT_CELL_ADDRESS },
		{ .key = "size", .kind = OUT_CELL_COUNT },
		{ .key = "file", .kind = OUT_CELL_TEXT },
		{ .key = "line", .kind = OUT_CELL_COUNT },
		{ .key = "functions", .kind = OUT_CELL_TEXT },
		{ .key = "target", .kind = OUT_CELL_ADDRESS },
		{ .key = "text", .kind = OUT_CELL_TEXT },
		{ .title = "", .kind = OUT_CELL_CODE },
	};
	size_t n = out_annotate_value_columns(w->annotation->functions, columns);

	memcpy(columns + n, more, sizeof(more));
	w->table = out_doc_table(
		doc, "instructions", "Instructions", columns, n + sizeof(more) / sizeof(more[0]));
}

static struct pd_error *write_listing(struct writing *w, struct out_doc *doc)
{
	const struct ann_listing *listing = w->annotation->listing;
	struct pd_error *err = ann_arrows_create(listing, &w->arrows);

	if (err)
		return err;
	w->is_shown = base_calloc_n(listing->rows.n, sizeof(*w->is_shown));
	if (!w->is_shown)
		return &pd_enomem;
	if (w->opts->is_whole)
		memset(w->is_shown, true, listing->rows.n);
	else
		ann_excerpt(listing, w->is_shown);
	create_table(w, doc);
	return add_rows(w);
}

struct pd_error *out_annotate_add_listing(struct out_doc *doc, const struct out_annotation *a,
	const struct out_annotate_opts *opts, const struct prof_value *whole)
{
	struct writing w = {
		.annotation = a,
		.opts = opts,
		.whole = whole,
		.id = *ann_code_build_id(a->code),
	};
	struct pd_error *err = write_listing(&w, doc);

	ann_arrows_deinit(&w.arrows);
	free(w.heading);
	free(w.is_shown);
	return err;
}
