/**
 * @file Results of statements, written as text, CSV or JSON.
 */
#ifndef PD_SQL_RESULT_H
#define PD_SQL_RESULT_H

#include <sqlite3.h>
#include <stdio.h>

#include <pdconv/error.h>

#include "sql/sql_session.h"

/**
 * Run @p statement to its end, and write its rows to @p out until a write fails. Text takes its
 * widths from the first rows, so that results of any length need no memory. Errors: those of the
 * statement, NOMEM.
 */
struct pd_error *sql_result_write(
	sqlite3_stmt *statement, enum sql_style style, FILE *out) pd_must_check;

#endif
