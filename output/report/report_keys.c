#include "output/report/report_keys.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/keys/key_table.h"
#include "base/analyzer.h"
#include "base/cleanup.h"
#include "output/report/report_columns.h"

/*
 * Functions of system calls and faults. Those that perf shows by default have other names in
 * kernels since 4.17.
 */
static const char default_parent[] =
	"^(__[a-z0-9]+_(compat_)?)?sys_|^(do|exc|asm_exc|handle)_page_fault";

/* A table that is written. */
/* Rows of a table by default. */
enum { DEFAULT_ROWS = 20 };

/* Step of the key time, in ns. */
static const uint64_t DEFAULT_TIME_STEP = 100000000;

struct report {
	const struct pd_report_opts *opts;
	struct ana_table table;
	struct out_sums sums;
	struct out_table *to;
	/** Columns of the events. */
	const uint32_t *columns;
	uint64_t wholes[OUT_MAX_EVENTS];
	uint64_t latencies[OUT_MAX_EVENTS];
	/** Rows that a limit left out. */
	size_t n_left_out;
};

static struct pd_error *add_keys(
	struct ana_keys *keys, const char *const *names, size_t n, size_t *n_groups)
{
	for (size_t i = 0; i < n; i++) {
		struct pd_error *err = ana_keys_add(keys, names[i]);

		if (err)
			return err;
	}
	*n_groups = keys->n;
	return NULL;
}

/* Steps of the key time in ns; 0: times are exact. */
static uint64_t time_step(const struct pd_report_opts *opts)
{
	double seconds = opts->time_quantum;

	if (seconds < 0)
		return 0;
	return seconds > 0 ? (uint64_t)(seconds * 1e9) : DEFAULT_TIME_STEP;
}

/* Find the keys: those of groups first. */
static struct pd_error *find_keys(
	const struct pd_report_opts *opts, struct ana_keys *ret, size_t *n_groups_ret)
{
	static const char *const by_latency[] = { "latency", "overhead", "comm", "sym" };
	size_t n;

	*ret = (struct ana_keys){ 0 };
	struct pd_error *err = add_keys(ret, opts->group_by, opts->n_group_by, n_groups_ret);
	/* Other keys of the user take the place of the last two. */
	if (!err && opts->latency)
		err = add_keys(ret, by_latency, opts->n_sort || ret->n ? 2 : 4, &n);
	if (!err)
		err = add_keys(ret, opts->sort, opts->n_sort, &n);
	if (!err && !ret->n)
		return pd_error_create(PD_ERROR_USAGE, NULL,
			"a table needs a key that is not a sum, in addition to '%s'",
			ana_key_row(ret->sums[0])->name);
	return err;
}

static struct pd_error *create_parent(const struct pd_report_opts *opts, struct base_pattern **ret)
{
	return base_pattern_create(opts->parent ? opts->parent : default_parent, ret);
}

struct pd_error *out_report_sort_prepare(
	const struct pd_report_opts *opts, struct prof_request *request)
{
	struct ana_keys keys;
	size_t n_groups;
	struct base_pattern *parent = NULL;

	if (!out_report_has_table(opts))
		return NULL;
	struct pd_error *err = find_keys(opts, &keys, &n_groups);
	if (err)
		return err;
	err = create_parent(opts, &parent);
	if (err)
		return err;
	base_pattern_destroy(parent);
	ana_keys_request(&keys, request);
	return NULL;
}

/* Whether rows have totals besides what they have themselves. */
static bool has_total(const struct report *r)
{
	const struct ana_keys *keys = &r->table.opts.keys;

	return keys->has_frame && keys->counted == ANA_COUNT_SAMPLES && !r->opts->no_children;
}

static void add_sums(struct report *r)
{
	const struct ana_keys *keys = &r->table.opts.keys;
	bool is_one = r->sums.events->n == 1;

	for (size_t i = 0; i < keys->n_sums; i++)
		out_sums_add(&r->sums, keys->sums[i], OUT_SUM_BY_NAME);
	if (!keys->n_sums) {
		out_sums_add(&r->sums, ANA_KEY_OVERHEAD, OUT_SUM_BY_EVENT);
		/* Both sums of several events do not fit into a line. */
		if (has_total(r))
			out_sums_add(&r->sums, ANA_KEY_OVERHEAD_CHILDREN,
				is_one ? OUT_SUM_BY_NAME : OUT_SUM_HIDDEN);
		else if (is_one)
			r->sums.columns[0].title = "share";
	}
	out_sums_add_optional(&r->sums, r->opts);
	out_sums_add_ratios(&r->sums, ANA_KEY_OVERHEAD);
}

/* In JSON, names of fields are set apart from those of keys. */
static const char *column_key(struct out_doc *doc, const struct ana_keys *keys, size_t i)
{
	char buf[256];

	if (keys->list[i] != ANA_KEY_FIELD)
		return ana_keys_name(keys, i);
	snprintf(buf, sizeof(buf), "field.%s", ana_keys_name(keys, i));
	return out_doc_keep(doc, buf);
}

static void begin_table(struct out_doc *doc, struct report *r)
{
	const struct ana_keys *keys = &r->table.opts.keys;
	struct out_column columns[OUT_MAX_SUMS + ANA_MAX_KEYS];

	add_sums(r);
	memcpy(columns, r->sums.columns, r->sums.n * sizeof(*columns));
	for (size_t i = 0; i < keys->n; i++)
		columns[r->sums.n + i] = (struct out_column){ column_key(doc, keys, i),
			.title = ana_keys_title(keys, i) };
	r->to = out_doc_table(doc, "table", "", columns, r->sums.n + keys->n);
}

/* Rows are shown by the largest of their shares, which is the total if that is shown. */
static bool is_large(const struct report *r, const struct ana_sums *sums)
{
	bool by_total = has_total(r);

	for (size_t i = 0; i < r->sums.events->n; i++) {
		uint64_t period = by_total ? sums[i].total.period : sums[i].self.period;

		if (100.0 * (double)period >=
			out_report_least_share(r->opts, 0) * (double)r->wholes[i])
			return true;
	}
	return false;
}

/*
 * Events have different units: if they are rows, the shares of a row are of its event. Group rows
 * of other keys sum up several events, and have the shares of all.
 */
static void set_whole(struct report *r, size_t level, uint32_t row)
{
	const struct ana_keys *keys = &r->table.opts.keys;
	const struct profile *profile = r->table.profile;
	char buf[ANA_KEY_TEXT_SIZE];
	const char *name = NULL;

	for (size_t i = 0; i < r->table.levels[level].n_keys; i++) {
		if (keys->list[i] == ANA_KEY_EVENT)
			name = ana_table_text(&r->table, level, row, i, buf);
	}
	if (!name || !r->sums.events->are_rows)
		return;
	for (struct prof_event_id id = { 0 }; id.i < profile->events.n; id.i++) {
		const struct prof_event *event = prof_event(profile, id);

		if (strcmp(prof_string(profile, event->name), name) == 0)
			r->wholes[0] = r->table.wholes[id.i].period;
	}
}

/* Fill the cells of the keys that the level adds to those of the level before. */
static void add_texts(struct report *r, size_t level, uint32_t row)
{
	size_t first = level ? r->table.levels[level - 1].n_keys : 0;
	char buf[ANA_KEY_TEXT_SIZE];

	for (size_t i = 0; i < first; i++)
		out_table_empty(r->to);
	for (size_t i = first; i < r->table.levels[level].n_keys; i++)
		out_table_text(r->to, ana_table_text(&r->table, level, row, i, buf));
}

static void add_row(struct report *r, size_t level, uint32_t row, const struct ana_sums *sums)
{
	/* In a table without groups, rows are not nested. */
	const struct out_row_place place = { .depth = (unsigned)level };

	out_table_row(r->to, &place);
	out_sums_fill(&r->sums, r->to, sums, r->wholes);
	add_texts(r, level, row);
}

/* Add the rows of @p group, which is a row of the level before, with those below them. */
static void add_rows(struct report *r, size_t level, uint32_t group)
{
	size_t n = 0;

	for (uint32_t row = ana_table_first(&r->table, level, group); row != PROF_NONE;
		row = ana_table_next(&r->table, level, row)) {
		struct ana_sums sums[OUT_MAX_EVENTS] = { 0 };

		for (size_t i = 0; i < r->sums.events->n; i++)
			sums[i] = ana_table_sums(&r->table, level, row, i);
		set_whole(r, level, row);
		if (!is_large(r, sums) || n++ >= out_report_limit(r->opts, DEFAULT_ROWS)) {
			r->n_left_out++;
			continue;
		}
		add_row(r, level, row, sums);
		if (level + 1 < r->table.n_levels)
			add_rows(r, level + 1, row);
	}
}

static struct pd_error *count(
	struct report *r, const struct profile *profile, const struct out_report_events *events)
{
	struct ana_table_opts opts = {
		.columns = r->columns,
		.n_columns = events->n,
		.time_quantum = time_step(r->opts),
		.has_leaf_only = r->opts->no_children,
	};
	struct base_pattern *parent = NULL;
	struct pd_error *err = find_keys(r->opts, &opts.keys, &opts.n_groups);

	if (!err)
		err = ana_keys_check(&opts.keys, profile);
	if (!err)
		err = create_parent(r->opts, &parent);
	if (err)
		return err;
	opts.parent = parent;
	err = r->columns ? ana_table_create(profile, &opts, &r->table) : &pd_enomem;
	base_pattern_destroy(parent);
	return err;
}

struct pd_error *out_report_add_sorted(struct out_doc *doc, const struct profile *profile,
	const struct pd_report_opts *opts, const struct out_report_events *events)
{
	_cleanup_free_ uint32_t *columns = out_report_event_columns(profile, events);
	struct report r = {
		.opts = opts,
		.columns = columns,
		.sums = out_sums_begin(doc, profile, events),
	};
	struct pd_error *err = count(&r, profile, events);

	if (err)
		return err;
	for (size_t i = 0; i < events->n; i++) {
		r.wholes[i] = ana_table_whole(&r.table, i);
		r.latencies[i] = ana_table_whole_latency(&r.table, i);
	}
	r.sums.latencies = r.latencies;
	begin_table(doc, &r);
	add_rows(&r, 0, 0);
	out_table_set_left_out(r.to, r.n_left_out);
	ana_table_deinit(&r.table);
	return NULL;
}
