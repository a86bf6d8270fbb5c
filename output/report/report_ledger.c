/* Where the time of threads and CPUs went. */
#include "output/report/report_ledger.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/plural.h"
#include "output/doc/fit.h"
#include "output/report/report_keys.h"
#include "output/report/report_ledger_parts.h"

/* Rows of the tables of threads and of wakers by default. */
enum { DEFAULT_ROWS = 20, DEFAULT_WAKERS = 10 };

static const char nanoseconds[] = "nanoseconds";

/* Sums of a table. */
struct sums {
	uint64_t ns[PROF_N_LEDGER_STATES];
	uint64_t whole;
	/** Difference between the wholes and the sums of their parts. */
	uint64_t residue;
};

static void add_parts(struct sums *sums, const uint64_t *ns, size_t n, uint64_t whole)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < n; i++) {
		sums->ns[i] += ns[i];
		sum += ns[i];
	}
	sums->whole += whole;
	sums->residue += sum > whole ? sum - whole : whole - sum;
}

static struct sums sum_threads(const struct profile *profile)
{
	struct sums sums = { 0 };

	for (size_t i = 0; i < profile->ledger_threads.n; i++) {
		const struct prof_ledger_thread *row = &profile->ledger_threads.data[i];

		add_parts(&sums, row->ns, PROF_N_LEDGER_STATES, row->life_ns);
	}
	return sums;
}

static struct sums sum_cpus(const struct profile *profile)
{
	struct sums sums = { 0 };

	for (size_t i = 0; i < profile->ledger_cpus.n; i++) {
		const struct prof_ledger_cpu *row = &profile->ledger_cpus.data[i];

		add_parts(&sums, row->ns, PROF_N_LEDGER_USES, row->wall_ns);
	}
	return sums;
}

/* Describe the records that the sums are made of. */
static const char *describe_source(const struct prof_ledger *ledger)
{
	if (ledger->has_switches)
		return ledger->is_of_cpus ? "switches of all threads"
					  : "switches of the recorded threads";
	return ledger->has_waits ? "waits alone, without SWITCH records: the rest is unknown"
				 : "neither switches nor waits, so that nothing is known";
}

static bool has_unfinished(const struct profile *profile)
{
	for (size_t i = 0; i < profile->ledger_threads.n; i++) {
		if (profile->ledger_threads.data[i].is_unfinished)
			return true;
	}
	return false;
}

static void add_length(struct out_doc *doc, const struct profile *profile)
{
	char time[OUT_AMOUNT_SIZE];
	bool has_end = true;
	uint64_t ns = 0, whole = 0;

	for (size_t i = 0; i < profile->ledgers.n; i++) {
		const struct prof_ledger *ledger = &profile->ledgers.data[i];

		ns += ledger->wall_ns;
		whole += ledger->end_ns - ledger->begin_ns;
		has_end &= ledger->has_end;
	}
	out_fit_amount(ns, nanoseconds, time);
	out_doc_fact(doc, NULL, "length",
		out_doc_format(doc, "%s %s", time,
			ns < whole ? "in several ranges of time"
			: has_end  ? "from the first record to the end"
				   : "from the first record to the last"));
	out_doc_number(doc, "length", ns);
	out_doc_bool(doc, "end_recorded", has_end);
	if (!has_end && has_unfinished(profile))
		out_doc_fact(doc, NULL, "end",
			"not recorded: what was not over is counted to the last record");
}

/* Say whether all accounts add up. */
static void add_balance(struct out_doc *doc, const struct profile *profile,
	const struct sums *threads, const struct sums *cpus)
{
	size_t n_threads = profile->ledger_threads.n, n_cpus = profile->ledger_cpus.n;
	uint64_t residue = threads->residue + cpus->residue;
	const char *of_cpus =
		n_cpus ? out_doc_format(doc, " and %zu CPU%s", n_cpus, base_plural(n_cpus)) : "";
	const char *text = residue ? out_doc_format(doc, "no: a residue of %" PRIu64 " ns", residue)
				   : out_doc_format(doc, "yes: %zu thread%s%s, to the nanosecond",
					     n_threads, base_plural(n_threads), of_cpus);

	out_doc_fact(doc, NULL, "balances", text);
	out_doc_bool(doc, "balances", residue == 0);
	out_doc_number(doc, "residue", residue);
}

static void add_notes(struct out_doc *doc, const struct profile *profile)
{
	uint64_t n_missing = 0, n_breaks = 0;
	bool lacks_wakes = false, has_switches = false, has_other_numbers = false;
	bool is_sampled = false;

	for (size_t i = 0; i < profile->ledgers.n; i++) {
		const struct prof_ledger *ledger = &profile->ledgers.data[i];

		n_missing += ledger->n_missing;
		lacks_wakes |= !ledger->has_wakes;
		has_switches |= ledger->has_switches;
		has_other_numbers |= ledger->has_other_numbers;
		is_sampled |= ledger->is_sampled;
		out_doc_fact(doc, NULL, "from", describe_source(ledger));
	}
	for (size_t i = 0; i < profile->ledger_cpus.n; i++)
		n_breaks += profile->ledger_cpus.data[i].n_breaks;
	out_doc_bool(doc, "switches", has_switches);
	out_doc_bool(doc, "wakeups", !lacks_wakes);
	out_doc_number(doc, "missing", n_missing);
	out_doc_number(doc, "breaks", n_breaks);
	if (lacks_wakes && has_switches)
		out_doc_fact(doc, NULL, "wakeups",
			"not all recorded: blocked includes delays until threads ran");
	out_doc_bool(doc, "sampled", is_sampled);
	if (is_sampled)
		out_doc_fact(doc, NULL, "sampled",
			"not all events of the scheduler were recorded: a frequency or a period was "
			"given for them");
	out_doc_bool(doc, "other_numbers", has_other_numbers);
	if (has_other_numbers)
		out_doc_fact(doc, NULL, "numbers",
			"switches and other records number threads differently (PID namespace): "
			"a thread may be there twice");
	if (n_missing || n_breaks)
		out_doc_fact(doc, NULL, "missing",
			out_doc_format(doc,
				"%" PRIu64 " switches of threads and %" PRIu64
				" of CPUs do not follow from those before",
				n_missing, n_breaks));
}

static const char *span_of(const struct prof_ledger_thread *row)
{
	static const char *const spans[2][2] = {
		{ "whole life", "from its birth" },
		{ "to its end", "throughout" },
	};

	return spans[row->is_older ? 1 : 0][row->is_unfinished ? 1 : 0];
}

/* The most active threads first. The comparison ends with an identity. */
static int compare(const void *a, const void *b)
{
	const struct prof_ledger_thread *x = *(const struct prof_ledger_thread *const *)a;
	const struct prof_ledger_thread *y = *(const struct prof_ledger_thread *const *)b;

	for (size_t i = 0; i < PROF_N_LEDGER_STATES; i++) {
		if (x->ns[i] != y->ns[i])
			return x->ns[i] > y->ns[i] ? -1 : 1;
	}
	return x < y ? -1 : x > y;
}

/* Pointers to all threads in the order of the table. Allocated; NULL: no memory. */
static const struct prof_ledger_thread **sort_threads(const struct profile *profile)
{
	size_t n = profile->ledger_threads.n;
	const struct prof_ledger_thread **list = base_calloc_n(n, sizeof(*list));

	if (!list)
		return NULL;
	for (size_t i = 0; i < n; i++)
		list[i] = &profile->ledger_threads.data[i];
	qsort(list, n, sizeof(*list), compare);
	return list;
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
	out_table_text(table, span_of(row));
	out_table_text(table, prof_string(profile, thread->comm));
}

static void add_thread_total(
	struct out_table *table, const struct profile *profile, const struct sums *sums)
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

static struct pd_error *add_threads(
	struct out_doc *doc, const struct profile *profile, const struct sums *sums, size_t limit)
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
	_cleanup_free_ const struct prof_ledger_thread **list = sort_threads(profile);
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

static void add_cpus(struct out_doc *doc, const struct profile *profile, const struct sums *sums)
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

/* The longest waits first. The comparison ends with an identity. */
static int compare_wakers(const void *a, const void *b)
{
	const struct prof_ledger_waker *x = *(const struct prof_ledger_waker *const *)a;
	const struct prof_ledger_waker *y = *(const struct prof_ledger_waker *const *)b;

	if (x->ns != y->ns)
		return x->ns > y->ns ? -1 : 1;
	return x < y ? -1 : x > y;
}

/* Pointers to all wakers in the order of the table. Allocated; NULL: no memory. */
static const struct prof_ledger_waker **sort_wakers(const struct profile *profile)
{
	size_t n = profile->ledger_wakers.n;
	const struct prof_ledger_waker **list = base_calloc_n(n, sizeof(*list));

	if (!list)
		return NULL;
	for (size_t i = 0; i < n; i++)
		list[i] = &profile->ledger_wakers.data[i];
	qsort(list, n, sizeof(*list), compare_wakers);
	return list;
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
	out_table_text(table, waker ? prof_string(profile, waker->comm) : "[interrupt]");
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
	_cleanup_free_ const struct prof_ledger_waker **list = sort_wakers(profile);
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
	const struct sums *sums)
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
	static const char *const states[] = { "running", "runnable", "blocked", "unknown", "life" };
	static const char *const uses[] = { "busy", "idle", "unknown", "wall" };
	size_t limit = out_report_limit(&opts->format.report, DEFAULT_ROWS);
	struct sums threads = sum_threads(profile), cpus = sum_cpus(profile);

	out_doc_begin(doc, "ledger", NULL);
	add_length(doc, profile);
	add_notes(doc, profile);
	add_balance(doc, profile, &threads, &cpus);
	struct pd_error *err = add_threads(doc, profile, &threads, limit);
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
	add_totals(doc, "thread_total", states, PROF_N_LEDGER_STATES, &threads);
	add_totals(doc, "cpu_total", uses, PROF_N_LEDGER_USES, &cpus);
	out_doc_end(doc);
	return err;
}
