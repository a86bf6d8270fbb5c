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

static void add_row(struct out_table *table, const struct profile *profile,
	const struct ana_interval_row *row, enum ana_intervals_by by)
{
	out_table_row(table, NULL);
	out_table_count(table, row->total);
	out_table_count(table, row->n);
	out_report_add_number(table, row->n_failed);
	out_table_count(table, row->p50);
	out_table_count(table, row->p99);
	out_table_count(table, row->max);
	if (by == ANA_INTERVALS_BY_NAME) {
		out_table_text(table, prof_string(profile, row->name));
		return;
	}
	const struct prof_thread *thread = prof_thread(profile, row->thread);
	out_table_count(table, thread->pid);
	out_table_count(table, thread->tid);
	out_table_text(table, prof_string(profile, thread->comm));
}

/* Columns of sums, which both tables have. */
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

	if (by == ANA_INTERVALS_BY_NAME)
		return out_doc_table(doc, "names", "By name", of_names, PD_ARRAY_LEN(of_names));
	return out_doc_table(doc, "threads", "By thread", of_threads, PD_ARRAY_LEN(of_threads));
}

static struct pd_error *add_table(struct out_doc *doc, const struct profile *profile, uint32_t kind,
	enum ana_intervals_by by, size_t limit)
{
	_cleanup_(ana_interval_rows_deinit) struct ana_interval_rows rows = { 0 };
	struct pd_error *err = ana_interval_rows_create(profile, kind, by, &rows);

	if (err)
		return err;
	struct out_table *table = begin_table(doc, by);
	size_t n_shown = rows.list.n < limit ? rows.list.n : limit;
	out_table_set_noun(table, by == ANA_INTERVALS_BY_NAME ? "name" : "thread");
	for (size_t i = 0; i < n_shown; i++)
		add_row(table, profile, &rows.list.data[i], by);
	out_table_set_left_out(table, rows.list.n - n_shown);
	return NULL;
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

static struct pd_error *add_kind(
	struct out_doc *doc, const struct profile *profile, uint32_t index, size_t limit)
{
	const struct prof_interval_kind *kind = &profile->interval_kinds.data[index];
	const char *name = prof_string(profile, kind->name);

	out_doc_begin_item(doc, "intervals", out_doc_format(doc, "Intervals: %s", name));
	out_doc_fact(doc, "kind", NULL, name);
	out_doc_number(doc, "times", count_kind(profile, index));
	add_missing(doc, kind);
	struct pd_error *err = add_table(doc, profile, index, ANA_INTERVALS_BY_NAME, limit);
	if (!err && kind->is_of_threads)
		err = add_table(doc, profile, index, ANA_INTERVALS_BY_THREAD, limit);
	out_doc_end(doc);
	return err;
}

struct pd_error *out_report_add_intervals(
	struct out_doc *doc, const struct profile *profile, const struct out_write_opts *opts)
{
	size_t limit = out_report_limit(&opts->format.report, DEFAULT_ROWS);
	struct pd_error *err = NULL;

	if (!profile->interval_kinds.n)
		out_doc_fact(doc, NULL, "intervals",
			"none: the recording has no events in which something begins and ends");
	for (uint32_t i = 0; !err && i < profile->interval_kinds.n; i++)
		err = add_kind(doc, profile, i, limit);
	return err;
}
