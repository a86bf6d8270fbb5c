/* How long it took from one event to another. */
#include "output/report/report_intervals.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/array.h"
#include "output/report/report_cells.h"
#include "output/report/report_keys.h"

/* Rows of a table by default. */
enum { DEFAULT_ROWS = 10 };

/* Rows of a table: intervals of one label, or those that one thread began. */
enum by { BY_LABEL, BY_THREAD };

/* Intervals that are one row: a part of the sorted list. */
struct row {
	const struct prof_interval *const *list;
	size_t n;
	uint64_t total;
	uint64_t n_failed;
};

/* Rows of a table, and the intervals of one kind, sorted. */
struct rows {
	const struct profile *profile;
	enum by by;
	const struct prof_interval **list;
	size_t n;
	PD_VEC(struct row) rows;
};

static uint32_t id_of(const struct prof_interval *interval, enum by by)
{
	return by == BY_LABEL ? interval->label.i : interval->thread.i;
}

static int compare(const struct prof_interval *x, const struct prof_interval *y, enum by by)
{
	uint32_t a = id_of(x, by), b = id_of(y, by);

	if (a != b)
		return a < b ? -1 : 1;
	return (x->ns > y->ns) - (x->ns < y->ns);
}

static int compare_by_label(const void *a, const void *b)
{
	return compare(*(const struct prof_interval *const *)a,
		*(const struct prof_interval *const *)b, BY_LABEL);
}

static int compare_by_thread(const void *a, const void *b)
{
	return compare(*(const struct prof_interval *const *)a,
		*(const struct prof_interval *const *)b, BY_THREAD);
}

/* Rows with the largest totals first. The comparison ends with an identity. */
static int compare_rows(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->total != y->total)
		return x->total > y->total ? -1 : 1;
	return x->list < y->list ? -1 : x->list > y->list;
}

/* Form the rows of the sorted list. False: no memory. */
static bool form_rows(struct rows *rows)
{
	for (size_t i = 0; i < rows->n; i++) {
		bool is_first =
			!i || id_of(rows->list[i], rows->by) != id_of(rows->list[i - 1], rows->by);
		const struct row fresh = { .list = &rows->list[i] };

		if (is_first && !pd_vec_push(&rows->rows, fresh))
			return false;
		struct row *row = &rows->rows.data[rows->rows.n - 1];
		row->n++;
		row->total += rows->list[i]->ns;
		row->n_failed += rows->list[i]->has_failed;
	}
	if (rows->rows.n)
		qsort(rows->rows.data, rows->rows.n, sizeof(*rows->rows.data), compare_rows);
	return true;
}

/* The smallest time that this part of the intervals does not exceed. */
static uint64_t percentile(const struct row *row, unsigned percent)
{
	size_t rank = (row->n * percent + 99) / 100;

	return row->list[rank ? rank - 1 : 0]->ns;
}

/* The label of an interval, or else the name of its kind. */
static const char *name_of(const struct profile *profile, const struct prof_interval *interval)
{
	return prof_string(profile, prof_is_none(interval->label)
					    ? profile->interval_kinds.data[interval->kind].name
					    : interval->label);
}

static void add_row(struct out_table *table, const struct rows *rows, const struct row *row)
{
	const struct prof_interval *one = row->list[0];

	out_table_row(table, NULL);
	out_table_count(table, row->total);
	out_table_count(table, row->n);
	out_report_add_number(table, row->n_failed);
	out_table_count(table, percentile(row, 50));
	out_table_count(table, percentile(row, 99));
	out_table_count(table, row->list[row->n - 1]->ns);
	if (rows->by == BY_LABEL) {
		out_table_text(table, name_of(rows->profile, one));
		return;
	}
	const struct prof_thread *thread = prof_thread(rows->profile, one->thread);
	out_table_count(table, thread->pid);
	out_table_count(table, thread->tid);
	out_table_text(table, prof_string(rows->profile, thread->comm));
}

/* Columns of sums, which both tables have. */
#define SUM_COLUMNS \
	OUT_TIME_COLUMN("total"), { .key = "times", .title = "times", .kind = OUT_CELL_COUNT }, \
		{ .key = "errors", .title = "errors", .kind = OUT_CELL_COUNT }, \
		OUT_TIME_COLUMN("p50"), OUT_TIME_COLUMN("p99"), OUT_TIME_COLUMN("max")

static struct out_table *begin_table(struct out_doc *doc, enum by by)
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

	if (by == BY_LABEL)
		return out_doc_table(doc, "names", "By name", of_names, PD_ARRAY_LEN(of_names));
	return out_doc_table(doc, "threads", "By thread", of_threads, PD_ARRAY_LEN(of_threads));
}

static void add_table(struct out_doc *doc, const struct rows *rows, size_t limit)
{
	struct out_table *table = begin_table(doc, rows->by);
	size_t n_shown = rows->rows.n < limit ? rows->rows.n : limit;

	out_table_set_noun(table, rows->by == BY_LABEL ? "name" : "thread");
	for (size_t i = 0; i < n_shown; i++)
		add_row(table, rows, &rows->rows.data[i]);
	out_table_set_left_out(table, rows->rows.n - n_shown);
}

static struct pd_error *add_rows(struct out_doc *doc, struct rows *rows, enum by by, size_t limit)
{
	rows->by = by;
	rows->rows.n = 0;
	qsort(rows->list, rows->n, sizeof(*rows->list),
		by == BY_LABEL ? compare_by_label : compare_by_thread);
	if (!form_rows(rows))
		return &pd_enomem;
	add_table(doc, rows, limit);
	return NULL;
}

/* List the intervals of a kind. False: no memory. */
static bool list_kind(struct rows *rows, uint32_t kind)
{
	const struct profile *profile = rows->profile;
	size_t n = 0;

	for (size_t i = 0; i < profile->intervals.n; i++)
		n += profile->intervals.data[i].kind == kind;
	rows->list = base_calloc_n(n, sizeof(*rows->list));
	for (size_t i = 0; rows->list && i < profile->intervals.n; i++) {
		if (profile->intervals.data[i].kind == kind)
			rows->list[rows->n++] = &profile->intervals.data[i];
	}
	return rows->list;
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

static struct pd_error *add_kind(
	struct out_doc *doc, const struct profile *profile, uint32_t index, size_t limit)
{
	const struct prof_interval_kind *kind = &profile->interval_kinds.data[index];
	const char *name = prof_string(profile, kind->name);
	struct rows rows = { .profile = profile };
	struct pd_error *err = list_kind(&rows, index) ? NULL : &pd_enomem;

	out_doc_begin_item(doc, "intervals", out_doc_format(doc, "Intervals: %s", name));
	out_doc_fact(doc, "kind", NULL, name);
	out_doc_number(doc, "times", rows.n);
	add_missing(doc, kind);
	if (!err)
		err = add_rows(doc, &rows, BY_LABEL, limit);
	if (!err && kind->is_of_threads)
		err = add_rows(doc, &rows, BY_THREAD, limit);
	out_doc_end(doc);
	pd_vec_deinit(&rows.rows);
	free(rows.list);
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
