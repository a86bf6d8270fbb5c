/* Tools about recordings as a whole: open, summary, quality, compare. */
#include <dirent.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "advice/quality.h"
#include "analyze/waits/waits.h"
#include "api/profile_diff.h"
#include "base/array.h"
#include "base/cleanup.h"
#include "base/format.h"
#include "base/memstream.h"
#include "base/plural.h"
#include "base/system/libc.h"
#include "base/text.h"
#include "output/quality_lines.h"
#include "output/report/summary.h"
#include "query/call.h"
#include "query/function_table.h"
#include "query/thread_table.h"

/* open */

/* Names of files. */
struct names {
	PD_VEC(char *) list;
};

static void names_deinit(struct names *names)
{
	for (size_t i = 0; i < names->list.n; i++)
		free(names->list.data[i]);
	pd_vec_deinit(&names->list);
}

/* perf.data, perf.data.old, server.data, server.data.zst: what recordings are called. */
static bool is_called_like_recording(const char *name)
{
	const char *data = strstr(name, ".data");

	return data && name[0] != '.' && !strstr(data, ".tar") &&
	       (!data[strlen(".data")] || data[strlen(".data")] == '.');
}

/* Add a file, unless it leads out of the directories. */
static struct pd_error *add_file(
	const struct qry_session *session, const char *dir, const char *name, struct names *ret)
{
	char *path = base_format("%s/%s", dir, name);
	_cleanup_free_ char *real = path ? base_real_path(path) : NULL;
	bool is_added = real && qry_session_allows(session, real);

	if (is_added && pd_vec_push(&ret->list, path))
		return NULL;
	free(path);
	return is_added || !path ? &pd_enomem : NULL;
}

static struct pd_error *list_dir(
	const struct qry_session *session, const char *path, struct names *ret)
{
	DIR *dir = opendir(path);
	struct pd_error *err = NULL;
	struct dirent *entry;

	while (dir && !err && (entry = readdir(dir))) {
		if (is_called_like_recording(entry->d_name))
			err = add_file(session, path, entry->d_name, ret);
	}
	if (dir)
		closedir(dir);
	return err;
}

static int compare_names(const void *x, const void *y)
{
	return strcmp(*(char *const *)x, *(char *const *)y);
}

static void add_names(struct qry_call *call, const struct names *names)
{
	static const struct out_column columns[] = {
		{ .key = "path", .title = "recordings that can be opened", .kind = OUT_CELL_TEXT },
	};
	struct out_table *table =
		out_doc_table(call->doc, "recordings", "", columns, PD_ARRAY_LEN(columns));

	if (!names->list.n)
		qry_call_line(call, "about",
			"no file that is called like a recording is in the directories; open takes "
			"a path below them");
	for (size_t i = 0; i < names->list.n && i < call->limit; i++) {
		out_table_row(table, NULL);
		out_table_text(table, names->list.data[i]);
	}
	out_table_set_noun(table, "recording");
	qry_call_cut(call, table, names->list.n);
}

static struct pd_error *list_recordings(struct qry_call *call)
{
	_cleanup_(names_deinit) struct names names = { 0 };
	struct pd_error *err = NULL;

	for (size_t i = 0; !err && i < call->session->dirs.n; i++)
		err = list_dir(call->session, call->session->dirs.data[i], &names);
	if (err)
		return err;
	if (names.list.n)
		qsort(names.list.data, names.list.n, sizeof(char *), compare_names);
	add_names(call, &names);
	return NULL;
}

/* Suggest tools that have an answer in this recording. */
static void suggest(struct qry_call *call)
{
	const struct profile *profile = call->profile;
	bool has_waits = !prof_is_none(ana_wait_event(profile)) || profile->ledger_threads.n;

	if (!prof_is_none(call->event))
		qry_call_suggest(call, "functions: what takes the time; path: how it got there; "
				       "threads: who; timeline: when");
	if (has_waits)
		qry_call_suggest(call, "waits: where threads wait; wakers: for whom; "
				       "threads sort=runnable: which get no CPU");
	qry_call_suggest(call, "quality: how far to trust it; why_not: what it cannot answer");
}

static struct pd_error *add_summary(struct qry_call *call)
{
	const struct pd_profile *profile = call->view->profile;

	return out_report_add_summary(call->doc, call->profile, &profile->write);
}

struct pd_error *qry_answer_open(struct qry_call *call)
{
	const char *path = qry_call_arg(call, QRY_PARAM_PATH);
	struct qry_args args = *call->args;
	const struct qry_args *given = call->args;

	if (!path)
		return list_recordings(call);
	args.values[QRY_PARAM_RECORDING] = path;
	call->args = &args;
	struct pd_error *err = qry_call_begin(call, &qry_format_ledger, NULL);
	call->args = given;
	if (!err)
		err = add_summary(call);
	if (!err)
		qry_call_suggest(call, "summary");
	return err;
}

/* summary */

struct pd_error *qry_answer_summary(struct qry_call *call)
{
	enum { ROWS = 5 };
	size_t limit = call->limit;
	struct pd_error *err = qry_call_begin(call, &qry_format_ledger, NULL);

	if (!err)
		err = add_summary(call);
	if (err)
		return err;
	if (!qry_call_arg(call, QRY_PARAM_LIMIT) && call->limit > ROWS)
		call->limit = ROWS;
	if (!prof_is_none(call->event))
		err = qry_add_functions(call, false, NULL);
	if (!err)
		err = qry_add_threads(call, -1);
	/* Further rows are the business of other tools. */
	if (call->limit < limit)
		call->is_cut = false;
	call->limit = limit;
	if (!err)
		suggest(call);
	return err;
}

/* quality */

static struct pd_error *add_hint(
	const struct qry_call *call, const struct advice_hint *hint, FILE *out)
{
	_cleanup_free_ char *command = NULL;
	out_find_command *find = call->session->loader->find_command;
	struct pd_error *err =
		find ? find(call->profile, hint, call->recording->path, &command) : NULL;

	fprintf(out, "%s: ", advice_hint_kind_name(hint->kind));
	base_text_write_message(out, hint->text);
	fputs(command ? "\n  command: " : "", out);
	if (command)
		base_text_write(out, command);
	fputc('\n', out);
	return err;
}

static struct pd_error *add_hints(struct qry_call *call, const struct advice_hints *hints)
{
	_cleanup_free_ char *text = NULL;
	size_t len, n = hints->list.n < call->limit ? hints->list.n : call->limit;
	FILE *out = base_memstream_open(&text, &len);
	struct pd_error *err = NULL;

	if (!out)
		return &pd_enomem;
	for (size_t i = 0; !err && i < n; i++)
		err = add_hint(call, &hints->list.data[i], out);
	if (!base_memstream_close(out, &text) && !err)
		err = &pd_enomem;
	if (err)
		return err;
	call->is_cut |= n < hints->list.n;
	out_doc_lines(call->doc, "hints", *text ? text : "no hints: nothing is known to be wrong");
	return NULL;
}

static void add_binaries(struct qry_call *call)
{
	const struct profile *profile = call->profile;
	size_t n = 0;

	for (size_t i = 0; i < profile->binaries.n; i++) {
		const struct prof_binary *binary = &profile->binaries.data[i];
		const char *why = prof_string(profile, binary->why);

		if ((!*why && !binary->is_mismatched) || n++ >= call->limit)
			continue;
		qry_call_line(call, "binaries", "binary \"%s\": %s",
			prof_string(profile, binary->name), *why ? why : "another build is used");
	}
	call->is_cut |= n > call->limit;
}

/* Add warnings about damaged records and files that were not found. */
static struct pd_error *add_warnings(struct qry_call *call)
{
	const struct pd_diag *diag = call->view->diag;
	size_t n = pd_diag_n(diag);

	for (size_t i = 0; i < n && i < call->limit; i++) {
		struct pd_diag_entry entry = pd_diag_get(diag, i);
		_cleanup_free_ char *text = pd_error_string(entry.first);

		if (!text)
			return &pd_enomem;
		qry_call_line(call, "warnings", "warning: %s (%" PRIu64 " time%s)", text,
			entry.count, base_plural(entry.count));
	}
	call->is_cut |= n > call->limit;
	return NULL;
}

struct pd_error *qry_answer_quality(struct qry_call *call)
{
	_cleanup_(advice_quality_deinit) struct advice_quality quality = { 0 };
	struct pd_error *err = qry_call_begin(call, &qry_format_ledger, NULL);

	call->has_quality = true;
	if (!err)
		err = advice_quality_find(call->profile, true, &quality);
	for (enum out_quality_line i = 0; !err && i < OUT_N_QUALITY_LINES; i++) {
		_cleanup_free_ char *text = out_quality_line(call->profile, &quality, i);

		if (!text)
			return &pd_enomem;
		out_doc_fact_whole(call->doc, NULL, out_quality_line_name(i), text);
	}
	if (!err)
		err = add_hints(call, &quality.hints);
	if (!err)
		err = add_warnings(call);
	if (!err)
		add_binaries(call);
	return err;
}

/* compare */

static struct pd_error *write_changes(
	struct qry_call *call, struct pd_profile *profile, char *const *labels, FILE *out)
{
	const struct api_target to = { .stream = out };
	const struct api_comparison comparison = {
		.format = &out_format_report,
		.profile = profile,
		.labels = labels,
		.n_before = 1,
		.n_after = 1,
		.find_command = call->session->loader->find_command,
	};

	/* The report of a comparison has several tables. */
	profile->write.format.report.limit = (call->limit + 1) / 2;
	profile->write.format.text.width = 120;
	return api_comparison_write(&comparison, &to);
}

static struct pd_error *add_changes(
	struct qry_call *call, struct pd_profile *profile, char *const *labels)
{
	_cleanup_free_ char *text = NULL;
	size_t len;
	FILE *out = base_memstream_open(&text, &len);

	if (!out)
		return &pd_enomem;
	struct pd_error *err = write_changes(call, profile, labels, out);
	if (!base_memstream_close(out, &text) && !err)
		err = &pd_enomem;
	if (!err)
		out_doc_lines(call->doc, "changes", text);
	return err;
}

struct pd_error *qry_answer_compare(struct qry_call *call)
{
	static const enum qry_param sides[] = { QRY_PARAM_BEFORE, QRY_PARAM_AFTER };
	char *paths[PD_ARRAY_LEN(sides)];
	size_t indexes[PD_ARRAY_LEN(sides)];
	struct qry_view *view;

	for (size_t i = 0; i < PD_ARRAY_LEN(sides); i++) {
		struct pd_error *err =
			qry_session_find(call->session, qry_call_arg(call, sides[i]), &indexes[i]);

		if (err)
			return err;
	}
	if (indexes[0] == indexes[1])
		return pd_error_create(
			PD_ERROR_USAGE, NULL, "before and after are the same recording");
	for (size_t i = 0; i < PD_ARRAY_LEN(sides); i++)
		paths[i] = call->session->recordings.data[indexes[i]].real_path;
	const struct qry_load load = {
		.paths = (const char *const *)paths,
		.n_paths = PD_ARRAY_LEN(sides),
		.format = &out_format_report,
		.parts = PD_PARTS_FOR_DIFF,
	};
	struct pd_error *err = qry_session_view(call->session, &load, &view);
	if (err)
		return err;
	call->view = view;
	qry_call_line(call, "about", "from r-%zu \"%s\" to r-%zu \"%s\"", indexes[0] + 1,
		call->session->recordings.data[indexes[0]].path, indexes[1] + 1,
		call->session->recordings.data[indexes[1]].path);
	return add_changes(call, view->profile, paths);
}
