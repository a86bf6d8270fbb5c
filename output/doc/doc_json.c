#include "output/doc/doc_json.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/json.h"
#include "output/doc/doc_parts.h"

/* Skip parts without a key. */
static const struct out_part *find_keyed(const struct out_part *part)
{
	while (part && !part->key)
		part = part->next;
	return part;
}

/* Two elements of one array. @p other may be NULL. */
static bool are_together(const struct out_part *part, const struct out_part *other)
{
	return other && other->kind == part->kind && strcmp(other->key, part->key) == 0;
}

/* Write @p number without digits that mean nothing. */
static void write_rounded(struct base_json *json, const char *key, double number)
{
	base_json_double(json, key, round(number * 1e4) / 1e4);
}

static void write_function(struct base_json *json, const char *key, const struct out_cell *cell)
{
	base_json_object(json, key);
	base_json_str(json, "name", cell->text);
	base_json_str(json, "binary", *cell->binary ? cell->binary : NULL);
	base_json_bool(json, "inlined", cell->is_inlined);
	base_json_end(json, '}');
}

static void write_address(struct base_json *json, const char *key, uint64_t address)
{
	char text[32];

	snprintf(text, sizeof(text), "0x%" PRIx64, address);
	base_json_str(json, key, text);
}

static void write_cell(
	struct base_json *json, const struct out_column *column, const struct out_cell *cell)
{
	if (cell->is_empty) {
		base_json_str(json, column->key, NULL);
		return;
	}
	switch (column->kind) {
	case OUT_CELL_TEXT:
	case OUT_CELL_CODE:
		base_json_str(json, column->key, cell->text);
		break;
	case OUT_CELL_FUNCTION:
		write_function(json, column->key, cell);
		break;
	case OUT_CELL_COUNT:
	case OUT_CELL_AMOUNT:
		base_json_uint(json, column->key, cell->count);
		break;
	case OUT_CELL_DIFFERENCE:
		base_json_int(json, column->key, llround(cell->real));
		break;
	case OUT_CELL_SHARE:
	case OUT_CELL_CHANGE:
	case OUT_CELL_RATIO:
		write_rounded(json, column->key, cell->real);
		break;
	case OUT_CELL_ADDRESS:
		write_address(json, column->key, cell->count);
		break;
	}
}

/* Write row @p i and those below it. Returns the index of the next row of its depth or less. */
static size_t write_row(struct base_json *json, const struct out_table *table, size_t i)
{
	const struct out_row *row = &table->rows.data[i];
	bool has_children = false;

	base_json_object(json, NULL);
	for (size_t c = 0; c < table->n_columns; c++) {
		if (table->columns[c].key)
			write_cell(json, &table->columns[c], out_cell_at(table, row, c));
	}
	for (i++; i < table->rows.n && table->rows.data[i].place.depth > row->place.depth;) {
		if (table->rows.data[i].place.is_summary) {
			i++;
			continue;
		}
		if (!has_children)
			base_json_array(json, "children");
		has_children = true;
		i = write_row(json, table, i);
	}
	if (has_children)
		base_json_end(json, ']');
	base_json_end(json, '}');
	return i;
}

static void write_table(struct base_json *json, const struct out_part *part)
{
	const struct out_table *table = &part->table;

	base_json_object(json, part->key);
	base_json_array(json, "rows");
	for (size_t i = 0; i < table->rows.n;) {
		if (table->rows.data[i].place.is_summary)
			i++;
		else
			i = write_row(json, table, i);
	}
	base_json_end(json, ']');
	base_json_uint(json, "left_out", table->n_left_out + table->n_summed_up);
	base_json_end(json, '}');
}

static void write_part(struct base_json *json, const struct out_part *part, const char *key);

/* Write the parts of a section. Items and lines of one key that follow each other are an array. */
static void write_parts(struct base_json *json, const struct out_part *section)
{
	const struct out_part *before = NULL;

	for (const struct out_part *i = find_keyed(section->first); i;) {
		const struct out_part *next = find_keyed(i->next);
		bool is_element = i->is_item || i->kind == OUT_PART_LINE;

		if (is_element && !are_together(i, before))
			base_json_array(json, i->key);
		write_part(json, i, is_element ? NULL : i->key);
		if (is_element && !are_together(i, next))
			base_json_end(json, ']');
		before = i;
		i = next;
	}
}

static void write_part(struct base_json *json, const struct out_part *part, const char *key)
{
	switch (part->kind) {
	case OUT_PART_SECTION:
		base_json_object(json, key);
		write_parts(json, part);
		base_json_end(json, '}');
		break;
	case OUT_PART_FACT:
	case OUT_PART_LINE:
		base_json_str(json, key, part->text);
		break;
	case OUT_PART_NUMBER:
		base_json_uint(json, key, part->number);
		break;
	case OUT_PART_REAL:
		base_json_double(json, key, part->real);
		break;
	case OUT_PART_BOOL:
		base_json_bool(json, key, part->number);
		break;
	case OUT_PART_TABLE:
		write_table(json, part);
		break;
	}
}

void out_doc_write_json(const struct out_doc *doc, FILE *out)
{
	/** Version of the layout, raised when a program that reads it would have to change. */
	enum { VERSION = 1 };
	struct base_json json = { .out = out, .indent = 2 };

	base_json_object(&json, NULL);
	base_json_str(&json, "kind", doc->root.key);
	base_json_uint(&json, "version", VERSION);
	write_parts(&json, &doc->root);
	base_json_end(&json, '}');
	fputc('\n', out);
}
