#include "query/call.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/format.h"
#include "base/memstream.h"
#include "base/names/nearest.h"
#include "base/plural.h"
#include "base/printable.h"
#include "base/text.h"
#include "output/doc/fit.h"
#include "output/report/report_cells.h"
#include "profile/function_search.h"
#include "query/share_interval.h"

/* Rows of each table, tokens of an answer, and columns of a line, by default. */
enum { DEFAULT_ROWS = 20, DEFAULT_TOKENS = 2000, COLUMNS = 120 };

/* Columns of a line of an answer that would otherwise be too long. */
enum { SHORT_COLUMNS = 250 };

/* Models make about one token of three bytes of such a table. */
enum { BYTES_PER_TOKEN = 3 };

/* Fewer tokens would not even hold the head of an answer. */
enum { MIN_TOKENS = 200 };

/* The head of an answer. */

/* "cpu-clock, 1234 samples (1.23 s)" */
static void write_whole(const struct qry_call *call, FILE *out)
{
	const struct prof_event *event = prof_event(call->profile, call->event);
	char amount[OUT_AMOUNT_SIZE];

	fprintf(out, ": event %s, %" PRIu64 " sample%s (%s)",
		prof_string(call->profile, event->name), call->whole.samples,
		base_plural(call->whole.samples),
		out_fit_amount(
			call->whole.period, prof_string(call->profile, event->unit), amount));
}

static struct pd_error *write_head(struct qry_call *call)
{
	_cleanup_free_ char *text = NULL;
	size_t len;
	FILE *out = base_memstream_open(&text, &len);

	if (!out)
		return &pd_enomem;
	fprintf(out, "r-%zu \"%s\"", call->index + 1, call->recording->path);
	if (prof_is_none(call->event))
		fputs(": no samples", out);
	else
		write_whole(call, out);
	qry_selection_write(call->args, out);
	if (!prof_is_none(call->event))
		fputs("; shares are of these samples", out);
	if (!base_memstream_close(out, &text))
		return &pd_enomem;
	qry_call_line(call, "about", "%s", text);
	return NULL;
}

/* Find the event that the call names. */
static struct pd_error *choose_event(struct qry_call *call)
{
	const char *wanted = qry_call_arg(call, QRY_PARAM_EVENT);
	struct base_nearest nearest;

	call->event = qry_main_event(call->profile);
	if (!wanted)
		return NULL;
	base_nearest_init(&nearest, wanted, strlen(wanted));
	for (struct prof_event_id id = { 0 }; id.i < call->profile->events.n; id.i++) {
		const char *name = prof_string(call->profile, prof_event(call->profile, id)->name);

		if (strcmp(name, wanted) == 0) {
			call->event = id;
			return NULL;
		}
		base_nearest_try(&nearest, name);
	}
	return pd_error_create(PD_ERROR_USAGE, NULL, "no event '%s'%s%s%s", wanted,
		nearest.name ? ": did you mean '" : ": ask summary for those that there are",
		nearest.name ? nearest.name : "", nearest.name ? "'?" : "");
}

/* Read the names that arguments refer to, then what they select. */
static struct pd_error *load(
	struct qry_call *call, const struct out_format *format, const char *critical_path)
{
	const char *paths[] = { call->recording->real_path };
	struct pd_error *err = NULL;

	qry_selection_deinit(&call->selection);
	call->selection = (struct qry_selection){ 0 };
	if (qry_call_arg(call, QRY_PARAM_THREAD) || qry_call_arg(call, QRY_PARAM_PROCESS))
		err = qry_session_whole(call->session, call->index, &call->view);
	if (!err)
		err = qry_selection_make(call->args,
			call->view ? call->view->profile->profile : NULL, call->numbering,
			&call->selection);
	if (err)
		return err;
	const struct qry_load load = {
		.paths = paths,
		.n_paths = 1,
		.title = call->recording->path,
		.format = format,
		.filter = call->selection.filter,
		.critical_path = critical_path,
	};
	return qry_session_view(call->session, &load, &call->view);
}

struct pd_error *qry_call_begin(
	struct qry_call *call, const struct out_format *format, const char *critical_path)
{
	struct pd_error *err = qry_session_find(
		call->session, qry_call_arg(call, QRY_PARAM_RECORDING), &call->index);

	if (!err)
		err = qry_session_number(call->session, call->index, &call->numbering);
	if (err)
		return err;
	call->recording = &call->session->recordings.data[call->index];
	call->view = NULL;
	err = load(call, format, critical_path);
	if (err)
		return err;
	call->profile = call->view->profile->profile;
	call->symbols = &call->view->symbols;
	err = choose_event(call);
	if (err)
		return err;
	call->whole = prof_is_none(call->event) ? (struct prof_value){ 0 }
						: prof_event(call->profile, call->event)->total;
	return write_head(call);
}

/* Cells. */

static const char *id_text(const struct qry_call *call, char letter, uint32_t number)
{
	return number ? out_doc_format(call->doc, "%c-%" PRIu32, letter, number) : "-";
}

const char *qry_call_function_id(const struct qry_call *call, uint32_t symbol)
{
	return id_text(call, 'f', qry_function_number(call->numbering, call->symbols, symbol));
}

const char *qry_call_thread_id(const struct qry_call *call, struct prof_thread_id thread)
{
	return id_text(call, 't',
		prof_is_none(thread)
			? 0
			: qry_task_number(call->numbering, prof_thread(call->profile, thread)));
}

void qry_call_add_function(const struct qry_call *call, struct out_table *table, uint32_t symbol)
{
	out_table_text(table, qry_call_function_id(call, symbol));
	out_report_add_function(table, call->symbols, symbol);
}

const char *qry_call_interval(const struct qry_call *call, uint64_t period)
{
	const struct qry_interval interval =
		qry_share_interval(period, call->whole.period, call->whole.samples);

	return out_doc_format(call->doc, "%.1f to %.1f", 100 * interval.low, 100 * interval.high);
}

void qry_call_cut(struct qry_call *call, struct out_table *table, size_t n)
{
	if (n <= call->limit)
		return;
	out_table_set_left_out(table, n - call->limit);
	call->is_cut = true;
}

void qry_call_line(struct qry_call *call, const char *key, const char *fmt, ...)
{
	_cleanup_free_ char *line = NULL;
	va_list args;
	size_t len;

	va_start(args, fmt);
	_cleanup_free_ char *text = base_vformat(fmt, args);
	va_end(args);
	FILE *out = text ? base_memstream_open(&line, &len) : NULL;
	if (out)
		base_text_write_message(out, text);
	/* Without memory the document fails as well. */
	if (out && base_memstream_close(out, &line))
		out_doc_line(call->doc, key, line);
	else
		call->is_failed = true;
}

/* Functions by name or id. */

static struct pd_error *no_function(const struct qry_call *call, const char *wanted)
{
	_cleanup_free_ char *names = NULL;
	struct pd_error *err = prof_suggest_functions(call->profile, wanted, &names);

	if (err)
		return err;
	return pd_error_create(PD_ERROR_NOTHING, NULL, "no stack has the function '%s'%s%s", wanted,
		*names ? "; " : "", names);
}

static struct pd_error *find_by_id(const struct qry_call *call, const char *wanted, uint32_t number,
	bool *is_wanted, const char **title_ret)
{
	uint32_t symbol = qry_function_at(call->numbering, call->symbols, number);

	if (number > call->numbering->functions.n)
		return pd_error_create(PD_ERROR_USAGE, NULL,
			"unknown function '%s': ids are f-1 to f-%zu", wanted,
			call->numbering->functions.n);
	if (symbol == PROF_NONE)
		return pd_error_create(PD_ERROR_NOTHING, NULL,
			"'%s' is not in the stacks of these samples: \"%s\"", wanted,
			(const char *)base_intern_bytes(&call->numbering->functions, number - 1));
	is_wanted[symbol] = true;
	*title_ret = out_doc_format(
		call->doc, "%s \"%s\"", wanted, ana_symbol_name(call->symbols, symbol));
	return NULL;
}

static struct pd_error *find_by_name(
	const struct qry_call *call, const char *wanted, bool *is_wanted, const char **title_ret)
{
	_cleanup_(prof_found_functions_deinit) struct prof_found_functions found = { 0 };
	struct pd_error *err =
		ana_symbols_find(call->profile, call->symbols, wanted, is_wanted, &found);
	uint32_t first = PROF_NONE;
	size_t n = 0;

	for (uint32_t i = 0; !err && i < call->symbols->list.n; i++) {
		n += is_wanted[i];
		if (is_wanted[i] && first == PROF_NONE)
			first = i;
	}
	if (err || !n)
		return err ? err : no_function(call, wanted);
	*title_ret =
		n > 1 ? out_doc_format(call->doc, "\"%s\" (%zu functions)", wanted, n)
		      : out_doc_format(call->doc, "%s \"%s\"", qry_call_function_id(call, first),
				ana_symbol_name(call->symbols, first));
	return NULL;
}

struct pd_error *qry_call_functions(struct qry_call *call, bool **ret, const char **title_ret)
{
	const char *wanted = qry_call_arg(call, QRY_PARAM_FUNCTION);
	uint32_t number = qry_id_parse(wanted, 'f');
	_cleanup_free_ bool *is_wanted = base_calloc_n(call->symbols->list.n, sizeof(*is_wanted));

	if (!is_wanted)
		return &pd_enomem;
	struct pd_error *err = number ? find_by_id(call, wanted, number, is_wanted, title_ret)
				      : find_by_name(call, wanted, is_wanted, title_ret);
	if (!err)
		*ret = take_ptr(is_wanted);
	return err;
}

/* Answers of a bounded size. */

static size_t budget_of(const struct qry_call *call)
{
	size_t tokens = qry_args_count(call->args, QRY_PARAM_TOKENS, DEFAULT_TOKENS);

	return (tokens < MIN_TOKENS ? MIN_TOKENS : tokens) * BYTES_PER_TOKEN;
}

/* Write the end of an answer: quality, and what was cut. */
static struct pd_error *write_end(struct qry_call *call)
{
	const char *quality = "";
	struct pd_error *err =
		call->view && !call->has_quality ? qry_view_quality(call->view, &quality) : NULL;

	if (err)
		return err;
	if (*quality)
		qry_call_line(call, "quality", "quality: %s", quality);
	if (call->is_cut)
		qry_call_line(call, "cut",
			"cut: tables have at most %zu row%s; limit=%zu max_tokens=%zu gives more, "
			"thread=, time= or focus= narrows",
			call->limit, base_plural(call->limit), call->limit * 4,
			4 * budget_of(call) / BYTES_PER_TOKEN);
	return call->is_failed ? &pd_enomem : NULL;
}

/* Answer with at most call->limit rows. */
static struct pd_error *try_limit(struct qry_call *call, enum pd_style style, char **ret)
{
	const struct pd_text_opts opts = { .style = style, .width = COLUMNS };
	char *text = NULL;
	size_t len;

	call->is_cut = false;
	call->doc = out_doc_create(call->tool->name);
	if (!call->doc)
		return &pd_enomem;
	struct pd_error *err = call->tool->answer(call);
	if (!err)
		err = write_end(call);
	FILE *out = err ? NULL : base_memstream_open(&text, &len);
	if (!err && !out)
		err = &pd_enomem;
	if (!err)
		err = out_doc_write(call->doc, &opts, out);
	if (out && !base_memstream_close(out, &text) && !err)
		err = &pd_enomem;
	out_doc_destroy(take_ptr(call->doc));
	if (err) {
		free(text);
		return err;
	}
	*ret = text;
	return NULL;
}

/* Leave out the middle of lines that are longer than @p columns: a name makes them so. */
static struct pd_error *shorten_lines(char **text, size_t columns)
{
	char *shorter = NULL;
	size_t size;
	FILE *out = base_memstream_open(&shorter, &size);

	if (!out)
		return &pd_enomem;
	for (const char *line = *text; *line;) {
		size_t len = strcspn(line, "\n");
		_cleanup_free_ char *whole = strndup(line, len);
		_cleanup_free_ char *cut = whole ? base_columns_cut(whole, columns) : NULL;

		if (cut)
			fprintf(out, "%s\n", cut);
		else
			base_stream_fail(out);
		line += len + (line[len] == '\n');
	}
	if (!base_memstream_close(out, &shorter))
		return &pd_enomem;
	free(*text);
	*text = shorter;
	return NULL;
}

/* Cut a text that a single row makes too long: first its lines, then at the end of a line. */
static struct pd_error *cut_text(char **text, size_t size)
{
	struct pd_error *err = shorten_lines(text, SHORT_COLUMNS);

	if (err || strlen(*text) <= size)
		return err;
	static const char note[] =
		"... the rest is cut: a larger max_tokens gives it, fewer samples or rows shorten it\n";
	size_t end = size > sizeof(note) ? size - sizeof(note) : 0;

	while (end && (*text)[end - 1] != '\n')
		end--;
	char *cut = base_format("%.*s%s", (int)end, *text, note);
	if (!cut)
		return &pd_enomem;
	free(*text);
	*text = cut;
	return NULL;
}

/* Answer with fewer and fewer rows until it fits. */
static struct pd_error *fit(struct qry_call *call, enum pd_style style, char **ret)
{
	size_t size = budget_of(call);

	for (;;) {
		struct pd_error *err = try_limit(call, style, ret);

		if (!err && strlen(*ret) > size && style == PD_STYLE_TEXT)
			err = shorten_lines(ret, PD_MESSAGE_COLUMNS);
		if (err)
			return err;
		size_t len = strlen(*ret);
		if (len <= size)
			return NULL;
		if (call->limit == 1)
			return style == PD_STYLE_TEXT ? cut_text(ret, size) : NULL;
		/* In proportion, but never less than a third, since heads do not shrink. */
		size_t fitting = call->limit * size / len;
		call->limit = fitting < call->limit / 3 ? call->limit / 3
			      : fitting < call->limit	? fitting
							: call->limit - 1;
		call->limit = call->limit ? call->limit : 1;
		free(take_ptr(*ret));
	}
}

struct pd_error *qry_answer(struct qry_session *session, const struct qry_tool_row *tool,
	const struct qry_args *args, enum pd_style style, char **ret)
{
	struct qry_call call = {
		.session = session,
		.tool = tool,
		.args = args,
		.limit = qry_args_count(args, QRY_PARAM_LIMIT, DEFAULT_ROWS),
	};
	struct pd_error *err = qry_args_check(args, tool);

	if (!err)
		err = fit(&call, style, ret);
	qry_selection_deinit(&call.selection);
	return err;
}
