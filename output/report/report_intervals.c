/* How long it took from one event to another. */
#include "output/report/report_intervals.h"

#include <inttypes.h>

#include "analyze/interval_rows.h"
#include "base/array.h"
#include "base/cleanup.h"
#include "output/report/report_cells.h"
#include "output/report/report_keys.h"

/* Rows of a table by default. */
enum { DEFAULT_ROWS = 10 };

/* Columns that the sums of a row take. */
enum { SUMS = 48 };

struct writer {
	struct out_doc *doc;
	const struct profile *profile;
	/** Symbols of the profile if an interval has a stack, else none. */
	struct ana_symbols symbols;
	size_t limit;
	size_t width;
};

/* Fill the cells that say what the row sums up. */
static struct pd_error *add_what(const struct writer *w, struct out_table *table,
	const struct ana_interval_rows *rows, const struct ana_interval_row *row)
{
	uint32_t n;

	if (row->path != PD_INTERN_NONE) {
		const uint32_t *path = ana_interval_path(rows, row->path, &n);

		return out_report_add_callers(table, &w->symbols, path, n, SUMS, w->width);
	}
	if (!prof_is_none(row->name)) {
		out_table_text(table, prof_string(w->profile, row->name));
		return NULL;
	}
	const struct prof_thread *thread = prof_thread(w->profile, row->thread);
	out_table_count(table, thread->pid);
	out_table_count(table, thread->tid);
	out_table_text(table, prof_string(w->profile, thread->comm));
	return NULL;
}

static struct pd_error *add_row(const struct writer *w, struct out_table *table,
	const struct ana_interval_rows *rows, const struct ana_interval_row *row)
{
	out_table_row(table, NULL);
	out_table_count(table, row->total);
	out_table_count(table, row->n);
	out_report_add_number(table, row->n_failed);
	out_table_count(table, row->p50);
	out_table_count(table, row->p99);
	out_table_count(table, row->max);
	return add_what(w, table, rows, row);
}

/* Columns of sums, which all tables have. */
#define SUM_COLUMNS \
	OUT_TIME_COLUMN("total"), { .key = "times", .title = "times", .kind = OUT_CELL_COUNT }, \
		{ .key = "errors", .title = "errors", .kind = OUT_CELL_COUNT }, \
		OUT_TIME_COLUMN("p50"), OUT_TIME_COLUMN("p99"), OUT_TIME_COLUMN("max")

static struct out_table *begin_table(struct out_doc *doc, enum ana_intervals_by by)
{
	static const struct out_column of_names[] = {
		SUM_COLUMNS,
		{ .key = "name", .title = "", .kind = OUT_CELL_TEXT },
	};
	static const struct out_column of_threads[] = {
		SUM_COLUMNS,
		{ .key = "pid", .title = NULL, .kind = OUT_CELL_COUNT },
		{ .key = "tid", .title = "tid", .kind = OUT_CELL_COUNT },
		{ .key = "thread", .title = "", .kind = OUT_CELL_TEXT },
	};
	static const struct out_column of_stacks[] = {
		SUM_COLUMNS,
		OUT_CALLERS_COLUMNS("stack", ""),
	};

	switch (by) {
	case ANA_INTERVALS_BY_NAME:
		return out_doc_table(doc, "names", "By name", of_names, PD_ARRAY_LEN(of_names));
	case ANA_INTERVALS_BY_THREAD:
		return out_doc_table(
			doc, "threads", "By thread", of_threads, PD_ARRAY_LEN(of_threads));
	default:
		return out_doc_table(doc, "stacks", "By stack", of_stacks, PD_ARRAY_LEN(of_stacks));
	}
}

static struct pd_error *add_table(
	const struct writer *w, uint32_t kind, enum ana_intervals_by by, const char *noun)
{
	_cleanup_(ana_interval_rows_deinit) struct ana_interval_rows rows = { 0 };
	struct pd_error *err = ana_interval_rows_create(w->profile, &w->symbols, kind, by, &rows);

	if (err || (by == ANA_INTERVALS_BY_STACK && !rows.n))
		return err;
	struct out_table *table = begin_table(w->doc, by);
	size_t n_shown = rows.list.n < w->limit ? rows.list.n : w->limit;
	out_table_set_noun(table, noun);
	for (size_t i = 0; !err && i < n_shown; i++)
		err = add_row(w, table, &rows, &rows.list.data[i]);
	out_table_set_left_out(table, rows.list.n - n_shown);
	return err;
}

static void add_missing(struct out_doc *doc, const struct prof_interval_kind *kind)
{
	out_doc_number(doc, "unended", kind->n_unended);
	out_doc_number(doc, "unbegun", kind->n_unbegun);
	out_doc_number(doc, "restarted", kind->n_restarted);
	if (kind->n_unended || kind->n_unbegun)
		out_doc_fact(doc, NULL, "incomplete",
			out_doc_format(doc,
				"%" PRIu64 " without an end, %" PRIu64 " without a beginning",
				kind->n_unended, kind->n_unbegun));
	if (kind->n_restarted)
		out_doc_fact(doc, NULL, "restarted",
			out_doc_format(doc, "%" PRIu64 ": the time is that from the last beginning",
				kind->n_restarted));
}

static uint64_t count_kind(const struct profile *profile, uint32_t kind)
{
	uint64_t n = 0;

	for (size_t i = 0; i < profile->intervals.n; i++)
		n += profile->intervals.data[i].kind == kind;
	return n;
}

static struct pd_error *add_kind(const struct writer *w, uint32_t index)
{
	const struct prof_interval_kind *kind = &w->profile->interval_kinds.data[index];
	const char *name = prof_string(w->profile, kind->name);

	out_doc_begin_item(w->doc, "intervals", out_doc_format(w->doc, "Intervals: %s", name));
	out_doc_fact(w->doc, "kind", NULL, name);
	out_doc_number(w->doc, "times", count_kind(w->profile, index));
	add_missing(w->doc, kind);
	struct pd_error *err = add_table(w, index, ANA_INTERVALS_BY_NAME, "name");
	if (!err && kind->is_of_threads)
		err = add_table(w, index, ANA_INTERVALS_BY_THREAD, "thread");
	if (!err && w->symbols.list.n)
		err = add_table(w, index, ANA_INTERVALS_BY_STACK, "stack");
	out_doc_end(w->doc);
	return err;
}

static bool have_stacks(const struct profile *profile)
{
	for (size_t i = 0; i < profile->intervals.n; i++) {
		base_spill_pass(&profile->intervals, i);
		if (!prof_is_none(profile->intervals.data[i].stack))
			return true;
	}
	return false;
}

struct pd_error *out_report_add_intervals(
	struct out_doc *doc, const struct profile *profile, const struct out_write_opts *opts)
{
	struct writer w = {
		.doc = doc,
		.profile = profile,
		.limit = out_report_limit(&opts->format.report, DEFAULT_ROWS),
		.width = opts->format.text.width,
	};
	struct pd_error *err =
		have_stacks(profile) ? ana_symbols_create(profile, &w.symbols) : NULL;

	if (!profile->interval_kinds.n)
		out_doc_fact(doc, NULL, "intervals",
			"none: the recording has no events in which something begins and ends");
	for (uint32_t i = 0; !err && i < profile->interval_kinds.n; i++)
		err = add_kind(&w, i);
	ana_symbols_deinit(&w.symbols);
	return err;
}
