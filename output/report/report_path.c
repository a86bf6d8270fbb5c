/* The critical path: everything for which the end of a thread had to wait. */
#include "output/report/report_path.h"

#include <inttypes.h>

#include "analyze/waits/path_table.h"
#include "base/array.h"
#include "base/cleanup.h"
#include "base/plural.h"
#include "output/doc/fit.h"
#include "output/ledger_text.h"
#include "output/report/report_cells.h"
#include "output/report/report_keys.h"

enum { DEFAULT_ROWS = 20 };

static const char nanoseconds[] = "nanoseconds";

static void add_owner(
	struct out_doc *doc, const struct profile *profile, const struct prof_path *path)
{
	const struct prof_thread *thread = prof_thread(profile, path->thread);
	char time[OUT_AMOUNT_SIZE];

	out_fit_amount(path->ns, nanoseconds, time);
	out_doc_fact(doc, NULL, "thread",
		out_doc_format(doc, "%s, tid %" PRIu32 ": %s", prof_string(profile, thread->comm),
			thread->tid, time));
}

/* Say what is missing in the recording, and what follows from that. */
static void add_notes(struct out_doc *doc, const struct profile *profile)
{
	bool has_switches = true, has_wakes = true, is_sampled = false;

	for (size_t i = 0; i < profile->ledgers.n; i++) {
		has_switches &= profile->ledgers.data[i].has_switches;
		has_wakes &= profile->ledgers.data[i].has_wakes;
		is_sampled |= profile->ledgers.data[i].is_sampled;
	}
	out_doc_bool(doc, "switches", has_switches);
	out_doc_bool(doc, "wakeups", has_wakes);
	out_doc_bool(doc, "sampled", is_sampled);
	if (is_sampled)
		out_doc_fact(doc, NULL, "sampled", OUT_LEDGER_SAMPLED);
	if (!has_switches)
		out_doc_fact(
			doc, NULL, "switches", "not recorded: it is not known when threads ran");
	else if (!has_wakes)
		out_doc_fact(doc, NULL, "wakeups",
			"not all recorded: the path stays in threads whose waker is unknown");
}

static void add_sums(
	struct out_doc *doc, const struct profile *profile, const struct ana_path_table *table)
{
	uint64_t length = 0;

	for (size_t i = 0; i < profile->paths.n; i++)
		length += profile->paths.data[i].ns;
	out_doc_number(doc, "length", length);
	out_doc_number(doc, "steps", profile->path_steps.n);
	for (size_t i = 0; i < PROF_N_LEDGER_STATES; i++)
		out_doc_number(doc, out_ledger_states[i], table->ns[i]);
}

static void add_row(struct out_table *table, const struct profile *profile,
	const struct ana_symbols *symbols, const struct ana_path_row *row, uint64_t whole)
{
	bool is_wait = row->state == PROF_LEDGER_BLOCKED && row->has_stack;

	out_table_row(table, NULL);
	out_table_share(table, row->ns, whole);
	out_table_count(table, row->ns);
	out_table_count(table, row->n);
	out_table_text(table, out_ledger_states[row->state]);
	out_table_text(table, is_wait ? ana_wait_kind_name(row->kind) : "");
	out_table_text(table,
		out_ledger_instead(row->instead_kind,
			prof_is_none(row->instead) ? "" : prof_string(profile, row->instead)));
	out_table_text(table, prof_string(profile, row->interrupt));
	if (prof_is_none(row->thread))
		out_table_empty(table);
	else
		out_table_count(table, prof_thread(profile, row->thread)->tid);
	out_table_text(table, prof_string(profile, row->comm));
	if (row->symbol == PROF_NONE && !row->has_stack)
		out_table_empty(table);
	else
		out_report_add_function(table, symbols, row->symbol);
}

static void add_table(struct out_doc *doc, const struct profile *profile,
	const struct ana_symbols *symbols, const struct ana_path_table *path, size_t limit)
{
	const struct out_column columns[] = {
		{ .key = "percent", .title = "share", .kind = OUT_CELL_SHARE },
		{ .key = "time", .title = "time", .kind = OUT_CELL_AMOUNT, .unit = nanoseconds },
		{ .key = "n", .title = "times", .kind = OUT_CELL_COUNT },
		{ .key = "state", .title = "state", .kind = OUT_CELL_TEXT },
		{ .key = "for", .title = "for", .kind = OUT_CELL_TEXT },
		{ .key = "instead",
			.title = path->has_instead ? "CPU had" : NULL,
			.kind = OUT_CELL_TEXT },
		{ .key = "interrupt",
			.title = path->has_interrupts ? "ended by" : NULL,
			.kind = OUT_CELL_TEXT },
		{ .key = "tid", .title = "tid", .kind = OUT_CELL_COUNT },
		{ .key = "thread", .title = "thread", .kind = OUT_CELL_TEXT },
		{ .key = "function", .title = "", .kind = OUT_CELL_FUNCTION },
	};
	struct out_table *table =
		out_doc_table(doc, "path", "Critical path", columns, PD_ARRAY_LEN(columns));
	size_t n = path->list.n < limit ? path->list.n : limit;

	out_table_set_noun(table, "row");
	for (size_t i = 0; i < n; i++)
		add_row(table, profile, symbols, &path->list.data[i], path->whole);
	out_table_set_left_out(table, path->list.n - n);
}

struct pd_error *out_report_add_path(
	struct out_doc *doc, const struct profile *profile, const struct out_write_opts *opts)
{
	_cleanup_(ana_symbols_deinit) struct ana_symbols symbols = { 0 };
	_cleanup_(ana_path_table_deinit) struct ana_path_table path = { 0 };
	struct pd_error *err = ana_symbols_create(profile, &symbols);

	if (!err)
		err = ana_path_table_create(profile, &symbols, &path);
	if (err)
		return err;
	out_doc_begin(doc, "critical_path", NULL);
	for (size_t i = 0; i < profile->paths.n; i++)
		add_owner(doc, profile, &profile->paths.data[i]);
	add_notes(doc, profile);
	add_sums(doc, profile, &path);
	add_table(doc, profile, &symbols, &path,
		out_report_limit(&opts->format.report, DEFAULT_ROWS));
	out_doc_end(doc);
	return NULL;
}
