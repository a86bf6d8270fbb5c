/**
 * @file Virtual tables: the tables of a profile as SQLite reads them, without a copy.
 *
 * SQLite asks for the cells of the columns that a query uses, and for no others. Rows with a given
 * id are found by their number, rows with a given value of another column of integers by an index,
 * which is made when it is first used.
 */
#ifndef PD_SQL_VIRTUAL_TABLES_H
#define PD_SQL_VIRTUAL_TABLES_H

#include <sqlite3.h>

#include <pdconv/error.h>
#include <pdconv/vec.h>

#include "base/containers/sort.h"
#include "tables/tables.h"

/** Rows of a table in the order of a column. */
struct sql_index {
	const struct tab_column *column;
	/** Values with the sign bit flipped, so that they are in order as unsigned numbers. */
	PD_VEC(struct base_keyed) rows;
};

/** Source of the virtual tables of a database, and its indexes. Zero-initialise. */
struct sql_model {
	/** NULL: all tables are empty. Borrowed. */
	struct tab_source *source;
	PD_VEC(struct sql_index) indexes;
	/** The last error of a table that is not SQLite's own; owned, or NULL. */
	struct pd_error *err;
};

/**
 * Create the tables in the schema @p schema of @p db. @p model must stay where it is until @p db is
 * closed.
 */
struct pd_error *sql_create_virtual_tables(
	sqlite3 *db, struct sql_model *model, const char *schema) pd_must_check;

/** Return the error of a table in place of @p err, which is taken, and may be NULL. */
struct pd_error *sql_model_error(struct sql_model *model, struct pd_error *err) pd_must_check;

/** Let the tables read @p source, which is borrowed; NULL: they are empty. No statement is open. */
void sql_model_set_source(struct sql_model *model, struct tab_source *source);
void sql_model_deinit(struct sql_model *model);

#endif
