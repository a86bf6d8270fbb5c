#include "output/report/report_diff.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/comparison/comparison.h"
#include "analyze/comparison/sides.h"
#include "analyze/comparison/slices.h"
#include "base/analyzer.h"
#include "base/array.h"
#include "base/cleanup.h"
#include "base/memstream.h"
#include "base/plural.h"
#include "base/text.h"
#include "output/doc/doc.h"
#include "output/doc/fit.h"
#include "output/report/report_cells.h"

/* Rows of a table by default. */
enum { DEFAULT_ROWS = 20 };

/* Functions below this share are not compared, in percent. */
static const double default_percent_limit = 0.5;

/* Length of the longest text of an interval. */
enum { INTERVAL_SIZE = 64 };

/* The comparison of an event, and the document that shows it. */
struct report {
	struct out_doc *doc;
	const struct profile *profile;
	const struct ana_symbols *symbols;
	const struct ana_sides *sides;
	const struct out_write_opts *opts;
	const struct ana_diff *diff;
	const char *unit;
};

static double percent(double ratio)
{
	return 100 * (ratio - 1);
}

/* Format an interval: "+7.1 .. +13.2 %". Returns @p buf, INTERVAL_SIZE bytes. */
static const char *format_interval(const struct ana_ratio *ratio, char *buf)
{
	double low = percent(ratio->low), high = percent(ratio->high);
	int decimals = fabs(low) < 100 && fabs(high) < 100;

	if (isinf(high))
		snprintf(buf, INTERVAL_SIZE, "%+.*f %% or more", decimals, low);
	else
		snprintf(buf, INTERVAL_SIZE, "%+.*f .. %+.*f %%", decimals, low, decimals, high);
	return buf;
}

/* Amounts of time have a unit in each cell. The unit of others is shown once. */
static const char *cell_unit(const struct report *r)
{
	return strcmp(r->unit, "nanoseconds") == 0 ? r->unit : NULL;
}

/* Describe what was compared. */

static void add_side(const struct report *r, enum ana_side side, const char *name)
{
	const struct prof_value *sum = &r->diff->sums[side];
	size_t n = r->sides->n[side];
	uint64_t amount = sum->period / n;
	char text[OUT_AMOUNT_SIZE], count[OUT_AMOUNT_SIZE] = "";

	if (n > 1)
		snprintf(count, sizeof(count), "%zu recordings: ", n);
	const char *line = out_doc_format(r->doc, "%s%" PRIu64 " sample%s, %s%s", count,
		sum->samples, base_plural(sum->samples), out_fit_amount(amount, r->unit, text),
		n > 1 ? " each" : "");
	out_doc_fact(r->doc, NULL, name, line);
	out_doc_begin(r->doc, name, NULL);
	out_doc_number(r->doc, "recordings", n);
	out_doc_number(r->doc, "samples", sum->samples);
	out_doc_number(r->doc, "amount", amount);
	out_doc_real(r->doc, "seconds", r->diff->duration[side] / 1e9);
	out_doc_end(r->doc);
}

static void add_whole(
	const struct report *r, const char *key, const struct ana_whole *whole, const char *line)
{
	out_doc_fact(r->doc, NULL, key, line);
	out_doc_begin(r->doc, key, NULL);
	out_doc_real(r->doc, "change_percent", percent(whole->ratio.value));
	if (whole->has_interval && isfinite(whole->ratio.high)) {
		out_doc_real(r->doc, "low_percent", percent(whole->ratio.low));
		out_doc_real(r->doc, "high_percent", percent(whole->ratio.high));
	}
	out_doc_bool(r->doc, "is_changed", whole->is_changed);
	out_doc_end(r->doc);
}

static void add_total(const struct report *r)
{
	const struct ana_whole *whole = &r->diff->whole;
	char interval[INTERVAL_SIZE];
	const char *line = out_doc_format(r->doc, "%+.1f %%%s%s%s", percent(whole->ratio.value),
		whole->has_interval ? " (" : "",
		whole->has_interval ? format_interval(&whole->ratio, interval) : "",
		whole->has_interval ? ")" : "");

	add_whole(r, "total", whole, line);
}

/* Say what most functions have in common. The tables show what is beyond it. */
static void add_common(const struct report *r)
{
	const struct ana_whole *common = &r->diff->common;
	double change = percent(common->ratio.value);
	char interval[INTERVAL_SIZE];
	const char *line;

	if (!common->has_interval)
		line = out_doc_format(r->doc,
			"%+.1f %% in most functions, perhaps noise: compare several recordings",
			change);
	else if (common->is_changed)
		line = out_doc_format(r->doc, "everything %s by %.1f %% (%s)",
			change < 0 ? "shrank" : "grew", fabs(change),
			format_interval(&common->ratio, interval));
	else
		line = out_doc_format(r->doc, "%+.1f %% (%s) in most functions, within noise",
			change, format_interval(&common->ratio, interval));
	add_whole(r, "common", common, line);
}

/* Warn of binaries whose functions can only be compared on one side. */
static struct pd_error *add_one_sided(const struct report *r, struct prof_event_id event)
{
	static const char *const names[] = { "before", "after" };
	_cleanup_(ana_one_sided_deinit) struct ana_one_sided_list found;
	struct pd_error *err = ana_one_sided_find(r->profile, r->sides, event, &found);

	for (size_t i = 0; !err && i < found.list.n; i++) {
		const struct ana_one_sided *binary = &found.list.data[i];
		const char *name = prof_string(r->profile, binary->binary);
		const char *named = names[binary->named];
		const char *line = out_doc_format(r->doc,
			"the functions of %s have names %s the change only, so they seem to %s",
			base_file_name(name), named,
			binary->named == ANA_BEFORE ? "have vanished" : "be new");

		out_doc_fact(r->doc, NULL, "warning", line);
		out_doc_begin_item(r->doc, "unnamed_on_one_side", NULL);
		out_doc_fact(r->doc, "binary", NULL, name);
		out_doc_fact(r->doc, "named", NULL, named);
		out_doc_end(r->doc);
	}
	return err;
}

/* Tables of changes. */

/* The first columns of each row, which add_cells() fills. Columns of a title NULL are hidden. */
#define CHANGE_COLUMNS(of_unit, interval_title) \
	{ .key = "before", .title = "before", .kind = OUT_CELL_AMOUNT, .unit = (of_unit) }, \
		{ .key = "after", .title = "after", .kind = OUT_CELL_AMOUNT, .unit = (of_unit) }, \
		{ .key = "change", \
			.title = "change", \
			.kind = OUT_CELL_DIFFERENCE, \
			.unit = (of_unit) }, \
		{ .key = "margin", .kind = OUT_CELL_AMOUNT }, \
		{ .key = "change_percent", .title = "relative", .kind = OUT_CELL_CHANGE }, \
		{ .title = (interval_title), .kind = OUT_CELL_TEXT }, \
		{ .key = "low_percent", .kind = OUT_CELL_CHANGE }, \
		{ .key = "high_percent", .kind = OUT_CELL_CHANGE }, \
		{ .key = "share_before_percent", .kind = OUT_CELL_SHARE }, \
		{ .key = "share_after_percent", .kind = OUT_CELL_SHARE }, \
		{ .key = "share_change", \
			.title = (interval_title) ? "share" : NULL, \
			.kind = OUT_CELL_CHANGE }, \
		{ .key = "samples_before", .kind = OUT_CELL_COUNT }, \
		{ .key = "samples_after", .kind = OUT_CELL_COUNT }, \
		{ .key = "p", .kind = OUT_CELL_RATIO }, \
	{ \
		.key = "kind", .kind = OUT_CELL_TEXT \
	}

static const char *kind_of(const struct ana_change *change)
{
	if (!change->samples[ANA_BEFORE])
		return "appeared";
	if (!change->samples[ANA_AFTER])
		return "vanished";
	return change->difference < 0 ? "shrank" : "grew";
}

static void add_real(struct out_table *table, double number)
{
	if (isfinite(number))
		out_table_real(table, number);
	else
		out_table_empty(table);
}

static void add_interval(struct out_table *table, const struct ana_change *change)
{
	char interval[INTERVAL_SIZE];
	bool is_on_both = change->samples[ANA_BEFORE] && change->samples[ANA_AFTER];

	out_table_text(
		table, is_on_both ? format_interval(&change->ratio, interval) : kind_of(change));
}

static void add_cells(struct out_table *table, const struct ana_change *change)
{
	const double *share = change->share;

	out_table_count(table, (uint64_t)llround(change->amount[ANA_BEFORE]));
	out_table_count(table, (uint64_t)llround(change->amount[ANA_AFTER]));
	out_table_real(table, change->difference);
	out_table_count(table, (uint64_t)llround(change->margin));
	add_real(table, percent(change->ratio.value));
	add_interval(table, change);
	add_real(table, percent(change->ratio.low));
	add_real(table, percent(change->ratio.high));
	out_table_real(table, 100 * share[ANA_BEFORE]);
	out_table_real(table, 100 * share[ANA_AFTER]);
	out_table_real(table, 100 * (share[ANA_AFTER] - share[ANA_BEFORE]));
	out_table_count(table, change->samples[ANA_BEFORE]);
	out_table_count(table, change->samples[ANA_AFTER]);
	out_table_real(table, change->p);
	out_table_text(table, kind_of(change));
}

static int compare_changes(const void *a, const void *b)
{
	const struct ana_change *x = *(const struct ana_change *const *)a;
	const struct ana_change *y = *(const struct ana_change *const *)b;
	double of_x = fabs(x->difference), of_y = fabs(y->difference);

	if (of_x != of_y)
		return of_x < of_y ? 1 : -1;
	return x < y ? -1 : x > y;
}

/* Add a table of the functions whose SELF or TOTAL changed, by the amount of the change. */
static struct pd_error *add_functions(
	const struct report *r, enum ana_column_kind kind, const char *key, const char *title)
{
	const struct out_column columns[] = {
		CHANGE_COLUMNS(cell_unit(r), "interval"),
		{ .key = "function", .title = "function", .kind = OUT_CELL_FUNCTION },
	};
	const struct ana_diff *diff = r->diff;
	size_t n = 0, limit = out_report_limit(&r->opts->format.report, DEFAULT_ROWS);
	const struct ana_change **list = base_calloc_n(diff->changes.n, sizeof(*list));
	struct out_table *table = out_doc_table(r->doc, key, title, columns, PD_ARRAY_LEN(columns));

	if (!list)
		return &pd_enomem;
	for (size_t i = 0; i < diff->changes.n; i++) {
		const struct ana_change *change = &diff->changes.data[i];

		if (change->is_changed && change->column.kind == kind)
			list[n++] = change;
	}
	qsort(list, n, sizeof(*list), compare_changes);
	for (size_t i = 0; i < n && i < limit; i++) {
		uint32_t symbol = list[i]->column.symbol;

		out_table_row(table, NULL);
		add_cells(table, list[i]);
		out_report_add_function(table, r->symbols, symbol);
	}
	out_table_set_noun(table, "function");
	out_table_set_left_out(table, n > limit ? n - limit : 0);
	free(list);
	return NULL;
}

/* Call paths. */

static struct pd_error *add_path(
	const struct report *r, struct out_table *table, const struct ana_change *change)
{
	/* Columns that the numbers of a row take. */
	enum { NUMBERS = 38 };
	uint32_t n;
	const uint32_t *symbols = ana_path(&r->diff->columns, change->column.path, &n);

	return out_report_add_callers(
		table, r->symbols, symbols, n, NUMBERS, r->opts->format.text.width);
}

/* Add the paths to changed functions that took part in the change. They are sorted. */
static struct pd_error *add_paths(const struct report *r)
{
	const struct out_column columns[] = {
		CHANGE_COLUMNS(cell_unit(r), NULL),
		OUT_CALLERS_COLUMNS("path", "path"),
	};
	struct out_table *table = out_doc_table(
		r->doc, "paths", "Call paths of changes by self", columns, PD_ARRAY_LEN(columns));
	size_t n = 0, limit = out_report_limit(&r->opts->format.report, DEFAULT_ROWS);

	for (size_t i = 0; i < r->diff->paths.n; i++) {
		const struct ana_change *change = &r->diff->paths.data[i];

		if (fabs(change->difference) <= change->margin || n++ >= limit)
			continue;
		out_table_row(table, NULL);
		add_cells(table, change);
		struct pd_error *err = add_path(r, table, change);
		if (err)
			return err;
	}
	out_table_set_noun(table, "path");
	out_table_set_left_out(table, n > limit ? n - limit : 0);
	return NULL;
}

/* Count the functions that did not change. A function has up to two changes: SELF and TOTAL. */
static struct pd_error *add_unchanged(const struct report *r)
{
	const struct ana_diff *diff = r->diff;
	_cleanup_free_ unsigned char *state = base_calloc_n(r->symbols->list.n, 1);
	enum { COMPARED = 1, CHANGED = 2 };
	size_t n_same = 0, n_changed = 0;

	if (!state)
		return &pd_enomem;
	for (size_t i = 0; i < diff->changes.n; i++) {
		const struct ana_change *change = &diff->changes.data[i];

		state[change->column.symbol] |= change->is_changed ? CHANGED : COMPARED;
	}
	for (size_t i = 0; i < r->symbols->list.n; i++) {
		n_same += state[i] == COMPARED;
		n_changed += (state[i] & CHANGED) != 0;
	}
	const char *line = out_doc_format(r->doc,
		"\n%zu function%s did not change beyond noise, and %zu %s too small to compare",
		n_same, base_plural(n_same), diff->n_skipped, diff->n_skipped == 1 ? "is" : "are");
	out_doc_lines(r->doc, NULL, line);
	out_doc_number(r->doc, "functions_changed", n_changed);
	out_doc_number(r->doc, "functions_unchanged", n_same);
	out_doc_number(r->doc, "functions_too_small", diff->n_skipped);
	return NULL;
}

/* Note what grew by more than the user accepts. */

/* Note @p name, which has grown, if nothing has grown by a larger amount. */
static void note(struct out_growth *growth, const char *name, double change, double amount)
{
	if (!(change > growth->limit))
		return;
	growth->n++;
	if (growth->n > 1 && amount <= growth->amount)
		return;
	char *copy = strdup(name);
	PD_IS_OWNED(copy, "the caller of out_report_write_diff() frees it");
	free(growth->name);
	growth->name = copy;
	growth->has_failed |= !copy;
	growth->percent = change;
	growth->amount = amount;
}

static void note_functions(
	const struct report *r, enum ana_column_kind kind, struct out_growth *growth)
{
	for (size_t i = 0; i < r->diff->changes.n; i++) {
		const struct ana_change *change = &r->diff->changes.data[i];

		if (change->is_changed && change->column.kind == kind)
			note(growth, ana_symbol_name(r->symbols, change->column.symbol),
				percent(change->ratio.value), change->difference);
	}
}

/* A function that grew with what it calls is only noted if none of these grew by itself. */
static void note_growth(const struct report *r, struct out_growth *growth)
{
	const struct ana_whole *common = &r->diff->common;
	size_t n_before;

	if (!common->has_interval && percent(common->ratio.value) > growth->limit &&
		percent(common->ratio.value) > growth->unsure_percent)
		growth->unsure_percent = percent(common->ratio.value);
	if (common->is_changed)
		note(growth, "everything", percent(common->ratio.value), INFINITY);
	n_before = growth->n;
	note_functions(r, ANA_COLUMN_SELF, growth);
	if (growth->n == n_before)
		note_functions(r, ANA_COLUMN_TOTAL, growth);
}

/* The document. */

static struct pd_error *add_event(const struct report *r, struct prof_event_id event)
{
	const char *name = prof_string(r->profile, prof_event(r->profile, event)->name);

	out_doc_line(r->doc, NULL, out_doc_format(r->doc, "Event %s", name));
	out_doc_fact(r->doc, "event", NULL, name);
	out_doc_fact(r->doc, "unit", NULL, r->unit);
	add_side(r, ANA_BEFORE, "before");
	add_side(r, ANA_AFTER, "after");
	add_total(r);
	add_common(r);
	struct pd_error *err = add_one_sided(r, event);
	if (err)
		return err;
	err = add_functions(
		r, ANA_COLUMN_SELF, "functions_by_self", "Changes beyond that, by self");
	if (err)
		return err;
	err = add_functions(r, ANA_COLUMN_TOTAL, "functions_by_total",
		"Changes beyond that, by total (with callees)");
	if (err)
		return err;
	err = add_paths(r);
	return err ? err : add_unchanged(r);
}

static struct pd_error *compare(struct report *r, struct prof_event_id event)
{
	const struct prof_event *entry = prof_event(r->profile, event);
	const struct ana_diff_opts opts = {
		.sides = r->sides,
		.event = event,
		.least_share =
			out_report_least_share(&r->opts->format.report, default_percent_limit) /
			100,
	};
	_cleanup_(ana_diff_deinit) struct ana_diff diff = { 0 };
	struct pd_error *err = ana_diff_create(r->profile, r->symbols, &opts, &diff);

	if (err)
		return err;
	r->diff = &diff;
	r->unit = prof_string(r->profile, entry->unit);
	out_doc_begin_item(r->doc, "by_event", NULL);
	err = add_event(r, event);
	out_doc_end(r->doc);
	struct out_growth *growth = r->opts->growth;
	if (growth)
		note_growth(r, growth);
	r->diff = NULL;
	return !err && growth && growth->has_failed ? &pd_enomem : err;
}

/* Say which events have samples, but are not compared. */
static struct pd_error *add_others(const struct report *r, const bool *is_shown)
{
	char *text = NULL;
	size_t size, n = 0;
	FILE *out = base_memstream_open(&text, &size);

	if (!out)
		return &pd_enomem;
	for (size_t i = 0; i < r->profile->events.n; i++) {
		const struct prof_event *event = &r->profile->events.data[i];

		if (!is_shown[i] && event->total.samples)
			fprintf(out, "%s%s", n++ ? ", " : "", prof_string(r->profile, event->name));
	}
	bool is_written = base_memstream_close(out, &text);
	if (is_written && n)
		out_doc_fact(r->doc, "not_compared", "not compared", text);
	free(text);
	return is_written ? NULL : &pd_enomem;
}

static struct pd_error *fill(struct report *r)
{
	_cleanup_free_ bool *is_shown = base_calloc_n(r->profile->events.n, sizeof(*is_shown));
	struct pd_error *err = NULL;

	if (!is_shown)
		return &pd_enomem;
	out_find_shown(r->profile, r->opts, is_shown);
	out_doc_fact(r->doc, "pairs", "binaries", r->opts->pairs);
	for (struct prof_event_id id = { 0 }; !err && id.i < r->profile->events.n; id.i++) {
		if (is_shown[id.i])
			err = compare(r, id);
	}
	return err ? err : add_others(r, is_shown);
}

struct pd_error *out_report_write_diff(const struct profile *profile,
	const struct out_write_opts *opts, const struct ana_sides *sides, FILE *out)
{
	_cleanup_(ana_symbols_deinit) struct ana_symbols symbols = { 0 };
	struct report r = {
		.doc = out_doc_create("diff"),
		.profile = profile,
		.symbols = &symbols,
		.sides = sides,
		.opts = opts,
	};
	struct pd_error *err = r.doc ? ana_symbols_create(profile, &symbols) : &pd_enomem;

	if (!err)
		err = fill(&r);
	if (!err)
		err = out_doc_write(r.doc, &opts->format.text, out);
	out_doc_destroy(r.doc);
	return err;
}

struct pd_error *out_report_prepare_diff(
	const struct out_write_opts *opts, struct prof_request *request)
{
	(void)opts;
	request->tags |= 1u << PROF_TAG_TIME;
	request->ledger = true;
	request->ledger_if_known = true;
	return NULL;
}
