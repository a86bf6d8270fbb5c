#include "sql/schema.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/format.h"
#include "sql/view_defs.h"

const struct sql_view *sql_views(size_t *n_ret)
{
#define VIEW(name, help, query) { name, help, query },
	static const struct sql_view views[] = { SQL_VIEWS(VIEW) };
#undef VIEW

	*n_ret = PD_ARRAY_LEN(views);
	return views;
}

struct pd_error *sql_error(sqlite3 *db, const char *path)
{
	int code = sqlite3_errcode(db);

	if (code == SQLITE_NOMEM)
		return &pd_enomem;
	bool is_query = code == SQLITE_ERROR || code == SQLITE_AUTH;
	return pd_error_create(
		is_query ? PD_ERROR_FORMAT : PD_ERROR_OS, path, "sql: %s", sqlite3_errmsg(db));
}

struct pd_error *sql_run(sqlite3 *db, const char *statements)
{
	return sqlite3_exec(db, statements, NULL, NULL, NULL) == SQLITE_OK ? NULL
									   : sql_error(db, NULL);
}

void sql_write_columns(const struct tab_table *table, FILE *out)
{
	for (size_t i = 0; i < table->n_columns; i++) {
		const struct tab_column *column = &table->columns[i];

		fprintf(out, "%s%s %s", i ? ", " : "", column->name, tab_type_name(column->type));
		if (table->has_id && i == 0)
			fputs(" PRIMARY KEY", out);
		else if (!column->may_be_null)
			fputs(" NOT NULL", out);
		if (column->refers_to)
			fprintf(out, " REFERENCES %s", column->refers_to);
	}
}

struct pd_error *sql_create_views(sqlite3 *db)
{
	size_t n;
	const struct sql_view *views = sql_views(&n);

	for (size_t i = 0; i < n; i++) {
		_cleanup_free_ char *text =
			base_format("CREATE VIEW %s AS %s", views[i].name, views[i].query);

		if (!text)
			return &pd_enomem;
		struct pd_error *err = sql_run(db, text);
		if (err)
			return err;
	}
	return NULL;
}

/* A row of help. NULL: no column. */
static bool add_help(sqlite3_stmt *insert, const char *of, const char *column, const char *type,
	const char *text)
{
	const char *const texts[] = { of, column, type, text };

	for (int i = 0; i < (int)PD_ARRAY_LEN(texts); i++)
		sqlite3_bind_text(insert, i + 1, texts[i], -1, SQLITE_STATIC);
	bool ok = sqlite3_step(insert) == SQLITE_DONE;
	sqlite3_reset(insert);
	return ok;
}

static bool add_table_help(sqlite3_stmt *insert, const struct tab_table *table)
{
	bool ok = add_help(insert, table->name, NULL, "table", table->help);

	for (size_t i = 0; ok && i < table->n_columns; i++)
		ok = add_help(insert, table->name, table->columns[i].name,
			tab_type_name(table->columns[i].type), table->columns[i].help);
	return ok;
}

static bool fill_help(sqlite3_stmt *insert)
{
	size_t n_tables, n_views;
	const struct tab_table *const *tables = tab_tables(&n_tables);
	const struct sql_view *views = sql_views(&n_views);
	bool ok = true;

	for (size_t i = 0; ok && i < n_tables; i++)
		ok = add_table_help(insert, tables[i]);
	for (size_t i = 0; ok && i < n_views; i++)
		ok = add_help(insert, views[i].name, NULL, "view", views[i].help);
	return ok;
}

struct pd_error *sql_create_help(sqlite3 *db)
{
	sqlite3_stmt *insert = NULL;
	struct pd_error *err = sql_run(db,
		"CREATE TABLE help(name TEXT NOT NULL, column TEXT, type TEXT NOT NULL, meaning TEXT NOT NULL)");

	if (err)
		return err;
	bool ok = sqlite3_prepare_v2(db, "INSERT INTO help VALUES (?, ?, ?, ?)", -1, &insert,
			  NULL) == SQLITE_OK &&
		  fill_help(insert);
	err = ok ? NULL : sql_error(db, NULL);
	sqlite3_finalize(insert);
	return err;
}
