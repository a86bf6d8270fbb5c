/**
 * @file A call of a tool, and the document that answers it.
 *
 * An answer begins with what its numbers are of, and ends with the quality of the recording and
 * what was cut. If it is too long, the tool is asked again with fewer rows. All functions here are
 * for the files that answer calls.
 */
#ifndef PD_QUERY_CALL_H
#define PD_QUERY_CALL_H

#include <pdconv/error.h>

#include "output/doc/doc.h"
#include "query/selection.h"
#include "query/qry_session.h"
#include "query/tools.h"

struct qry_call {
	struct qry_session *session;
	const struct qry_tool_row *tool;
	const struct qry_args *args;
	/** The answer. */
	struct out_doc *doc;
	/** Rows of each table, at most. */
	size_t limit;
	/** The tool showed fewer rows than there are. */
	bool is_cut;
	/** Memory ran out for a line. */
	bool is_failed;
	/** The answer is about quality, so that it needs no further line on it. */
	bool has_quality;
	struct qry_selection selection;
	/** Recording of the answer, its ids and its samples; set by qry_call_begin(). */
	const struct qry_recording *recording;
	size_t index;
	const struct qry_numbering *numbering;
	struct qry_view *view;
	const struct profile *profile;
	const struct ana_symbols *symbols;
	/** Event that is counted. It refers to nothing if no event has samples. */
	struct prof_event_id event;
	/** Samples of the event, and the sum of their periods. */
	struct prof_value whole;
};

#define QRY_DECLARE_ANSWER(id, name, answer, ...) \
	struct pd_error *qry_answer_##answer(struct qry_call *call) pd_must_check;
QRY_TOOLS(QRY_DECLARE_ANSWER)
#undef QRY_DECLARE_ANSWER

/**
 * Load what the selection of @p call asks for, for @p format, and write the head of the answer.
 * @p critical_path as in struct qry_load. Errors: reading; USAGE, invalid arguments; NOTHING.
 */
struct pd_error *qry_call_begin(struct qry_call *call, const struct out_format *format,
	const char *critical_path) pd_must_check;

/** The argument @p param, or NULL. */
static inline const char *qry_call_arg(const struct qry_call *call, enum qry_param param)
{
	return call->args->values[param];
}

/** Return the id of a function, "f-12", or "-" if it has none. Lives as long as the document. */
const char *qry_call_function_id(const struct qry_call *call, uint32_t symbol);
/** Return the id of a thread, "t-3"; otherwise like qry_call_function_id(). */
const char *qry_call_thread_id(const struct qry_call *call, struct prof_thread_id thread);

/** Fill two cells: the id of the function @p symbol, and its name. PROF_NONE: none is known. */
void qry_call_add_function(const struct qry_call *call, struct out_table *table, uint32_t symbol);

/** Return the interval of a share of the samples, "11.0 to 14.8"; it lives as long as the doc. */
const char *qry_call_interval(const struct qry_call *call, uint64_t period);

/** Note that @p table shows @p limit of @p n rows at most. */
void qry_call_cut(struct qry_call *call, struct out_table *table, size_t n);

/**
 * Add one line of text, in JSON an element of @p key. Whatever names of the recording are in it,
 * it stays one line, which leaves out the middle of a long text. @p fmt as printf().
 */
void qry_call_line(struct qry_call *call, const char *key, const char *fmt, ...) pd_printf(3, 4);

/** Add a line of advice on what to ask next. */
#define qry_call_suggest(call, ...) qry_call_line((call), "next", "next: " __VA_ARGS__)

/**
 * Find the functions that the argument FUNCTION stands for: *@p ret has a flag for each symbol.
 * Allocated. *@p title_ret lives as long as the document. Errors: USAGE and NOTHING, with the
 * nearest names; NOMEM.
 */
struct pd_error *qry_call_functions(
	struct qry_call *call, bool **ret, const char **title_ret) pd_must_check;

/**
 * Answer a call: write its text to *@p ret, allocated. @p style: text, or JSON. An error is one of
 * the call, for the client to read. Errors: those of the tools.
 */
struct pd_error *qry_answer(struct qry_session *session, const struct qry_tool_row *tool,
	const struct qry_args *args, enum pd_style style, char **ret) pd_must_check;

#endif
