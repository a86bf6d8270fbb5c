/* Where the time of threads and CPUs went. */
#include "output/report/report_ledger.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "output/ledger_text.h"
#include "output/report/report_cells.h"
#include "output/report/report_keys.h"
#include "output/report/report_ledger_parts.h"

/* Rows of the tables of threads and of wakers by default. */
enum { DEFAULT_ROWS = 20, DEFAULT_WAKERS = 10 };

static const char nanoseconds[] = "nanoseconds";

/* Add what the whole ledger is and lacks: as numbers for programs, and in words for people. */
static struct pd_error *add_facts(struct out_doc *doc, const struct profile *profile,
	const struct out_ledger_sums *threads, const struct out_ledger_sums *cpus)
{
	_cleanup_(out_ledger_notes_deinit) struct out_ledger_notes notes = { 0 };
	struct out_ledger_length length = out_ledger_length(profile);
	struct out_ledger_lacks lacks = out_ledger_lacks(profile);
	uint64_t residue = threads->residue + cpus->residue;
	struct pd_error *err = out_ledger_notes_find(profile, &notes);

	if (err)
		return err;
	for (size_t i = 0; i < notes.list.n; i++) {
		const struct out_ledger_note *note = &notes.list.data[i];

		out_doc_fact(doc, NULL, note->name, out_doc_format(doc, "%s", note->text));
	}
	out_doc_number(doc, "length", length.ns);
	out_doc_bool(doc, "end_recorded", length.has_end);
	out_doc_bool(doc, "switches", lacks.has_switches);
	out_doc_bool(doc, "wakeups", !lacks.lacks_wakes);
	out_doc_number(doc, "missing", lacks.n_missing);
	out_doc_number(doc, "breaks", lacks.n_breaks);
	out_doc_bool(doc, "sampled", lacks.is_sampled);
	out_doc_bool(doc, "other_numbers", lacks.has_other_numbers);
	out_doc_bool(doc, "balances", residue == 0);
	out_doc_number(doc, "residue", residue);
	return NULL;
}

static void add_thread(struct out_table *table, const struct profile *profile,
	const struct prof_ledger_thread *row)
{
	const struct prof_thread *thread = prof_thread(profile, row->thread);

	out_table_row(table, NULL);
	out_report_add_times(table, row->ns, PROF_N_LEDGER_STATES, row->life_ns);
	out_table_count(table, row->n_runs);
	out_table_count(table, row->n_waits);
	out_table_count(table, row->n_preemptions);
	out_table_count(table, thread->pid);
	out_table_count(table, thread->tid);
	out_table_text(table, out_ledger_span(row));
	out_table_text(table, prof_string(profile, thread->comm));
}

static void add_thread_total(
	struct out_table *table, const struct profile *profile, const struct out_ledger_sums *sums)
{
	const struct out_row_place place = { .is_summary = true };
	char text[64];

	out_table_row(table, &place);
	out_report_add_times(table, sums->ns, PROF_N_LEDGER_STATES, sums->whole);
	for (size_t i = 0; i < 6; i++)
		out_table_empty(table);
	snprintf(text, sizeof(text), "all %zu threads", profile->ledger_threads.n);
	out_table_text(table, text);
}

static struct pd_error *add_threads(struct out_doc *doc, const struct profile *profile,
	const struct out_ledger_sums *sums, size_t limit)
{
	static const struct out_column columns[] = {
		OUT_STATE_COLUMNS,
		{ .key = "runs", .title = "runs", .kind = OUT_CELL_COUNT },
		{ .key = "waits", .title = "waits", .kind = OUT_CELL_COUNT },
		{ .key = "preemptions", .title = NULL, .kind = OUT_CELL_COUNT },
		{ .key = "pid", .title = NULL, .kind = OUT_CELL_COUNT },
		{ .key = "tid", .title = "tid", .kind = OUT_CELL_COUNT },
		{ .key = "span", .title = "span", .kind = OUT_CELL_TEXT },
		{ .key = "thread", .title = "", .kind = OUT_CELL_TEXT },
	};
	_cleanup_free_ const struct prof_ledger_thread **list = out_ledger_sort_threads(profile);
	size_t n = profile->ledger_threads.n, n_shown = n < limit ? n : limit;

	if (!list)
		return &pd_enomem;
	struct out_table *table =
		out_doc_table(doc, "threads", "Time of threads", columns, PD_ARRAY_LEN(columns));
	out_table_set_noun(table, "thread");
	for (size_t i = 0; i < n_shown; i++)
		add_thread(table, profile, list[i]);
	if (n > 1)
		add_thread_total(table, profile, sums);
	out_table_set_left_out(table, n - n_shown);
	return NULL;
}

static void add_cpus(
	struct out_doc *doc, const struct profile *profile, const struct out_ledger_sums *sums)
{
	static const struct out_column columns[] = {
		OUT_TIME_COLUMN("busy"),
		OUT_TIME_COLUMN("idle"),
		OUT_TIME_COLUMN("unknown"),
		OUT_TIME_COLUMN("wall"),
		{ .key = "switches", .title = "switches", .kind = OUT_CELL_COUNT },
		{ .key = "breaks", .title = NULL, .kind = OUT_CELL_COUNT },
		{ .key = "cpu", .title = "", .kind = OUT_CELL_TEXT },
	};
	const struct out_row_place total = { .is_summary = true };
	struct out_table *table =
		out_doc_table(doc, "cpus", "Time of CPUs", columns, PD_ARRAY_LEN(columns));
	char text[64];

	for (size_t i = 0; i < profile->ledger_cpus.n; i++) {
		const struct prof_ledger_cpu *row = &profile->ledger_cpus.data[i];

		out_table_row(table, NULL);
		out_report_add_times(table, row->ns, PROF_N_LEDGER_USES, row->wall_ns);
		out_table_count(table, row->n_switches);
		out_table_count(table, row->n_breaks);
		snprintf(text, sizeof(text), "CPU %" PRIu32, row->cpu);
		out_table_text(table, text);
	}
	if (profile->ledger_cpus.n < 2)
		return;
	out_table_row(table, &total);
	out_report_add_times(table, sums->ns, PROF_N_LEDGER_USES, sums->whole);
	out_table_empty(table);
	out_table_empty(table);
	snprintf(text, sizeof(text), "all %zu CPUs", profile->ledger_cpus.n);
	out_table_text(table, text);
}

static void add_waker(
	struct out_table *table, const struct profile *profile, const struct prof_ledger_waker *row)
{
	const struct prof_thread *waiter = prof_thread(profile, row->waiter);
	bool is_thread = !prof_is_none(row->waker);
	const struct prof_thread *waker = is_thread ? prof_thread(profile, row->waker) : NULL;

	out_table_row(table, NULL);
	out_table_count(table, row->ns);
	out_table_count(table, row->n);
	out_table_count(table, waiter->tid);
	out_table_text(table, prof_string(profile, waiter->comm));
	if (waker)
		out_table_count(table, waker->tid);
	else
		out_table_empty(table);
	out_table_text(table, waker ? prof_string(profile, waker->comm)
				    : out_ledger_interrupt(profile, row->interrupt));
}

static struct pd_error *add_wakers(struct out_doc *doc, const struct profile *profile, size_t limit)
{
	static const struct out_column columns[] = {
		{ .key = "blocked",
			.title = "blocked",
			.kind = OUT_CELL_AMOUNT,
			.unit = nanoseconds },
		{ .key = "waits", .title = "waits", .kind = OUT_CELL_COUNT },
		{ .key = "tid", .title = "tid", .kind = OUT_CELL_COUNT },
		{ .key = "thread", .title = "thread", .kind = OUT_CELL_TEXT },
		{ .key = "waker_tid", .title = "tid", .kind = OUT_CELL_COUNT },
		{ .key = "waker", .title = "", .kind = OUT_CELL_TEXT },
	};
	_cleanup_free_ const struct prof_ledger_waker **list = out_ledger_sort_wakers(profile);
	size_t n = profile->ledger_wakers.n, n_shown = n < limit ? n : limit;

	if (!list)
		return &pd_enomem;
	struct out_table *table =
		out_doc_table(doc, "wakers", "Woken by", columns, PD_ARRAY_LEN(columns));
	out_table_set_noun(table, "pair");
	for (size_t i = 0; i < n_shown; i++)
		add_waker(table, profile, list[i]);
	out_table_set_left_out(table, n - n_shown);
	return NULL;
}

/* The sums of all rows, which limits do not change. */
static void add_totals(struct out_doc *doc, const char *key, const char *const *names, size_t n,
	const struct out_ledger_sums *sums)
{
	out_doc_begin(doc, key, NULL);
	for (size_t i = 0; i < n; i++)
		out_doc_number(doc, names[i], sums->ns[i]);
	out_doc_number(doc, names[n], sums->whole);
	out_doc_end(doc);
}

struct pd_error *out_report_add_ledger(
	struct out_doc *doc, const struct profile *profile, const struct out_write_opts *opts)
{
	size_t limit = out_report_limit(&opts->format.report, DEFAULT_ROWS);
	struct out_ledger_sums threads = out_ledger_sum_threads(profile),
			       cpus = out_ledger_sum_cpus(profile);

	out_doc_begin(doc, "ledger", NULL);
	struct pd_error *err = add_facts(doc, profile, &threads, &cpus);
	if (!err)
		err = add_threads(doc, profile, &threads, limit);
	if (!err)
		err = out_report_add_groups(doc, profile, opts);
	add_cpus(doc, profile, &cpus);
	if (!err)
		err = out_report_add_blocked(doc, profile, opts);
	if (!err)
		err = add_wakers(
			doc, profile, out_report_limit(&opts->format.report, DEFAULT_WAKERS));
	if (!err)
		err = out_report_add_delays(doc, profile, opts);
	add_totals(doc, "thread_total", out_ledger_states, PROF_N_LEDGER_STATES, &threads);
	add_totals(doc, "cpu_total", out_ledger_uses, PROF_N_LEDGER_USES, &cpus);
	out_doc_end(doc);
	return err;
}
