#include "output/doc/doc.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/format.h"
#include "output/doc/doc_json.h"
#include "output/doc/doc_markdown.h"
#include "output/doc/doc_parts.h"
#include "output/doc/doc_text.h"

struct out_doc *out_doc_create(const char *kind)
{
	struct out_doc *doc = calloc(1, sizeof(*doc));

	if (!doc)
		return NULL;
	doc->root.kind = OUT_PART_SECTION;
	doc->root.key = kind;
	doc->current = &doc->root;
	return doc;
}

static void free_tables(struct out_part *part)
{
	pd_vec_deinit(&part->table.rows);
	pd_vec_deinit(&part->table.cells);
	for (struct out_part *i = part->first; i; i = i->next)
		free_tables(i);
}

void out_doc_destroy(struct out_doc *doc)
{
	if (!doc)
		return;
	free_tables(&doc->root);
	free_tables(&doc->lost);
	base_arena_deinit(&doc->arena);
	free(doc);
}

const char *out_doc_keep(struct out_doc *doc, const char *text)
{
	if (!text)
		return NULL;
	const char *copied = base_arena_strndup(&doc->arena, text, strlen(text));

	doc->is_failed |= !copied;
	return copied ? copied : "";
}

const char *out_doc_format(struct out_doc *doc, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	_cleanup_free_ char *text = base_vformat(fmt, args);
	va_end(args);
	doc->is_failed |= !text;
	return out_doc_keep(doc, text ? text : "");
}

/* Append a part to the current section. Never NULL: what finds no memory goes to doc->lost. */
static struct out_part *add(
	struct out_doc *doc, enum out_part_kind kind, const char *key, const char *title)
{
	struct out_part *part = base_arena_alloc(&doc->arena, sizeof(*part));
	struct out_part *section = doc->current;

	if (!part) {
		doc->is_failed = true;
		return &doc->lost;
	}
	*part = (struct out_part){
		.kind = kind,
		.key = out_doc_keep(doc, key),
		.title = out_doc_keep(doc, title),
		.parent = section,
	};
	if (section->last)
		section->last->next = part;
	else
		section->first = part;
	section->last = part;
	return part;
}

/* A section that finds no memory is left out, and its parts go to the section around it. */
static void begin(struct out_doc *doc, const char *key, const char *title, bool is_item)
{
	struct out_part *section = add(doc, OUT_PART_SECTION, key, title);

	section->is_item = is_item;
	if (section != &doc->lost)
		doc->current = section;
}

void out_doc_begin(struct out_doc *doc, const char *key, const char *title)
{
	begin(doc, key, title, false);
}

void out_doc_begin_item(struct out_doc *doc, const char *key, const char *title)
{
	begin(doc, key, title, true);
}

void out_doc_end(struct out_doc *doc)
{
	if (doc->current->parent)
		doc->current = doc->current->parent;
}

static void add_fact(struct out_doc *doc, const char *key, const char *label, const char *text,
	enum out_fact_fit fit)
{
	if (!text || !*text)
		return;
	struct out_part *part = add(doc, OUT_PART_FACT, key, label);
	part->text = out_doc_keep(doc, text);
	part->fit = fit;
}

void out_doc_fact(struct out_doc *doc, const char *key, const char *label, const char *text)
{
	add_fact(doc, key, label, text, OUT_FACT_WRAPPED);
}

void out_doc_fact_cut(struct out_doc *doc, const char *key, const char *label, const char *text)
{
	add_fact(doc, key, label, text, OUT_FACT_CUT);
}

void out_doc_fact_whole(struct out_doc *doc, const char *key, const char *label, const char *text)
{
	add_fact(doc, key, label, text, OUT_FACT_WHOLE);
}

void out_doc_number(struct out_doc *doc, const char *key, uint64_t number)
{
	add(doc, OUT_PART_NUMBER, key, NULL)->number = number;
}

void out_doc_real(struct out_doc *doc, const char *key, double number)
{
	add(doc, OUT_PART_REAL, key, NULL)->real = number;
}

void out_doc_bool(struct out_doc *doc, const char *key, bool value)
{
	add(doc, OUT_PART_BOOL, key, NULL)->number = value;
}

static void add_line(struct out_doc *doc, const char *key, const char *text, size_t len)
{
	const char *line = base_arena_strndup(&doc->arena, text, len);

	doc->is_failed |= !line;
	add(doc, OUT_PART_LINE, key, NULL)->text = line ? line : "";
}

void out_doc_lines(struct out_doc *doc, const char *key, const char *text)
{
	while (*text) {
		size_t len = strcspn(text, "\n");

		add_line(doc, key, text, len);
		text += text[len] ? len + 1 : len;
	}
}

void out_doc_line(struct out_doc *doc, const char *key, const char *text)
{
	add_line(doc, key, text, strlen(text));
}

struct out_table *out_doc_table(struct out_doc *doc, const char *key, const char *title,
	const struct out_column *columns, size_t n_columns)
{
	struct out_table *table = &add(doc, OUT_PART_TABLE, key, title)->table;
	struct out_column *copied = base_arena_alloc(&doc->arena, n_columns * sizeof(*columns));

	table->doc = doc;
	table->noun = "row";
	if (!copied) {
		doc->is_failed = true;
		return table;
	}
	memcpy(copied, columns, n_columns * sizeof(*columns));
	table->columns = copied;
	table->n_columns = n_columns;
	return table;
}

void out_table_set_noun(struct out_table *table, const char *singular)
{
	table->noun = singular;
}

void out_table_set_left_out(struct out_table *table, size_t n)
{
	table->n_left_out = n;
}

void out_table_set_summed_up(struct out_table *table, size_t n)
{
	table->n_summed_up = n;
}

void out_table_set_note(struct out_table *table, const char *note)
{
	table->note = out_doc_keep(table->doc, note);
}

void out_table_row(struct out_table *table, const struct out_row_place *place)
{
	const struct out_row row = {
		.place = place ? *place : (struct out_row_place){ 0 },
		.first_cell = table->cells.n,
	};

	table->doc->is_failed |= !pd_vec_push(&table->rows, row);
}

static void push(struct out_table *table, struct out_cell cell)
{
	table->doc->is_failed |= !pd_vec_push(&table->cells, cell);
}

void out_table_text(struct out_table *table, const char *text)
{
	push(table, (struct out_cell){ .text = out_doc_keep(table->doc, text) });
}

void out_table_function(
	struct out_table *table, const char *name, const char *binary, bool is_inlined)
{
	push(table, (struct out_cell){
			    .text = out_doc_keep(table->doc, name),
			    .binary = out_doc_keep(table->doc, binary),
			    .is_inlined = is_inlined,
		    });
}

void out_table_count(struct out_table *table, uint64_t count)
{
	push(table, (struct out_cell){ .count = count, .real = (double)count });
}

void out_table_real(struct out_table *table, double number)
{
	push(table, (struct out_cell){ .real = number });
}

void out_table_share(struct out_table *table, uint64_t part, uint64_t whole)
{
	out_table_real(table, whole ? 100.0 * (double)part / (double)whole : 0);
}

void out_table_empty(struct out_table *table)
{
	push(table, (struct out_cell){ .is_empty = true });
}

struct pd_error *out_doc_write(
	const struct out_doc *doc, const struct pd_text_opts *opts, FILE *out)
{
	if (doc->is_failed)
		return &pd_enomem;
	switch (opts->style) {
	case PD_STYLE_TEXT:
		out_doc_write_text(doc, opts, out);
		break;
	case PD_STYLE_MARKDOWN:
		out_doc_write_markdown(doc, out);
		break;
	case PD_STYLE_JSON:
		out_doc_write_json(doc, out);
		break;
	}
	return NULL;
}

/* Shares below this, in percent, would be written as 0.00. */
static const double least_share = 0.005;

bool out_is_text(enum out_cell_kind kind)
{
	return kind == OUT_CELL_TEXT || kind == OUT_CELL_CODE || kind == OUT_CELL_FUNCTION;
}

void out_cell_format(const struct out_column *column, const struct out_cell *cell, char *buf)
{
	*buf = '\0';
	if (cell->is_empty)
		return;
	switch (column->kind) {
	case OUT_CELL_TEXT:
	case OUT_CELL_CODE:
	case OUT_CELL_FUNCTION:
		break;
	case OUT_CELL_COUNT:
		snprintf(buf, OUT_CELL_SIZE, "%" PRIu64, cell->count);
		break;
	case OUT_CELL_AMOUNT:
		out_fit_amount(cell->count, column->unit, buf);
		break;
	case OUT_CELL_DIFFERENCE:
		out_fit_amount((uint64_t)llround(fabs(cell->real)), column->unit, buf + 1);
		*buf = cell->real < 0 ? '-' : '+';
		break;
	case OUT_CELL_SHARE:
		if (cell->real >= least_share)
			snprintf(buf, OUT_CELL_SIZE, "%6.2f %%", cell->real);
		break;
	case OUT_CELL_CHANGE:
		if (fabs(cell->real) >= least_share)
			snprintf(buf, OUT_CELL_SIZE, "%+.2f %%", cell->real);
		break;
	case OUT_CELL_RATIO:
		snprintf(buf, OUT_CELL_SIZE, "%.2f", cell->real);
		break;
	case OUT_CELL_ADDRESS:
		snprintf(buf, OUT_CELL_SIZE, "%" PRIx64, cell->count);
		break;
	}
}
