#include "output/report/overview.h"

#include <string.h>

#include "analyze/table.h"
#include "base/array.h"
#include "base/cleanup.h"
#include "output/report/events.h"

/* Rows of a table; what follows is summed up. */
enum { MAX_BARS = 4 };

/* A table of the overview. */
struct overview {
	enum ana_key key;
	const char *name;
	const char *title;
	/** Table that is shown if this one would have a single row; NULL: none. */
	const struct overview *instead;
};

static bool has_rows(const struct ana_table *t)
{
	uint32_t first = ana_table_first(t, 0, 0);

	return first != PROF_NONE && ana_table_next(t, 0, first) != PROF_NONE;
}

/* Add a row. The unit of times is that of the column. */
static void add_bar(struct out_table *to, uint64_t period, uint64_t whole, const char *text)
{
	out_table_share(to, period, whole);
	out_table_count(to, period);
	out_table_text(to, strcmp(text, "swapper") == 0 ? "swapper (idle)" : text);
}

/* Add the rows that have samples at the leaf. Those that are not shown are summed up. */
static void add_bars(struct out_doc *doc, const struct ana_table *t, const struct overview *about,
	const char *unit)
{
	bool is_time = strcmp(unit, "nanoseconds") == 0;
	const struct out_column columns[] = {
		{ .key = "percent", .title = "", .kind = OUT_CELL_SHARE, .has_bar = true },
		{ .key = "period",
			.title = is_time ? "" : NULL,
			.kind = OUT_CELL_AMOUNT,
			.unit = "nanoseconds" },
		{ .key = ana_key_row(about->key)->name, .title = "", .kind = OUT_CELL_TEXT },
	};
	const struct out_row_place rest_place = { .is_summary = true };
	uint64_t whole = ana_table_whole(t, 0);
	uint64_t rest = whole;
	size_t n = 0;
	char buf[ANA_KEY_TEXT_SIZE];
	struct out_table *to =
		out_doc_table(doc, about->name, about->title, columns, PD_ARRAY_LEN(columns));

	for (uint32_t row = ana_table_first(t, 0, 0); row != PROF_NONE;
		row = ana_table_next(t, 0, row)) {
		uint64_t period = ana_table_sums(t, 0, row, 0).self.period;

		if (n++ >= MAX_BARS)
			continue;
		out_table_row(to, NULL);
		add_bar(to, period, whole, ana_table_text(t, 0, row, 0, buf));
		rest -= period < rest ? period : rest;
	}
	if (n <= MAX_BARS)
		return;
	out_table_row(to, &rest_place);
	snprintf(buf, sizeof(buf), "%zu more", n - MAX_BARS);
	add_bar(to, rest, whole, buf);
	out_table_set_summed_up(to, n - MAX_BARS);
}

static struct pd_error *add_overview(struct out_doc *doc, const struct profile *profile,
	struct prof_event_id event, const struct overview *about)
{
	const struct out_report_events events = { .list = { event }, .n = 1 };
	_cleanup_free_ uint32_t *columns = out_report_event_columns(profile, &events);
	const struct ana_table_opts opts = {
		.keys = { .list = { about->key }, .n = 1 },
		.columns = columns,
		.n_columns = 1,
		.has_leaf_only = true,
	};
	struct ana_table table;

	if (!columns)
		return &pd_enomem;
	struct pd_error *err = ana_table_create(profile, &opts, &table);
	if (err)
		return err;
	bool is_shown = has_rows(&table);
	if (is_shown)
		add_bars(doc, &table, about,
			profile_string(profile, profile_event(profile, event)->unit));
	ana_table_deinit(&table);
	if (is_shown || !about->instead)
		return NULL;
	return add_overview(doc, profile, event, about->instead);
}

struct pd_error *out_report_add_overview(
	struct out_doc *doc, const struct profile *profile, struct prof_event_id event)
{
	static const struct overview threads = { ANA_KEY_TID, "tids", "Threads", NULL };
	static const struct overview tables[] = {
		{ ANA_KEY_COMM, "commands", "Commands", &threads },
		{ ANA_KEY_DSO, "binaries", "Binaries", NULL },
	};

	for (size_t i = 0; i < PD_ARRAY_LEN(tables); i++) {
		struct pd_error *err = add_overview(doc, profile, event, &tables[i]);

		if (err)
			return err;
	}
	return NULL;
}
