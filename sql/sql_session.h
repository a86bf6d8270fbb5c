/**
 * @file Sessions: queries to the tables of one profile.
 *
 *     err = sql_session_create(&session);
 *     err = sql_session_plan(session, query, &needs);      what the profile has to have
 *     err = sql_session_answer(session, source, query, style, out);
 *
 * Queries only read: statements that write, attach files, or change settings are refused. Large
 * sorts use temporary files. A session is used by one thread.
 */
#ifndef PD_SQL_SESSION_H
#define PD_SQL_SESSION_H

#include <stdio.h>

#include <pdconv/error.h>

#include "tables/tables.h"

/** How results are written. */
enum sql_style {
	/** Columns for people. Bytes that are not printable are escaped. */
	SQL_TEXT,
	/** RFC 4180, with a line of names. NULL is empty, blobs are hexadecimal. */
	SQL_CSV,
	/** An array of objects for each statement. Blobs are hexadecimal. */
	SQL_JSON,
};

struct sql_session;

/** Create a session without a profile. Destroy it with sql_session_destroy(). Errors: NOMEM. */
struct pd_error *sql_session_create(struct sql_session **ret) pd_must_check;
void sql_session_destroy(struct sql_session *session);
/** For scope guards. */
static inline void sql_session_cleanup(struct sql_session **session)
{
	sql_session_destroy(*session);
}

/**
 * Check the statements in @p query, and find out what their tables need: bits of enum tab_need.
 * Errors: FORMAT, SQLite does not understand them, or they do more than read; NOMEM.
 */
struct pd_error *sql_session_plan(
	struct sql_session *session, const char *query, unsigned *needs_ret) pd_must_check;

/**
 * Write the results of the statements in @p query to @p out. @p source is borrowed for the call.
 * The caller checks @p out for write errors. Errors: like sql_session_plan(), and OS, a temporary
 * file cannot be written.
 */
struct pd_error *sql_session_answer(struct sql_session *session, struct tab_source *source,
	const char *query, enum sql_style style, FILE *out) pd_must_check;

/** Write all tables and views with their columns and meanings: a document in Markdown. */
void sql_write_schema(FILE *out);

#endif
