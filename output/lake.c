#include "output/lake.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/format.h"
#include "base/names/nearest.h"
#include "output/lake_view_defs.h"
#include "output/table_file.h"

/* Tables of each lake: enough for questions about functions, stacks, builds, hosts and quality. */
static const char *const DEFAULT_TABLES[] = { "recording", "losses", "quality", "events",
	"binaries", "functions", "function_totals", "wait_functions", "folded" };

static const struct tab_table *find_table(const char *name)
{
	return strcmp(name, tab_folded.name) == 0 ? &tab_folded : tab_find(name);
}

static struct pd_error *unknown_table(const char *name)
{
	size_t n;
	const struct tab_table *const *tables = tab_tables(&n);
	struct base_nearest nearest;

	base_nearest_init(&nearest, name, strlen(name));
	for (size_t i = 0; i < n; i++)
		base_nearest_try(&nearest, tables[i]->name);
	if (nearest.name)
		return pd_error_create(PD_ERROR_USAGE, NULL,
			"unknown table '%s': did you mean '%s'?", name, nearest.name);
	return pd_error_create(PD_ERROR_USAGE, NULL, "unknown table '%s'", name);
}

/* Add a table, unless the lake has it. */
static struct pd_error *add_table(struct out_lake *lake, const struct tab_table *table)
{
	for (size_t i = 0; i < lake->tables.n; i++) {
		if (lake->tables.data[i] == table)
			return NULL;
	}
	lake->needs |= table->needs;
	for (size_t i = 0; i < table->n_columns; i++)
		lake->needs |= table->columns[i].needs;
	return pd_vec_push(&lake->tables, table) ? NULL : &pd_enomem;
}

static struct pd_error *add_all(struct out_lake *lake)
{
	size_t n;
	const struct tab_table *const *tables = tab_tables(&n);
	struct pd_error *err = NULL;

	for (size_t i = 0; i < n && !err; i++)
		err = add_table(lake, tables[i]);
	return err;
}

static struct pd_error *add_name(struct out_lake *lake, const char *name)
{
	if (strcmp(name, "all") == 0)
		return add_all(lake);
	const struct tab_table *table = find_table(name);
	return table ? add_table(lake, table) : unknown_table(name);
}

struct pd_error *out_lake_init(struct out_lake *lake, const char *const *names, size_t n)
{
	struct pd_error *err = NULL;

	for (size_t i = 0; i < PD_ARRAY_LEN(DEFAULT_TABLES) && !err; i++)
		err = add_name(lake, DEFAULT_TABLES[i]);
	for (size_t i = 0; i < n && !err; i++)
		err = add_name(lake, names[i]);
	return err;
}

void out_lake_deinit(struct out_lake *lake)
{
	pd_vec_deinit(&lake->tables);
}

static const struct tab_column *find_column(const struct tab_table *table, const char *name)
{
	for (size_t i = 0; i < table->n_columns; i++) {
		if (strcmp(table->columns[i].name, name) == 0)
			return &table->columns[i];
	}
	return NULL;
}

bool out_lake_has_column(const struct out_lake *lake, const char *name)
{
	bool ret = strcmp(name, "recording") == 0 || strcmp(name, "host") == 0;

	for (size_t i = 0; i < lake->tables.n; i++)
		ret |= find_column(lake->tables.data[i], name) != NULL;
	return ret;
}

/* Copy the name of the machine. *ret is allocated, or NULL if the recording has none. */
static struct pd_error *copy_host(struct tab_source *source, char **ret)
{
	const struct tab_table *table = tab_find("recording");
	struct tab_cell cell;
	struct pd_error *err = tab_get(source, table, find_column(table, "host"), 0, &cell);

	*ret = NULL;
	if (err || cell.is_null)
		return err;
	*ret = strndup(cell.bytes, cell.len);
	return *ret ? NULL : &pd_enomem;
}

static struct pd_error *write_tables(
	const struct out_lake *lake, struct out_table_file *file, const struct out_directory *to)
{
	size_t n = file->n_constants;
	struct pd_error *err = NULL;

	for (size_t i = 0; i < lake->tables.n && !err; i++) {
		const struct tab_table *table = lake->tables.data[i];
		_cleanup_free_ char *name = base_format("%s.parquet", table->name);

		file->table = table;
		/* The host is the last constant. */
		file->n_constants = find_column(table, "host") ? n - 1 : n;
		err = name ? to->add(to->ctx, name, out_table_file_write, file) : &pd_enomem;
	}
	return err;
}

struct pd_error *out_lake_write(const struct out_lake *lake, const struct profile *profile,
	const char *recording, size_t jobs, const struct out_directory *to)
{
	_cleanup_free_ char *host = NULL;
	struct tab_source *source;
	struct pd_error *err = tab_source_create(profile, lake->needs, &source);

	if (err)
		return err;
	err = copy_host(source, &host);
	const struct out_constant constants[] = {
		{ "recording", "id of the recording", recording },
		{ "host", "name of the machine", host },
	};
	struct out_table_file file = { .source = source,
		.constants = constants,
		.n_constants = PD_ARRAY_LEN(constants),
		.has_plain_times = true,
		.jobs = jobs };
	if (!err)
		err = write_tables(lake, &file, to);
	tab_source_destroy(source);
	return err;
}

struct pd_error *out_lake_write_views(void *lake, FILE *out)
{
	static const struct {
		const char *name, *help, *query;
	} views[] = {
#define VIEW(name, help, query) { name, help, query },
		OUT_LAKE_VIEWS(VIEW)
#undef VIEW
	};
	const struct out_lake *l = lake;

	fputs("-- For DuckDB in this directory: duckdb -init views.sql\n", out);
	for (size_t i = 0; i < l->tables.n; i++) {
		const char *name = l->tables.data[i]->name;

		fprintf(out,
			"CREATE VIEW %s AS SELECT * FROM read_parquet('%s/**/*.parquet', "
			"hive_partitioning = true);\n",
			name, name);
	}
	for (size_t i = 0; i < PD_ARRAY_LEN(views); i++)
		fprintf(out, "-- A row is %s.\nCREATE VIEW %s AS %s;\n", views[i].help,
			views[i].name, views[i].query);
	return NULL;
}
