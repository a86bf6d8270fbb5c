#include "output/report/overview.h"

#include <string.h>

#include "analyze/keys/key_table.h"
#include "analyze/waits/waits.h"
#include "base/array.h"
#include "base/cleanup.h"
#include "output/report/report_columns.h"
#include "output/report/report_waits.h"

/* Rows of a table by default; what follows is summed up. */
enum { DEFAULT_ROWS = 4 };

/* A table of the overview. */
struct section {
	enum ana_key key;
	const char *name;
	const char *title;
	/** The section about waits shows the same. */
	bool is_in_waits;
	/** Table that is shown if this one would have a single row; NULL: none. */
	const struct section *instead;
};

struct overview {
	struct out_doc *doc;
	const struct profile *profile;
	struct prof_event_id event;
	size_t limit;
	/** The section about waits has the time of threads for the event. */
	bool is_in_waits;
};

static size_t count_rows(const struct ana_table *t)
{
	size_t n = 0;

	for (uint32_t row = ana_table_first(t, 0, 0); row != PROF_NONE;
		row = ana_table_next(t, 0, row))
		n++;
	return n;
}

/* Add a row. The unit of times is that of the column. */
static void add_bar(
	struct out_table *to, const struct prof_value *value, uint64_t whole, const char *text)
{
	out_table_share(to, value->period, whole);
	out_table_count(to, value->period);
	out_table_count(to, value->samples);
	out_table_text(to, strcmp(text, "swapper") == 0 ? "swapper (idle)" : text);
}

static struct out_table *begin_table(const struct overview *o, const struct section *section)
{
	const char *unit = prof_string(o->profile, prof_event(o->profile, o->event)->unit);
	bool is_time = strcmp(unit, "nanoseconds") == 0;
	const struct out_column columns[] = {
		{ .key = "percent", .title = "share", .kind = OUT_CELL_SHARE, .has_bar = true },
		{ .key = "period",
			.title = is_time ? "time" : NULL,
			.kind = OUT_CELL_AMOUNT,
			.unit = "nanoseconds" },
		{ .key = "samples", .title = is_time ? NULL : "samples", .kind = OUT_CELL_COUNT },
		{ .key = ana_key_row(section->key)->name, .title = "", .kind = OUT_CELL_TEXT },
	};
	/* Without a title, only JSON has the table. */
	const char *title = section->is_in_waits && o->is_in_waits ? NULL : section->title;

	return out_doc_table(o->doc, section->name, title, columns, PD_ARRAY_LEN(columns));
}

/* Add the rows that have samples at the leaf. Those that are not shown are summed up. */
static void add_bars(
	const struct overview *o, const struct ana_table *t, const struct section *section)
{
	const struct out_row_place rest_place = { .is_summary = true };
	uint64_t whole = ana_table_whole(t, 0);
	struct prof_value rest = prof_event(o->profile, o->event)->total;
	size_t n_rows = count_rows(t);
	/* A row that sums up a single one would take as much room as that one. */
	size_t n_shown = n_rows > o->limit + 1 ? o->limit : n_rows;
	size_t n = 0;
	char buf[ANA_KEY_TEXT_SIZE];
	struct out_table *to = begin_table(o, section);

	for (uint32_t row = ana_table_first(t, 0, 0); n < n_shown;
		row = ana_table_next(t, 0, row), n++) {
		struct prof_value self = ana_table_sums(t, 0, row, 0).self;

		out_table_row(to, NULL);
		add_bar(to, &self, whole, ana_table_text(t, 0, row, 0, buf));
		rest.period -= self.period < rest.period ? self.period : rest.period;
		rest.samples -= self.samples < rest.samples ? self.samples : rest.samples;
	}
	if (n_rows == n_shown)
		return;
	out_table_row(to, &rest_place);
	snprintf(buf, sizeof(buf), "%zu more", n_rows - n_shown);
	add_bar(to, &rest, whole, buf);
	out_table_set_summed_up(to, n_rows - n_shown);
}

static struct pd_error *add_section(const struct overview *o, const struct section *section)
{
	const struct out_report_events events = { .list = { o->event }, .n = 1 };
	_cleanup_free_ uint32_t *columns = out_report_event_columns(o->profile, &events);
	const struct ana_table_opts opts = {
		.keys = { .list = { section->key }, .n = 1 },
		.columns = columns,
		.n_columns = 1,
		.has_leaf_only = true,
	};
	struct ana_table table;

	if (!columns)
		return &pd_enomem;
	struct pd_error *err = ana_table_create(o->profile, &opts, &table);
	if (err)
		return err;
	bool is_shown = count_rows(&table) > 1;
	if (is_shown)
		add_bars(o, &table, section);
	ana_table_deinit(&table);
	if (is_shown || !section->instead)
		return NULL;
	return add_section(o, section->instead);
}

struct pd_error *out_report_add_overview(struct out_doc *doc, const struct profile *profile,
	const struct out_write_opts *opts, struct prof_event_id event)
{
	static const struct section threads = { ANA_KEY_TID, "tids", "Threads", true, NULL };
	static const struct section sections[] = {
		{ ANA_KEY_COMM, "commands", "Commands", true, &threads },
		{ ANA_KEY_DSO, "binaries", "Binaries", false, NULL },
	};
	struct prof_event_id waits = out_report_wait_event(profile, opts);
	const struct overview o = {
		.doc = doc,
		.profile = profile,
		.event = event,
		.limit = out_report_limit(&opts->format.report, DEFAULT_ROWS),
		.is_in_waits = !prof_is_none(waits) &&
			       prof_same_event(event, ana_wait_on_cpu(profile, waits)),
	};

	for (size_t i = 0; i < PD_ARRAY_LEN(sections); i++) {
		struct pd_error *err = add_section(&o, &sections[i]);

		if (err)
			return err;
	}
	return NULL;
}
