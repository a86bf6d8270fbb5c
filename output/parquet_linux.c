/* The format parquet: a directory with one file for each table of tables/tables.h. */
#include <stdlib.h>

#include "base/array.h"
#include "base/cancel.h"
#include "base/cleanup.h"
#include "base/format.h"
#include "base/json.h"
#include "base/memstream.h"
#include "output/formats.h"
#include "parquet/parquet.h"
#include "sql/schema.h"
#include "tables/tables.h"

/* Key by which a file is known: the last note of the file, near its end. */
#define MARK "pdconv.table"

/* Rows whose values are taken a column at a time, before those of the next rows. */
enum { BLOCK_ROWS = 1024 };

/* A table that is written. */
struct writing {
	struct tab_source *source;
	const struct tab_table *table;
	/* Number of threads; 0: one for each processor. */
	size_t jobs;
};

static struct pd_error *prepare(const struct out_write_opts *opts, struct prof_request *request)
{
	(void)opts;
	tab_request(tab_all_needs(), request);
	return NULL;
}

/* Integers have a sign, addresses as well, so that they are the same numbers as in databases. */
static enum pq_type type_of(const struct tab_column *column)
{
	static const enum pq_type types[] = { [TAB_INTEGER] = PQ_INT64,
		[TAB_REAL] = PQ_DOUBLE,
		[TAB_TEXT] = PQ_STRING,
		[TAB_BLOB] = PQ_BINARY };

	return column->is_wall_clock ? PQ_TIMESTAMP : types[column->type];
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
	const struct writing *w, size_t i, size_t from, size_t end, struct pq_writer *writer)
{
	const struct tab_column *column = &w->table->columns[i];

	for (size_t row = from; row < end; row++) {
		struct tab_cell cell;
		struct pd_error *err = tab_get(w->source, w->table, column, row, &cell);

		if (!err)
			err = put_cell(writer, i, column, &cell);
		if (err)
			return err;
	}
	return NULL;
}

static struct pd_error *put_rows(const struct writing *w, struct pq_writer *writer)
{
	size_t n = tab_n_rows(w->source, w->table);

	for (size_t from = 0, end; from < n; from = end) {
		end = n - from > BLOCK_ROWS ? from + BLOCK_ROWS : n;
		if (base_is_cancelled())
			return base_cancel_error();
		/* Pages are dropped at certain numbers of rows, which blocks begin with. */
		tab_pass(w->source, w->table, from);
		for (size_t i = 0; i < w->table->n_columns; i++) {
			struct pd_error *err = put_column(w, i, from, end, writer);

			if (err)
				return err;
		}
		struct pd_error *err = pq_writer_end_rows(writer, end - from);
		if (err)
			return err;
	}
	return pq_writer_finish(writer);
}

/* Return the meanings and references of the columns as JSON, allocated; NULL: no memory. */
static char *describe_columns(const struct tab_table *table)
{
	char *text = NULL;
	size_t len;
	FILE *out = base_memstream_open(&text, &len);

	if (!out)
		return NULL;
	struct base_json json = { .out = out };
	base_json_object(&json, NULL);
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
	const struct writing *w, const struct pq_column *columns, FILE *out)
{
	const struct tab_table *table = w->table;
	_cleanup_free_ char *version = base_format("%d", TAB_SCHEMA_VERSION);
	_cleanup_free_ char *meanings = describe_columns(table);
	const struct pq_note notes[] = { { "pdconv.schema_version", version },
		{ "pdconv.row", table->help }, { "pdconv.columns", meanings },
		{ MARK, table->name } };
	const struct pq_opts opts = {
		.columns = columns,
		.n_columns = table->n_columns,
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

/* An out_write_file for a struct writing. */
static struct pd_error *write_table(void *what, FILE *out)
{
	const struct writing *w = what;
	_cleanup_free_ struct pq_column *columns =
		base_calloc_n(w->table->n_columns, sizeof(*columns));

	if (!columns)
		return &pd_enomem;
	for (size_t i = 0; i < w->table->n_columns; i++) {
		const struct tab_column *column = &w->table->columns[i];

		columns[i] =
			(struct pq_column){ column->name, type_of(column), column->may_be_null };
	}
	return write_columns(w, columns, out);
}

/* An out_write_file: statements by which DuckDB knows all tables and the views of databases. */
static struct pd_error *write_views(void *what, FILE *out)
{
	size_t n_tables, n_views;
	const struct tab_table *const *tables = tab_tables(&n_tables);
	const struct sql_view *views = sql_views(&n_views);

	(void)what;
	fputs("-- For DuckDB in this directory: duckdb -init views.sql\n", out);
	for (size_t i = 0; i < n_tables; i++)
		fprintf(out, "CREATE VIEW %s AS SELECT * FROM '%s.parquet';\n", tables[i]->name,
			tables[i]->name);
	for (size_t i = 0; i < n_views; i++)
		fprintf(out, "-- A row is %s.\nCREATE VIEW %s AS %s;\n", views[i].help,
			views[i].name, views[i].query);
	fprintf(out, "-- " MARK " version %d\n", TAB_SCHEMA_VERSION);
	return NULL;
}

static struct pd_error *write_parquet(const struct profile *profile,
	const struct out_write_opts *opts, const struct out_directory *to)
{
	size_t n;
	const struct tab_table *const *tables = tab_tables(&n);
	struct writing w = { .jobs = opts->jobs };
	struct pd_error *err = tab_source_create(profile, tab_all_needs(), &w.source);

	for (size_t i = 0; i < n && !err; i++) {
		_cleanup_free_ char *name = base_format("%s.parquet", tables[i]->name);

		w.table = tables[i];
		err = name ? to->add(to->ctx, name, write_table, &w) : &pd_enomem;
	}
	tab_source_destroy(w.source);
	return err ? err : to->add(to->ctx, "views.sql", write_views, NULL);
}

const struct out_format out_format_parquet = {
	.name = "parquet",
	.suffix = ".parquet",
	.is_binary = true,
	.takes_one = true,
	.help = "directory of Parquet files, one for each table",
	.prepare = prepare,
	.write_directory = write_parquet,
	.mark = MARK,
};
