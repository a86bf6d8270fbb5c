/* The format parquet: a directory with one file for each table of tables/tables.h. */
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/format.h"
#include "output/formats.h"
#include "output/table_file.h"
#include "sql/schema.h"
#include "tables/tables.h"

static struct pd_error *prepare(const struct out_write_opts *opts, struct prof_request *request)
{
	(void)opts;
	tab_request(tab_all_needs(), request);
	return NULL;
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
	fprintf(out, "-- " OUT_TABLE_MARK " version %d\n", TAB_SCHEMA_VERSION);
	return NULL;
}

static struct pd_error *write_parquet(const struct profile *profile,
	const struct out_write_opts *opts, const struct out_directory *to)
{
	size_t n;
	const struct tab_table *const *tables = tab_tables(&n);
	struct out_table_file w = { .jobs = opts->jobs };
	struct pd_error *err = tab_source_create(profile, tab_all_needs(), &w.source);

	for (size_t i = 0; i < n && !err; i++) {
		_cleanup_free_ char *name = base_format("%s.parquet", tables[i]->name);

		w.table = tables[i];
		err = name ? to->add(to->ctx, name, out_table_file_write, &w) : &pd_enomem;
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
	.mark = OUT_TABLE_MARK,
};
