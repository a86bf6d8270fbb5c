#include "sql/sql_session.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "sql/sql_result.h"
#include "sql/schema.h"
#include "sql/virtual_tables.h"

struct sql_session {
	sqlite3 *db;
	struct sql_model model;
	/* Needs of the columns that were read since it was set to 0. */
	unsigned needs;
};

/* Add what a column of a table needs. SQLite names no column if a query only counts rows. */
static void add_needs(struct sql_session *session, const char *name, const char *column)
{
	const struct tab_table *table = tab_find(name);

	if (!table)
		return;
	session->needs |= table->needs;
	for (size_t i = 0; i < table->n_columns; i++) {
		if (strcmp(table->columns[i].name, column) == 0)
			session->needs |= table->columns[i].needs;
	}
}

/* Called for each table, function and action of a statement that SQLite compiles. */
static int authorize(void *ctx, int action, const char *first, const char *second,
	const char *database, const char *view)
{
	struct sql_session *session = ctx;

	(void)database;
	(void)view;
	switch (action) {
	case SQLITE_READ:
		add_needs(session, first, second ? second : "");
		return SQLITE_OK;
	case SQLITE_FUNCTION:
		return strcmp(second, "load_extension") == 0 ? SQLITE_DENY : SQLITE_OK;
	case SQLITE_SELECT:
	case SQLITE_RECURSIVE:
		return SQLITE_OK;
	default:
		return SQLITE_DENY;
	}
}

static struct pd_error *set_up(struct sql_session *session)
{
	if (sqlite3_open_v2(":memory:", &session->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX,
		    NULL) != SQLITE_OK)
		return session->db ? sql_error(session->db, NULL) : &pd_enomem;
	struct pd_error *err = sql_create_virtual_tables(session->db, &session->model, "main");
	if (!err)
		err = sql_create_views(session->db);
	if (!err)
		err = sql_create_help(session->db);
	if (!err)
		sqlite3_set_authorizer(session->db, authorize, session);
	return err;
}

struct pd_error *sql_session_create(struct sql_session **ret)
{
	struct sql_session *session = calloc(1, sizeof(*session));

	if (!session)
		return &pd_enomem;
	struct pd_error *err = set_up(session);
	if (err) {
		sql_session_destroy(session);
		return err;
	}
	*ret = session;
	return NULL;
}

void sql_session_destroy(struct sql_session *session)
{
	if (!session)
		return;
	sqlite3_close(session->db);
	sql_model_deinit(&session->model);
	free(session);
}

static struct pd_error *not_only_reading(void)
{
	return pd_error_create(PD_ERROR_FORMAT, NULL, "sql: only statements that read are allowed");
}

/* Compile the statement at *@p query, and go on to the next. *ret is NULL after the last one. */
static struct pd_error *compile(struct sql_session *session, const char **query, sqlite3_stmt **ret)
{
	*ret = NULL;
	while (**query && !*ret) {
		if (sqlite3_prepare_v2(session->db, *query, -1, ret, query) != SQLITE_OK)
			return sqlite3_errcode(session->db) == SQLITE_AUTH
				       ? not_only_reading()
				       : sql_error(session->db, NULL);
	}
	return NULL;
}

struct pd_error *sql_session_plan(
	struct sql_session *session, const char *query, unsigned *needs_ret)
{
	sqlite3_stmt *statement;

	session->needs = 0;
	for (;;) {
		struct pd_error *err = compile(session, &query, &statement);

		if (err)
			return err;
		if (!statement)
			break;
		bool only_reads = sqlite3_stmt_readonly(statement);
		sqlite3_finalize(statement);
		if (!only_reads)
			return not_only_reading();
	}
	*needs_ret = session->needs;
	return NULL;
}

struct pd_error *sql_session_answer(struct sql_session *session, struct tab_source *source,
	const char *query, enum sql_style style, FILE *out)
{
	sqlite3_stmt *statement;
	struct pd_error *err;
	bool is_first = true;

	sql_model_set_source(&session->model, source);
	while (!(err = compile(session, &query, &statement)) && statement) {
		if (!is_first && style != SQL_JSON)
			fputs(style == SQL_CSV ? "\r\n" : "\n", out);
		is_first = false;
		err = sql_result_write(statement, style, out);
		sqlite3_finalize(statement);
		if (err)
			break;
	}
	sql_model_set_source(&session->model, NULL);
	return sql_model_error(&session->model, err);
}

/* The schema as a document. */

static void write_table(const struct tab_table *table, FILE *out)
{
	fprintf(out, "\n## %s\n\nA row is %s.\n\n| column | type | meaning |\n|-|-|-|\n",
		table->name, table->help);
	for (size_t i = 0; i < table->n_columns; i++) {
		const struct tab_column *column = &table->columns[i];

		fprintf(out, "| `%s` | %s%s", column->name, tab_type_name(column->type),
			column->may_be_null ? " or NULL" : "");
		if (column->refers_to)
			fprintf(out, ", id in `%s`", column->refers_to);
		fprintf(out, " | %s |\n", column->help);
	}
}

void sql_write_schema(FILE *out)
{
	size_t n_tables, n_views;
	const struct tab_table *const *tables = tab_tables(&n_tables);
	const struct sql_view *views = sql_views(&n_views);

	fprintf(out,
		"# Tables of a recording\n\nVersion %d, which is `schema_version` in the table "
		"`recording`. The formats `sqlite` and `parquet` write these tables to files,\nand `pdconv sql` "
		"asks them.\n\nTimes are in ns. Numbers of rows, `id`, begin with 0. Addresses are "
		"numbers of 64 bits with a sign, so those\nof the kernel are negative: "
		"`printf('%%x', address)` shows them. Text is UTF-8. A byte of a name that is "
		"not\nUTF-8, or is 0, is the character U+10FE00 plus the byte.\n",
		TAB_SCHEMA_VERSION);
	for (size_t i = 0; i < n_tables; i++)
		write_table(tables[i], out);
	fputs("\n## Views\n\n| view | a row is |\n|-|-|\n", out);
	for (size_t i = 0; i < n_views; i++)
		fprintf(out, "| `%s` | %s |\n", views[i].name, views[i].help);
}
