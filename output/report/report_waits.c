/* Threads on and off the CPU, and where they wait. */
#include "output/report/report_waits.h"

#include <string.h>

#include "analyze/waits/waits.h"
#include "analyze/waits/wakers.h"
#include "base/array.h"
#include "base/cleanup.h"
#include "output/ledger_text.h"
#include "output/report/report_cells.h"
#include "output/report/report_keys.h"

static const char nanoseconds[] = "nanoseconds";

struct prof_event_id out_report_wait_event(
	const struct profile *profile, const struct out_write_opts *opts)
{
	struct prof_event_id event = ana_wait_event(profile);

	if (prof_is_none(event) || out_report_is_specific(&opts->format.report))
		return prof_no_event();
	/* If the user chose events, it must be one of them. */
	if (opts->has_all_events)
		return prof_event(profile, event)->total.samples ? event : prof_no_event();
	return prof_is_none(opts->event) ? event : prof_no_event();
}

/* Columns of on-CPU amounts are only in the text if an event counts them. */
static const char *on_cpu_title(const struct ana_waits *waits)
{
	return prof_is_none(waits->on_cpu) ? NULL : "on CPU";
}

/* Part of the waiting time in which a thread could have run, but no CPU was free. */
static const char *delay_title(const struct ana_waits *waits)
{
	return waits->has_delays ? "delay" : NULL;
}

/* Times have their unit in the cell. Of cycles only the numbers are shown. */
static const char *on_cpu_unit(const struct profile *profile, const struct ana_waits *waits)
{
	if (prof_is_none(waits->on_cpu))
		return NULL;
	const char *unit = prof_string(profile, prof_event(profile, waits->on_cpu)->unit);

	return strcmp(unit, nanoseconds) == 0 ? nanoseconds : NULL;
}

static uint64_t sum_kind(const struct ana_waits *waits, enum ana_wait_kind kind)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < waits->threads.n; i++)
		sum += waits->threads.data[i].amounts[kind];
	return sum;
}

static void add_thread(struct out_table *table, const struct profile *profile,
	const struct ana_waits *waits, const struct ana_waiter *waiter)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < ANA_N_WAIT_KINDS; i++)
		sum += waiter->amounts[i];
	out_table_row(table, NULL);
	if (prof_is_none(waits->on_cpu))
		out_table_empty(table);
	else
		out_report_add_number(table, waiter->on_cpu);
	out_report_add_number(table, sum);
	out_report_add_number(table, waiter->delay);
	for (size_t i = 0; i < ANA_N_WAIT_KINDS; i++)
		out_report_add_number(table, waiter->amounts[i]);
	out_table_text(table, prof_string(profile, waiter->comm));
}

static void add_threads(struct out_doc *doc, const struct profile *profile,
	const struct ana_waits *waits, size_t limit)
{
	enum { ON_CPU, WAITING, DELAY, KINDS, THREAD = KINDS + ANA_N_WAIT_KINDS, N_COLUMNS };
	const char *unit = waits->has_times ? nanoseconds : NULL;
	struct out_column columns[N_COLUMNS] = {
		[ON_CPU] = { .key = "on_cpu",
			.title = on_cpu_title(waits),
			.kind = OUT_CELL_AMOUNT,
			.unit = on_cpu_unit(profile, waits) },
		[WAITING] = { .key = "waiting",
			.title = waits->has_times ? "waiting" : "waits",
			.kind = OUT_CELL_AMOUNT,
			.unit = unit },
		[DELAY] = { .key = "delay",
			.title = delay_title(waits),
			.kind = OUT_CELL_AMOUNT,
			.unit = unit },
		[THREAD] = { .key = "thread", .title = "", .kind = OUT_CELL_TEXT },
	};
	size_t n = waits->threads.n < limit ? waits->threads.n : limit;

	for (enum ana_wait_kind i = 0; i < ANA_N_WAIT_KINDS; i++) {
		const char *name = ana_wait_kind_name(i);

		columns[KINDS + i] = (struct out_column){
			.key = name,
			.title = sum_kind(waits, i) ? name : NULL,
			.kind = OUT_CELL_AMOUNT,
			.unit = unit,
		};
	}
	struct out_table *table = out_doc_table(doc, "threads", "Threads", columns, N_COLUMNS);
	out_table_set_noun(table, "thread");
	for (size_t i = 0; i < n; i++)
		add_thread(table, profile, waits, &waits->threads.data[i]);
	out_table_set_left_out(table, waits->threads.n - n);
}

static void add_place(struct out_table *table, const struct ana_symbols *symbols,
	const struct ana_waits *waits, const struct ana_wait *wait)
{
	out_table_row(table, NULL);
	out_table_share(table, wait->amount, waits->amount);
	out_table_count(table, wait->amount);
	out_table_count(table, wait->n);
	out_report_add_number(table, wait->delay);
	if (prof_is_none(waits->on_cpu))
		out_table_empty(table);
	else
		out_report_add_number(table, wait->on_cpu);
	out_table_text(table, ana_wait_kind_name(wait->kind));
	out_report_add_function(table, symbols, wait->place);
}

static void add_places(struct out_doc *doc, const struct profile *profile,
	const struct ana_symbols *symbols, const struct ana_waits *waits, size_t limit)
{
	const struct out_column columns[] = {
		{ .key = "percent", .title = "share", .kind = OUT_CELL_SHARE },
		{ .key = "waiting",
			.title = waits->has_times ? "waiting" : NULL,
			.kind = OUT_CELL_AMOUNT,
			.unit = nanoseconds },
		{ .key = "waits", .title = "waits", .kind = OUT_CELL_COUNT },
		{ .key = "delay",
			.title = delay_title(waits),
			.kind = OUT_CELL_AMOUNT,
			.unit = nanoseconds },
		{ .key = "on_cpu",
			.title = on_cpu_title(waits),
			.kind = OUT_CELL_AMOUNT,
			.unit = on_cpu_unit(profile, waits) },
		{ .key = "for", .title = "for", .kind = OUT_CELL_TEXT },
		{ .key = "function", .title = "", .kind = OUT_CELL_FUNCTION },
	};
	struct out_table *table = out_doc_table(doc, "functions",
		"Waits by function of the program", columns, PD_ARRAY_LEN(columns));
	size_t n = waits->list.n < limit ? waits->list.n : limit;

	out_table_set_noun(table, "function");
	for (size_t i = 0; i < n; i++)
		add_place(table, symbols, waits, &waits->list.data[i]);
	out_table_set_left_out(table, waits->list.n - n);
}

static void add_waker(struct out_table *table, const struct profile *profile,
	const struct ana_symbols *symbols, const struct ana_wakers *wakers,
	const struct ana_waker *waker)
{
	const char *const others[] = {
		[PROF_WOKEN_UNKNOWN] = OUT_LEDGER_NOT_RECORDED,
		[PROF_WOKEN_BY_INTERRUPT] = out_ledger_interrupt(profile, waker->interrupt),
	};
	bool is_known = waker->woken_by == PROF_WOKEN_BY_SAMPLE;

	out_table_row(table, NULL);
	out_table_share(table, waker->ns, wakers->ns);
	out_table_count(table, waker->ns);
	out_table_count(table, waker->n);
	out_table_text(table, ana_wait_kind_name(waker->kind));
	out_report_add_function(table, symbols, waker->place);
	out_table_text(
		table, is_known ? prof_string(profile, waker->comm) : others[waker->woken_by]);
	if (is_known)
		out_report_add_function(table, symbols, waker->waker_place);
	else
		out_table_empty(table);
}

/* Who ended the waits, if wakeups were recorded. */
static struct pd_error *add_wakers(struct out_doc *doc, const struct profile *profile,
	const struct ana_symbols *symbols, size_t limit)
{
	static const struct out_column columns[] = {
		{ .key = "percent", .title = "share", .kind = OUT_CELL_SHARE },
		{ .key = "waiting",
			.title = "waiting",
			.kind = OUT_CELL_AMOUNT,
			.unit = nanoseconds },
		{ .key = "waits", .title = "waits", .kind = OUT_CELL_COUNT },
		{ .key = "for", .title = "for", .kind = OUT_CELL_TEXT },
		{ .key = "function", .title = "in", .kind = OUT_CELL_FUNCTION },
		{ .key = "waker", .title = "waker", .kind = OUT_CELL_TEXT },
		{ .key = "waker_function", .title = "", .kind = OUT_CELL_FUNCTION },
	};
	struct ana_wakers wakers;
	struct pd_error *err = ana_wakers_count(profile, symbols, &wakers);

	if (err || !wakers.list.n)
		return err;
	struct out_table *table =
		out_doc_table(doc, "wakers", "Waits ended by", columns, PD_ARRAY_LEN(columns));
	size_t n = wakers.list.n < limit ? wakers.list.n : limit;

	out_table_set_noun(table, "pair");
	for (size_t i = 0; i < n; i++)
		add_waker(table, profile, symbols, &wakers, &wakers.list.data[i]);
	out_table_set_left_out(table, wakers.list.n - n);
	ana_wakers_deinit(&wakers);
	return NULL;
}

static void add_facts(
	struct out_doc *doc, const struct profile *profile, const struct ana_waits *waits)
{
	const struct prof_event *event = prof_event(profile, waits->event);

	out_doc_fact(doc, "event", NULL, prof_string(profile, event->name));
	out_doc_fact(doc, "unit", NULL, waits->has_times ? nanoseconds : "waits");
	if (!prof_is_none(waits->on_cpu)) {
		event = prof_event(profile, waits->on_cpu);
		out_doc_fact(doc, "on_cpu_event", NULL, prof_string(profile, event->name));
		out_doc_fact(doc, "on_cpu_unit", NULL, prof_string(profile, event->unit));
	}
}

struct pd_error *out_report_add_waits(
	struct out_doc *doc, const struct profile *profile, const struct out_write_opts *opts)
{
	/* The tables of the report fit a screen by default. */
	size_t limit = out_report_limit(&opts->format.report, 6);
	_cleanup_(ana_symbols_deinit) struct ana_symbols symbols = { 0 };
	struct ana_waits waits;

	if (prof_is_none(out_report_wait_event(profile, opts)))
		return NULL;
	struct pd_error *err = ana_symbols_create(profile, &symbols);
	if (err)
		return err;
	err = ana_waits_count(profile, &symbols, &waits);
	if (err)
		return err;
	out_doc_begin(doc, "waits", NULL);
	add_facts(doc, profile, &waits);
	add_threads(doc, profile, &waits, limit);
	add_places(doc, profile, &symbols, &waits, limit);
	err = add_wakers(doc, profile, &symbols, limit);
	out_doc_end(doc);
	ana_waits_deinit(&waits);
	return err;
}
