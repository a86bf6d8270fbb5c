/* The tool sql: queries to the tables of a recording. */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "query/call.h"
#include "sql/sql_session.h"
#include "tables/tables.h"

/* Most bytes of a result: more than the largest answer has. */
enum { MAX_RESULT = 1 << 18 };

/* What takes memory for each sample or switch, and is read only for a query that needs it. */
enum { LARGE_NEEDS = TAB_NEEDS_ROWS | TAB_NEEDS_PHASES };

static struct pd_error *prepare_small(
	const struct out_write_opts *opts, struct prof_request *request)
{
	(void)opts;
	tab_request(tab_all_needs() & ~(unsigned)LARGE_NEEDS, request);
	return NULL;
}

static struct pd_error *prepare_all(const struct out_write_opts *opts, struct prof_request *request)
{
	(void)opts;
	tab_request(tab_all_needs(), request);
	return NULL;
}

/* Stand in for formats. */
static const struct out_format small_tables = { .name = "sql", .prepare = prepare_small };
static const struct out_format all_tables = { .name = "sql-all", .prepare = prepare_all };

/* Keep @p limit rows of a result, which ends where it was cut. */
static void cut_rows(struct qry_call *call, char *text)
{
	/* The first line has the names of the columns. */
	size_t n = call->limit + 1;
	char *end = text;

	while (n && (end = strchr(end, '\n'))) {
		end++;
		n--;
	}
	if (!end || !*end)
		return;
	*end = '\0';
	call->is_cut = true;
}

static struct pd_error *write_result(struct qry_call *call, struct sql_session *session,
	struct tab_source *source, const char *query)
{
	_cleanup_free_ char *text = calloc(1, MAX_RESULT);
	FILE *out = text ? fmemopen(text, MAX_RESULT, "w") : NULL;

	if (!out)
		return &pd_enomem;
	struct pd_error *err = sql_session_answer(session, source, query, SQL_TEXT, out);
	bool is_full = fclose(out) != 0;
	/* A line that has no end was cut with the result. */
	text[MAX_RESULT - 1] = '\0';
	if (err)
		return err;
	if (is_full)
		call->is_cut = true;
	cut_rows(call, text);
	out_doc_lines(call->doc, NULL, "");
	out_doc_lines(call->doc, "result", *text ? text : "no rows");
	return NULL;
}

/* Errors of SQLite are those of the question. */
static struct pd_error *as_usage(struct pd_error *err)
{
	if (err && err->code == PD_ERROR_FORMAT)
		err->code = PD_ERROR_USAGE;
	return err;
}

struct pd_error *qry_answer_sql(struct qry_call *call)
{
	_cleanup_(sql_session_cleanup) struct sql_session *session = NULL;
	const char *query = qry_call_arg(call, QRY_PARAM_STATEMENT);
	struct tab_source *source;
	unsigned needs;
	struct pd_error *err = sql_session_create(&session);

	if (err)
		return err;
	err = as_usage(sql_session_plan(session, query, &needs));
	if (!err)
		err = qry_call_begin(call, needs & LARGE_NEEDS ? &all_tables : &small_tables, NULL);
	if (!err)
		err = tab_source_create(call->profile, needs, &source);
	if (err)
		return err;
	err = as_usage(write_result(call, session, source, query));
	tab_source_destroy(source);
	if (!err)
		qry_call_suggest(call, "SELECT * FROM help has all tables, columns and views");
	return err;
}
