#include "output/table_file.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cancel.h"
#include "base/cleanup.h"
#include "base/format.h"
#include "base/json.h"
#include "base/memstream.h"
#include "parquet/parquet.h"

/* Rows whose values are taken a column at a time, before those of the next rows. */
enum { BLOCK_ROWS = 1024 };

/* Integers have a sign, addresses as well, so that they are the same numbers as in databases. */
static enum pq_type type_of(const struct out_table_file *w, const struct tab_column *column)
{
	static const enum pq_type types[] = { [TAB_INTEGER] = PQ_INT64,
		[TAB_REAL] = PQ_DOUBLE,
		[TAB_TEXT] = PQ_STRING,
		[TAB_BLOB] = PQ_BINARY };

	return column->is_wall_clock && !w->has_plain_times ? PQ_TIMESTAMP : types[column->type];
}

static struct pd_error *put_cell(struct pq_writer *writer, size_t i,
	const struct tab_column *column, const struct tab_cell *cell)
{
	if (cell->is_null)
		return pq_put_null(writer, i);
	if (column->type == TAB_INTEGER)
		return pq_put_int(writer, i, cell->integer);
	if (column->type == TAB_REAL)
		return pq_put_double(writer, i, cell->real);
	return pq_put_bytes(writer, i, cell->bytes, cell->len);
}

/* Append the values of column number @p i in the rows [@p from, @p end). */
static struct pd_error *put_column(
	const struct out_table_file *w, size_t i, size_t from, size_t end, struct pq_writer *writer)
{
	const struct tab_column *column = &w->table->columns[i];

	for (size_t row = from; row < end; row++) {
		struct tab_cell cell;
		struct pd_error *err = tab_get(w->source, w->table, column, row, &cell);

		if (!err)
			err = put_cell(writer, w->n_constants + i, column, &cell);
		if (err)
			return err;
	}
	return NULL;
}

/* Append a constant to @p n rows of column number @p i. */
static struct pd_error *put_constant(
	const struct out_constant *constant, size_t i, size_t n, struct pq_writer *writer)
{
	struct pd_error *err = NULL;

	for (size_t row = 0; row < n && !err; row++)
		err = constant->value
			      ? pq_put_bytes(writer, i, constant->value, strlen(constant->value))
			      : pq_put_null(writer, i);
	return err;
}

/* Append the rows [@p from, @p end). */
static struct pd_error *put_block(
	const struct out_table_file *w, size_t from, size_t end, struct pq_writer *writer)
{
	struct pd_error *err = NULL;

	for (size_t i = 0; i < w->n_constants && !err; i++)
		err = put_constant(&w->constants[i], i, end - from, writer);
	for (size_t i = 0; i < w->table->n_columns && !err; i++)
		err = put_column(w, i, from, end, writer);
	return err ? err : pq_writer_end_rows(writer, end - from);
}

static struct pd_error *put_rows(const struct out_table_file *w, struct pq_writer *writer)
{
	size_t n = tab_n_rows(w->source, w->table);

	for (size_t from = 0, end; from < n; from = end) {
		end = n - from > BLOCK_ROWS ? from + BLOCK_ROWS : n;
		if (base_is_cancelled())
			return base_cancel_error();
		/* Pages are dropped at certain numbers of rows, which blocks begin with. */
		tab_pass(w->source, w->table, from);
		struct pd_error *err = put_block(w, from, end, writer);
		if (err)
			return err;
	}
	return pq_writer_finish(writer);
}

/* Return the meanings and references of the columns as JSON, allocated; NULL: no memory. */
static char *describe_columns(const struct out_table_file *w)
{
	const struct tab_table *table = w->table;
	char *text = NULL;
	size_t len;
	FILE *out = base_memstream_open(&text, &len);

	if (!out)
		return NULL;
	struct base_json json = { .out = out };
	base_json_object(&json, NULL);
	for (size_t i = 0; i < w->n_constants; i++) {
		base_json_object(&json, w->constants[i].name);
		base_json_str(&json, "meaning", w->constants[i].help);
		base_json_end(&json, '}');
	}
	for (size_t i = 0; i < table->n_columns; i++) {
		const struct tab_column *column = &table->columns[i];

		base_json_object(&json, column->name);
		base_json_str(&json, "meaning", column->help);
		if (column->refers_to)
			base_json_str(&json, "refers_to", column->refers_to);
		base_json_end(&json, '}');
	}
	base_json_end(&json, '}');
	return base_memstream_close(out, &text) ? text : NULL;
}

static struct pd_error *write_columns(
	const struct out_table_file *w, const struct pq_column *columns, FILE *out)
{
	const struct tab_table *table = w->table;
	_cleanup_free_ char *version = base_format("%d", TAB_SCHEMA_VERSION);
	_cleanup_free_ char *meanings = describe_columns(w);
	const struct pq_note notes[] = { { "pdconv.schema_version", version },
		{ "pdconv.row", table->help }, { "pdconv.columns", meanings },
		{ OUT_TABLE_MARK, table->name } };
	const struct pq_opts opts = {
		.columns = columns,
		.n_columns = w->n_constants + table->n_columns,
		.notes = notes,
		.n_notes = PD_ARRAY_LEN(notes),
		.created_by = "pdconv version " PD_VERSION,
		.jobs = w->jobs,
	};
	struct pq_writer *writer;

	if (!version || !meanings)
		return &pd_enomem;
	struct pd_error *err = pq_writer_create(out, &opts, &writer);
	if (err)
		return err;
	err = put_rows(w, writer);
	pq_writer_destroy(writer);
	return err;
}

struct pd_error *out_table_file_write(void *file, FILE *out)
{
	const struct out_table_file *w = file;
	size_t n = 0;
	_cleanup_free_ struct pq_column *columns =
		base_calloc_n(w->n_constants + w->table->n_columns, sizeof(*columns));

	if (!columns)
		return &pd_enomem;
	for (size_t i = 0; i < w->n_constants; i++)
		columns[n++] = (struct pq_column){ w->constants[i].name, PQ_STRING, true };
	for (size_t i = 0; i < w->table->n_columns; i++) {
		const struct tab_column *column = &w->table->columns[i];

		columns[n++] =
			(struct pq_column){ column->name, type_of(w, column), column->may_be_null };
	}
	return write_columns(w, columns, out);
}
