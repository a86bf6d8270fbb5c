#include "output/report/report_ledger_parts.h"

#include <inttypes.h>

#include "analyze/waits/blocked_reasons.h"
#include "analyze/waits/delay_classes.h"
#include "analyze/ledger_groups.h"
#include "base/array.h"
#include "base/cleanup.h"
#include "output/doc/fit.h"
#include "output/ledger_text.h"
#include "output/report/report_cells.h"
#include "output/report/report_keys.h"

/* Rows of the tables by default. */
enum { DEFAULT_GROUPS = 10, DEFAULT_BLOCKED = 10, DEFAULT_DELAYS = 5 };

static void add_group(struct out_table *table, const struct profile *profile,
	const struct ana_ledger_group *group, enum ana_ledger_by by)
{
	out_table_row(table, NULL);
	out_report_add_times(table, group->ns, PROF_N_LEDGER_STATES, group->life_ns);
	out_table_count(table, group->n_threads);
	if (by == ANA_BY_PROCESS)
		out_table_count(table, group->pid);
	out_table_text(table,
		prof_is_none(group->name) ? "[not sampled]" : prof_string(profile, group->name));
}

static void add_processes(struct out_doc *doc, const struct profile *profile,
	const struct ana_ledger_groups *groups, size_t limit)
{
	static const struct out_column columns[] = {
		OUT_STATE_COLUMNS,
		{ .key = "threads", .title = "threads", .kind = OUT_CELL_COUNT },
		{ .key = "pid", .title = "pid", .kind = OUT_CELL_COUNT },
		{ .key = "process", .title = "", .kind = OUT_CELL_TEXT },
	};
	size_t n = groups->list.n < limit ? groups->list.n : limit;
	struct out_table *table = out_doc_table(
		doc, "processes", "Time of processes", columns, PD_ARRAY_LEN(columns));

	out_table_set_noun(table, "process");
	for (size_t i = 0; i < n; i++)
		add_group(table, profile, &groups->list.data[i], ANA_BY_PROCESS);
	out_table_set_left_out(table, groups->list.n - n);
}

static void add_cgroups(struct out_doc *doc, const struct profile *profile,
	const struct ana_ledger_groups *groups, size_t limit)
{
	static const struct out_column columns[] = {
		OUT_STATE_COLUMNS,
		{ .key = "threads", .title = "threads", .kind = OUT_CELL_COUNT },
		{ .key = "cgroup", .title = "", .kind = OUT_CELL_TEXT },
	};
	size_t n = groups->list.n < limit ? groups->list.n : limit;
	struct out_table *table = out_doc_table(
		doc, "cgroups", "Time of control groups", columns, PD_ARRAY_LEN(columns));

	out_table_set_noun(table, "control group");
	for (size_t i = 0; i < n; i++)
		add_group(table, profile, &groups->list.data[i], ANA_BY_CGROUP);
	out_table_set_left_out(table, groups->list.n - n);
}

static bool has_cgroups(const struct profile *profile)
{
	for (size_t i = 0; i < profile->ledger_threads.n; i++) {
		if (!prof_is_none(profile->ledger_threads.data[i].cgroup))
			return true;
	}
	return false;
}

struct pd_error *out_report_add_groups(
	struct out_doc *doc, const struct profile *profile, const struct out_write_opts *opts)
{
	_cleanup_(ana_ledger_groups_deinit) struct ana_ledger_groups processes = { 0 };
	_cleanup_(ana_ledger_groups_deinit) struct ana_ledger_groups cgroups = { 0 };
	size_t limit = out_report_limit(&opts->format.report, DEFAULT_GROUPS);
	struct pd_error *err = ana_ledger_groups_create(profile, ANA_BY_PROCESS, &processes);

	if (!err && has_cgroups(profile))
		err = ana_ledger_groups_create(profile, ANA_BY_CGROUP, &cgroups);
	if (err)
		return err;
	/* A single process has the sums of all threads. */
	if (processes.list.n > 1)
		add_processes(doc, profile, &processes, limit);
	if (cgroups.list.n)
		add_cgroups(doc, profile, &cgroups, limit);
	return NULL;
}

static void add_blocked_row(struct out_table *table, const struct ana_symbols *symbols,
	const struct ana_blocked_row *row, uint64_t whole)
{
	out_table_row(table, NULL);
	out_table_share(table, row->ns, whole);
	out_table_count(table, row->ns);
	out_table_count(table, row->n);
	out_table_text(table, ana_wait_kind_name(row->kind));
	out_report_add_function(table, symbols, row->symbol);
}

static void add_blocked_table(struct out_doc *doc, const struct ana_symbols *symbols,
	const struct ana_blocked *blocked, size_t limit)
{
	static const struct out_column columns[] = {
		{ .key = "percent", .title = "share", .kind = OUT_CELL_SHARE },
		OUT_TIME_COLUMN("blocked"),
		{ .key = "waits", .title = "waits", .kind = OUT_CELL_COUNT },
		{ .key = "for", .title = "for", .kind = OUT_CELL_TEXT },
		{ .key = "function", .title = "", .kind = OUT_CELL_FUNCTION },
	};
	size_t n = blocked->list.n < limit ? blocked->list.n : limit;
	struct out_table *table =
		out_doc_table(doc, "blocked_for", "Blocked for", columns, PD_ARRAY_LEN(columns));

	out_table_set_noun(table, "function");
	for (size_t i = 0; i < n; i++)
		add_blocked_row(table, symbols, &blocked->list.data[i], blocked->whole);
	out_table_set_left_out(table, blocked->list.n - n);
	if (!blocked->unknown)
		return;
	out_table_row(table, NULL);
	out_table_share(table, blocked->unknown, blocked->whole);
	out_table_count(table, blocked->unknown);
	out_table_empty(table);
	out_table_text(table, "unknown");
	out_table_empty(table);
}

struct pd_error *out_report_add_blocked(
	struct out_doc *doc, const struct profile *profile, const struct out_write_opts *opts)
{
	_cleanup_(ana_symbols_deinit) struct ana_symbols symbols = { 0 };
	_cleanup_(ana_blocked_deinit) struct ana_blocked blocked = { 0 };

	struct pd_error *err = ana_symbols_create(profile, &symbols);

	if (!err)
		err = ana_blocked_count(profile, &symbols, &blocked);
	if (!err && blocked.list.n)
		add_blocked_table(doc, &symbols, &blocked,
			out_report_limit(&opts->format.report, DEFAULT_BLOCKED));
	return err;
}

/* Whether it is known which CPUs were idle. */
static bool knows_idle(const struct profile *profile)
{
	bool ret = true;

	for (size_t i = 0; i < profile->ledgers.n; i++)
		ret &= profile->ledgers.data[i].is_of_cpus;
	return ret;
}

static void add_classes(struct out_doc *doc, const struct ana_delays *delays, bool has_idle)
{
	const struct out_column columns[] = {
		{ .key = "percent", .title = "share", .kind = OUT_CELL_SHARE, .has_bar = true },
		{ .key = "delays", .title = "delays", .kind = OUT_CELL_COUNT },
		{ .key = "time", .title = "time", .kind = OUT_CELL_AMOUNT, .unit = "nanoseconds" },
		{ .key = "idle",
			.title = has_idle ? "a CPU idle" : NULL,
			.kind = OUT_CELL_AMOUNT,
			.unit = "nanoseconds" },
		{ .key = "busy",
			.title = has_idle ? "all busy" : NULL,
			.kind = OUT_CELL_AMOUNT,
			.unit = "nanoseconds" },
		{ .key = "from", .title = NULL, .kind = OUT_CELL_AMOUNT, .unit = "nanoseconds" },
		{ .key = "below", .title = NULL, .kind = OUT_CELL_AMOUNT, .unit = "nanoseconds" },
		{ .key = "class", .title = "", .kind = OUT_CELL_TEXT },
	};
	struct out_table *table =
		out_doc_table(doc, "histogram", "Delays", columns, PD_ARRAY_LEN(columns));

	out_table_set_noun(table, "class");
	for (unsigned i = 0; i < ANA_N_DELAY_CLASSES; i++) {
		const struct ana_delay_class *row = &delays->classes[i];
		uint64_t from = UINT64_C(1) << i, below = i < 63 ? from * 2 : UINT64_MAX;
		char text[OUT_AMOUNT_SIZE];

		if (!row->n)
			continue;
		out_table_row(table, NULL);
		out_table_share(table, row->ns, delays->all.ns);
		out_table_count(table, row->n);
		out_table_count(table, row->ns);
		out_report_add_number(table, row->idle_ns);
		out_report_add_number(table, has_idle ? row->ns - row->idle_ns : 0);
		out_table_count(table, from);
		out_table_count(table, below);
		out_fit_amount(from, "nanoseconds", text);
		out_table_text(table, out_doc_format(doc, "from %s", text));
	}
}

static void add_delay(struct out_doc *doc, struct out_table *table, const struct profile *profile,
	const struct prof_ledger_delay *delay)
{
	static const char *const after[] = {
		[PROF_AFTER_WAKEUP] = "wakeup",
		[PROF_AFTER_PREEMPTION] = "preemption",
		[PROF_AFTER_BIRTH] = "birth",
	};
	const struct prof_thread *thread = prof_thread(profile, delay->thread);

	out_table_row(table, NULL);
	out_table_count(table, delay->ns);
	out_report_add_number(table, delay->idle_ns);
	out_table_count(table, delay->begin_ns);
	out_table_text(
		table, out_doc_format(doc, "%" PRIu64 ".%06" PRIu64, delay->begin_ns / 1000000000,
			       delay->begin_ns % 1000000000 / 1000));
	out_table_text(table, after[delay->after]);
	if (delay->cpu == PROF_NONE)
		out_table_empty(table);
	else
		out_table_count(table, delay->cpu);
	out_table_text(table,
		out_ledger_instead((enum prof_instead)delay->before_kind,
			prof_is_none(delay->before)
				? ""
				: prof_string(profile, prof_thread(profile, delay->before)->comm)));
	out_table_count(table, thread->tid);
	out_table_text(table, prof_string(profile, thread->comm));
}

static void add_longest(struct out_doc *doc, const struct profile *profile,
	const struct ana_delays *delays, bool has_idle)
{
	const struct out_column columns[] = {
		{ .key = "time", .title = "delay", .kind = OUT_CELL_AMOUNT, .unit = "nanoseconds" },
		{ .key = "idle",
			.title = has_idle ? "a CPU idle" : NULL,
			.kind = OUT_CELL_AMOUNT,
			.unit = "nanoseconds" },
		{ .key = "begin", .title = NULL, .kind = OUT_CELL_COUNT },
		{ .key = "at", .title = "at", .kind = OUT_CELL_TEXT },
		{ .key = "after", .title = "after", .kind = OUT_CELL_TEXT },
		{ .key = "cpu", .title = "CPU", .kind = OUT_CELL_COUNT },
		{ .key = "before", .title = "which had", .kind = OUT_CELL_TEXT },
		{ .key = "tid", .title = "tid", .kind = OUT_CELL_COUNT },
		{ .key = "thread", .title = "", .kind = OUT_CELL_TEXT },
	};
	struct out_table *table =
		out_doc_table(doc, "longest", "Longest delays", columns, PD_ARRAY_LEN(columns));

	out_table_set_noun(table, "delay");
	for (size_t i = 0; i < delays->n_longest; i++)
		add_delay(doc, table, profile, &profile->ledger_delays.data[delays->longest[i]]);
	out_table_set_left_out(table, profile->ledger_delays.n - delays->n_longest);
}

struct pd_error *out_report_add_delays(
	struct out_doc *doc, const struct profile *profile, const struct out_write_opts *opts)
{
	_cleanup_(ana_delays_deinit) struct ana_delays delays = { 0 };
	size_t limit = out_report_limit(&opts->format.report, DEFAULT_DELAYS);
	struct pd_error *err = ana_delays_count(profile, limit, &delays);

	if (err || !profile->ledger_delays.n)
		return err;
	out_doc_begin(doc, "delays", NULL);
	out_doc_number(doc, "n", delays.all.n);
	out_doc_number(doc, "time", delays.all.ns);
	out_doc_number(doc, "idle", delays.all.idle_ns);
	add_classes(doc, &delays, knows_idle(profile));
	add_longest(doc, profile, &delays, knows_idle(profile));
	out_doc_end(doc);
	return NULL;
}
