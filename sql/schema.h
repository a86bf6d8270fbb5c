/**
 * @file The schema of databases: statements that create the tables of tables/tables.h, the views,
 * and the table `help`, which describes both.
 */
#ifndef PD_SQL_SCHEMA_H
#define PD_SQL_SCHEMA_H

#include <sqlite3.h>
#include <stddef.h>
#include <stdio.h>

#include <pdconv/error.h>

#include "tables/tables.h"

struct sql_view {
	const char *name;
	const char *help;
	const char *query;
};

/** Return the table of views, *@p n_ret entries. Static storage. */
const struct sql_view *sql_views(size_t *n_ret);

/** Create the error of SQLite's @p db, about @p path or NULL. */
struct pd_error *sql_error(sqlite3 *db, const char *path) pd_must_check;

/** Run statements that have no result. Errors: NOMEM, OS, FORMAT. */
struct pd_error *sql_run(sqlite3 *db, const char *statements) pd_must_check;

/** Write the columns of @p table, as CREATE TABLE takes them: "id INTEGER PRIMARY KEY, ...". */
void sql_write_columns(const struct tab_table *table, FILE *out);

/** Create all views. */
struct pd_error *sql_create_views(sqlite3 *db) pd_must_check;

/** Create and fill the table `help`. */
struct pd_error *sql_create_help(sqlite3 *db) pd_must_check;

#endif
