/* Tools about threads that wait: waits, wakers, critical_path. */
#include <inttypes.h>
#include <stdlib.h>

#include "analyze/waits/path_table.h"
#include "analyze/waits/waits.h"
#include "analyze/waits/wakers.h"
#include "base/array.h"
#include "base/cleanup.h"
#include "output/ledger_text.h"
#include "output/report/report_cells.h"
#include "query/call.h"
#include "query/thread_table.h"

static struct pd_error *not_recorded(const char *what, const char *question)
{
	return pd_error_create(PD_ERROR_NOTHING, NULL,
		"the recording does not say %s: ask why_not, question=%s", what, question);
}

/* waits */

static void add_wait(const struct qry_call *call, struct out_table *table,
	const struct ana_waits *waits, const struct ana_wait *wait)
{
	out_table_row(table, NULL);
	out_table_share(table, wait->amount, waits->amount);
	if (waits->has_times)
		out_table_count(table, wait->amount);
	else
		out_table_empty(table);
	out_table_count(table, wait->n);
	out_report_add_number(table, wait->delay);
	out_table_text(table, ana_wait_kind_name(wait->kind));
	qry_call_add_function(call, table, wait->place);
}

static void add_places(struct qry_call *call, const struct ana_waits *waits)
{
	static const struct out_column columns[] = {
		{ .key = "percent", .title = "of waits", .kind = OUT_CELL_SHARE },
		OUT_TIME_COLUMN("waiting"),
		{ .key = "waits", .title = "waits", .kind = OUT_CELL_COUNT },
		OUT_TIME_COLUMN("delay"),
		{ .key = "for", .title = "for", .kind = OUT_CELL_TEXT },
		{ .key = "id", .title = "id", .kind = OUT_CELL_TEXT },
		{ .key = "function", .title = "", .kind = OUT_CELL_FUNCTION },
	};
	struct out_table *table = out_doc_table(
		call->doc, "waits", "waits in function", columns, PD_ARRAY_LEN(columns));

	size_t n = 0;

	for (size_t i = 0; i < waits->list.n; i++) {
		/* Waits whose ends were not recorded have no length. */
		if (waits->list.data[i].amount && n++ < call->limit)
			add_wait(call, table, waits, &waits->list.data[i]);
	}
	out_table_set_noun(table, "function");
	qry_call_cut(call, table, n);
}

static struct pd_error *add_waits(struct qry_call *call)
{
	struct ana_waits waits;
	struct pd_error *err = ana_waits_count(call->profile, call->symbols, &waits);

	if (err)
		return err;
	const char *unit = waits.has_times ? "time off the CPU" : "number of waits";
	qry_call_line(call, "unit",
		"of waits: share of the %s, which is counted, not sampled; delay: part of it in which "
		"no CPU was free",
		unit);
	add_places(call, &waits);
	ana_waits_deinit(&waits);
	return NULL;
}

struct pd_error *qry_answer_waits(struct qry_call *call)
{
	struct pd_error *err = qry_call_begin(call, &qry_format_ledger, NULL);

	if (err)
		return err;
	if (!prof_is_none(ana_wait_event(call->profile)))
		err = add_waits(call);
	else if (!call->profile->ledger_threads.n)
		return not_recorded("where threads wait", "waits");
	/* Without stacks of waits, only how long each thread waited is known. */
	return err ? err : qry_add_threads(call, PROF_LEDGER_BLOCKED);
}

/* wakers */

static void add_waker(const struct qry_call *call, struct out_table *table,
	const struct ana_wakers *wakers, const struct ana_waker *waker)
{
	static const char *const others[] = {
		[PROF_WOKEN_UNKNOWN] = OUT_LEDGER_NOT_RECORDED,
		[PROF_WOKEN_BY_INTERRUPT] = OUT_LEDGER_INTERRUPT,
	};
	bool is_known = waker->woken_by == PROF_WOKEN_BY_SAMPLE;

	out_table_row(table, NULL);
	out_table_share(table, waker->ns, wakers->ns);
	out_table_count(table, waker->ns);
	out_table_count(table, waker->n);
	out_table_text(table, ana_wait_kind_name(waker->kind));
	out_table_text(table, qry_call_function_id(call, waker->place));
	out_report_add_function(table, call->symbols, waker->place);
	out_table_text(table,
		is_known ? prof_string(call->profile, waker->comm) : others[waker->woken_by]);
	if (is_known)
		qry_call_add_function(call, table, waker->waker_place);
}

static void add_waker_functions(struct qry_call *call, const struct ana_wakers *wakers)
{
	static const struct out_column columns[] = {
		{ .key = "percent", .title = "of waits", .kind = OUT_CELL_SHARE },
		OUT_TIME_COLUMN("waiting"),
		{ .key = "waits", .title = "waits", .kind = OUT_CELL_COUNT },
		{ .key = "for", .title = "for", .kind = OUT_CELL_TEXT },
		{ .key = "id", .title = "id", .kind = OUT_CELL_TEXT },
		{ .key = "function", .title = "waits in", .kind = OUT_CELL_FUNCTION },
		{ .key = "waker", .title = "woken by thread", .kind = OUT_CELL_TEXT },
		{ .key = "waker_id", .title = "id", .kind = OUT_CELL_TEXT },
		{ .key = "waker_function", .title = "", .kind = OUT_CELL_FUNCTION },
	};
	struct out_table *table =
		out_doc_table(call->doc, "wakers", "in function", columns, PD_ARRAY_LEN(columns));

	for (size_t i = 0; i < wakers->list.n && i < call->limit; i++)
		add_waker(call, table, wakers, &wakers->list.data[i]);
	out_table_set_noun(table, "pair");
	qry_call_cut(call, table, wakers->list.n);
}

/* Threads that woke threads, whose functions are not known. */
static struct pd_error *add_waker_threads(struct qry_call *call)
{
	static const struct out_column columns[] = {
		OUT_TIME_COLUMN("blocked"),
		{ .key = "waits", .title = "waits", .kind = OUT_CELL_COUNT },
		{ .key = "id", .title = "id", .kind = OUT_CELL_TEXT },
		{ .key = "thread", .title = "thread", .kind = OUT_CELL_TEXT },
		{ .key = "waker_id", .title = "id", .kind = OUT_CELL_TEXT },
		{ .key = "waker", .title = "woken by", .kind = OUT_CELL_TEXT },
	};
	const struct profile *profile = call->profile;
	_cleanup_free_ const struct prof_ledger_waker **list = out_ledger_sort_wakers(profile);
	size_t n = profile->ledger_wakers.n;

	if (!list)
		return &pd_enomem;
	struct out_table *table =
		out_doc_table(call->doc, "threads", "", columns, PD_ARRAY_LEN(columns));
	for (size_t i = 0; i < n && i < call->limit; i++) {
		const struct prof_ledger_waker *row = list[i];
		bool is_thread = !prof_is_none(row->waker);

		out_table_row(table, NULL);
		out_table_count(table, row->ns);
		out_table_count(table, row->n);
		out_table_text(table, qry_call_thread_id(call, row->waiter));
		out_table_text(
			table, prof_string(profile, prof_thread(profile, row->waiter)->comm));
		out_table_text(table, qry_call_thread_id(call, row->waker));
		out_table_text(table,
			is_thread ? prof_string(profile, prof_thread(profile, row->waker)->comm)
				  : OUT_LEDGER_INTERRUPT);
	}
	out_table_set_noun(table, "pair");
	qry_call_cut(call, table, n);
	return NULL;
}

struct pd_error *qry_answer_wakers(struct qry_call *call)
{
	struct ana_wakers wakers = { 0 };
	struct pd_error *err = qry_call_begin(call, &qry_format_ledger, NULL);

	if (!err)
		err = ana_wakers_count(call->profile, call->symbols, &wakers);
	if (!err && wakers.list.n)
		add_waker_functions(call, &wakers);
	else if (!err && !call->profile->ledger_wakers.n)
		err = not_recorded("what ended the waits of threads", "wakers");
	ana_wakers_deinit(&wakers);
	return err ? err : add_waker_threads(call);
}

/* critical_path */

static struct pd_error *no_path(void)
{
	return not_recorded("what that thread had to wait for", "critical_path");
}

static struct pd_error *prepare_path(
	const struct out_write_opts *opts, struct prof_request *request)
{
	request->waits = true;
	request->pattern_names = true;
	request->ledger = true;
	request->ledger_if_known = true;
	request->rows = true;
	request->critical_path = opts->format.report.critical_path;
	request->path_if_known = true;
	return NULL;
}

static const struct out_format format_path = { .name = "critical_path", .prepare = prepare_path };

static void add_step(const struct qry_call *call, struct out_table *table,
	const struct ana_path_row *row, uint64_t whole)
{
	bool is_wait = row->state == PROF_LEDGER_BLOCKED && row->has_stack;
	bool has_function = row->symbol != PROF_NONE || row->has_stack;

	out_table_row(table, NULL);
	out_table_share(table, row->ns, whole);
	out_table_count(table, row->ns);
	out_table_count(table, row->n);
	out_table_text(table, out_ledger_states[row->state]);
	out_table_text(table, is_wait ? ana_wait_kind_name(row->kind) : "");
	out_table_text(table,
		out_ledger_instead(row->instead_kind,
			prof_is_none(row->instead) ? ""
						   : prof_string(call->profile, row->instead)));
	out_table_text(table, qry_call_thread_id(call, row->thread));
	out_table_text(table, prof_string(call->profile, row->comm));
	if (has_function)
		qry_call_add_function(call, table, row->symbol);
}

static void add_steps(struct qry_call *call, const struct ana_path_table *path)
{
	const struct out_column columns[] = {
		{ .key = "percent", .title = "of path", .kind = OUT_CELL_SHARE },
		OUT_TIME_COLUMN("time"),
		{ .key = "n", .title = "times", .kind = OUT_CELL_COUNT },
		{ .key = "state", .title = "state", .kind = OUT_CELL_TEXT },
		{ .key = "for", .title = "for", .kind = OUT_CELL_TEXT },
		{ .key = "instead",
			.title = path->has_instead ? "CPU had" : NULL,
			.kind = OUT_CELL_TEXT },
		{ .key = "thread_id", .title = "id", .kind = OUT_CELL_TEXT },
		{ .key = "thread", .title = "thread", .kind = OUT_CELL_TEXT },
		{ .key = "id", .title = "id", .kind = OUT_CELL_TEXT },
		{ .key = "function", .title = "", .kind = OUT_CELL_FUNCTION },
	};
	struct out_table *table =
		out_doc_table(call->doc, "path", "function", columns, PD_ARRAY_LEN(columns));

	for (size_t i = 0; i < path->list.n && i < call->limit; i++)
		add_step(call, table, &path->list.data[i], path->whole);
	out_table_set_noun(table, "row");
	qry_call_cut(call, table, path->list.n);
}

static void add_owners(struct qry_call *call)
{
	for (size_t i = 0; i < call->profile->paths.n; i++) {
		const struct prof_path *path = &call->profile->paths.data[i];
		const struct prof_thread *thread = prof_thread(call->profile, path->thread);

		qry_call_line(call, "path_of",
			"critical path of %s \"%s\" (tid %" PRIu32
			"), %.3f s: each moment of its life "
			"is in one row",
			qry_call_thread_id(call, path->thread),
			prof_string(call->profile, thread->comm), thread->tid,
			(double)path->ns / 1e9);
	}
}

/*
 * The thread of a path is a number or a name, and no filter. Paths take long to find, so first look
 * whether wakeups were recorded, which they follow.
 */
static struct pd_error *path_thread(struct qry_call *call, const char **ret)
{
	const char *text = qry_call_arg(call, QRY_PARAM_THREAD);
	uint32_t id = text ? qry_id_parse(text, 't') : 0;
	const struct qry_numbering *numbering;
	struct qry_view *view;
	size_t index;
	struct pd_error *err =
		qry_session_find(call->session, qry_call_arg(call, QRY_PARAM_RECORDING), &index);

	if (!err)
		err = qry_session_number(call->session, index, &numbering);
	if (!err)
		err = qry_session_whole(call->session, index, &view);
	if (err)
		return err;
	if (!view->profile->profile->ledger_wakers.n)
		return no_path();
	*ret = text ? text : "";
	if (!id)
		return NULL;
	if (id > numbering->tasks.n)
		return pd_error_create(PD_ERROR_USAGE, NULL,
			"unknown thread '%s': ids are t-1 to t-%zu", text, numbering->tasks.n);
	const struct qry_task *task = base_intern_bytes(&numbering->tasks, id - 1);
	*ret = out_doc_format(call->doc, "%" PRIu32, task->tid);
	return NULL;
}

struct pd_error *qry_answer_critical_path(struct qry_call *call)
{
	struct ana_path_table path = { 0 };
	struct qry_args args = *call->args;
	const struct qry_args *given = call->args;
	const char *thread = "";
	struct pd_error *err = path_thread(call, &thread);

	if (err)
		return err;
	args.values[QRY_PARAM_THREAD] = NULL;
	call->args = &args;
	err = qry_call_begin(call, &format_path, thread);
	call->args = given;
	if (err)
		return err;
	if (!call->profile->paths.n)
		return no_path();
	add_owners(call);
	err = ana_path_table_create(call->profile, call->symbols, &path);
	if (!err)
		add_steps(call, &path);
	ana_path_table_deinit(&path);
	return err;
}
