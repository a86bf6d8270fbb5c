#include "output/report/report_functions.h"

#include <stdlib.h>

#include "analyze/rows.h"
#include "base/array.h"
#include "base/cleanup.h"
#include "base/plural.h"
#include "base/system/libc.h"
#include "output/report/report_cells.h"
#include "output/report/report_columns.h"
#include "profile/scaffolding.h"

/* The functions of the events, sorted by one sum of the first one. */
struct functions {
	const struct profile *profile;
	const struct ana_symbols *symbols;
	const struct pd_report_opts *opts;
	const struct out_report_events *events;
	struct ana_rows rows;
	/** Shares are of all samples of an event, including those without a stack. */
	uint64_t wholes[OUT_MAX_EVENTS];
	/** Symbols that occur. */
	uint32_t *order;
	size_t n;
	/** Some total is not what the function has itself. */
	bool has_totals;
};

static struct ana_sums sums_of(const struct functions *f, uint32_t row, size_t event)
{
	const struct ana_cell *cell = &ana_rows_at(&f->rows, row)[event];

	return (struct ana_sums){ .self = cell->self, .total = cell->total };
}

/* Order numbers from large to small. */
static int compare(uint64_t x, uint64_t y)
{
	return x < y ? 1 : x > y ? -1 : 0;
}

/* Ties are broken by the row's index, so that the order does not depend on qsort. */
static int compare_self(const void *a, const void *b, void *rows)
{
	uint32_t x = *(const uint32_t *)a;
	uint32_t y = *(const uint32_t *)b;
	const struct ana_cell *of_x = ana_rows_at(rows, x);
	const struct ana_cell *of_y = ana_rows_at(rows, y);
	int order = compare(of_x->self.period, of_y->self.period);

	order = order ? order : compare(of_x->total.period, of_y->total.period);
	return order ? order : x < y ? -1 : x > y;
}

static int compare_total(const void *a, const void *b, void *rows)
{
	uint32_t x = *(const uint32_t *)a;
	uint32_t y = *(const uint32_t *)b;
	const struct ana_cell *of_x = ana_rows_at(rows, x);
	const struct ana_cell *of_y = ana_rows_at(rows, y);
	int order = compare(of_x->total.period, of_y->total.period);

	order = order ? order : compare(of_x->self.period, of_y->self.period);
	return order ? order : x < y ? -1 : x > y;
}

/* A table of functions. */
struct section {
	const char *key;
	const char *title;
	enum ana_key sum;
	/** Rows by default: all tables of the report fit a screen. */
	size_t n_rows;
	int (*order)(const void *, const void *, void *);
};

/* Whether a function has a large enough share of an event, and some of it in itself. */
static bool is_shown(const struct functions *f, enum ana_key sum, uint32_t symbol)
{
	for (size_t i = 0; i < f->events->n; i++) {
		const struct ana_sums sums = sums_of(f, symbol, i);
		uint64_t period = ana_sum_of(sum, &sums);

		if (100.0 * (double)period >=
				out_report_least_share(f->opts, 0) * (double)f->wholes[i] &&
			(period || sum == ANA_KEY_OVERHEAD_CHILDREN))
			return true;
	}
	return false;
}

static void add_row(struct out_table *table, const struct functions *f, const struct out_sums *sums,
	uint32_t symbol)
{
	struct ana_sums of_row[OUT_MAX_EVENTS];

	for (size_t i = 0; i < f->events->n; i++)
		of_row[i] = sums_of(f, symbol, i);
	out_table_row(table, NULL);
	out_sums_fill(sums, table, of_row, f->wholes);
	out_report_add_function(table, f->symbols, symbol);
}

static void add_columns(
	struct out_sums *sums, const struct functions *f, const struct section *section)
{
	bool is_one = f->events->n == 1 && f->has_totals;

	/* Both sums of several events do not fit into a line. */
	out_sums_add(sums, ANA_KEY_OVERHEAD,
		is_one || section->sum == ANA_KEY_OVERHEAD ? OUT_SUM_BY_EVENT : OUT_SUM_HIDDEN);
	if (!f->opts->no_children)
		out_sums_add(sums, ANA_KEY_OVERHEAD_CHILDREN,
			is_one || section->sum != ANA_KEY_OVERHEAD ? OUT_SUM_BY_EVENT
								   : OUT_SUM_HIDDEN);
	out_sums_add_ratios(sums, section->sum);
	out_sums_add_optional(sums, f->opts);
	sums->columns[sums->n] = (struct out_column){
		.key = "function",
		.title = "",
		.kind = OUT_CELL_FUNCTION,
	};
}

/* Scaffolding has large totals, but explains nothing. */
static bool is_hidden(const struct functions *f, enum ana_key sum, uint32_t symbol)
{
	if (f->opts->shows_scaffolding || sum != ANA_KEY_OVERHEAD_CHILDREN)
		return false;
	for (size_t i = 0; i < f->events->n; i++) {
		const struct ana_sums sums = sums_of(f, symbol, i);

		if (sums.total.period &&
			!prof_is_passing_on(ana_symbol_pattern_name(f->symbols, symbol), &sums.self,
				&sums.total))
			return false;
	}
	return true;
}

/* Add how many functions are in no row, whatever the limit. */
static void add_hidden(struct out_doc *doc, struct out_table *table, size_t n)
{
	out_doc_number(doc, "hidden_functions", n);
	if (n)
		out_table_set_note(
			table, out_doc_format(doc, "%zu runtime function%s hidden (scaffolding)", n,
				       base_plural(n)));
}

/* Totals that repeat the first table are only in JSON: they have no title. */
static const char *title_of(const struct functions *f, const struct section *section)
{
	if (f->has_totals)
		return section->title;
	return section->sum == ANA_KEY_OVERHEAD ? "Top functions" : NULL;
}

static void add_table(struct out_doc *doc, struct functions *f, const struct section *section)
{
	struct out_sums sums = out_sums_begin(doc, f->profile, f->events);

	add_columns(&sums, f, section);
	struct out_table *table =
		out_doc_table(doc, section->key, title_of(f, section), sums.columns, sums.n + 1);
	if (f->n)
		base_sort_with(f->order, f->n, sizeof(*f->order), section->order, &f->rows);
	size_t limit = out_report_limit(f->opts, section->n_rows);
	size_t n = 0, n_hidden = 0;
	for (size_t i = 0; i < f->n; i++) {
		if (!is_shown(f, section->sum, f->order[i]))
			continue;
		if (is_hidden(f, section->sum, f->order[i]))
			n_hidden++;
		else if (n++ < limit)
			add_row(table, f, &sums, f->order[i]);
	}
	out_table_set_noun(table, "function");
	size_t n_left_out = n > limit ? n - limit : 0;
	out_table_set_left_out(table, n_left_out);
	if (section->sum == ANA_KEY_OVERHEAD_CHILDREN)
		add_hidden(doc, table, n_hidden);
}

/* Whether totals say more than what functions have themselves. They do not without stacks. */
static bool has_totals(const struct functions *f)
{
	for (size_t i = 0; i < f->n; i++) {
		for (size_t k = 0; k < f->events->n; k++) {
			const struct ana_sums sums = sums_of(f, f->order[i], k);

			if (sums.self.period != sums.total.period)
				return true;
		}
	}
	return false;
}

/* Return the column of each sample: that of its event. Allocated; NULL: no memory. */
static uint32_t *sample_columns(const struct functions *f)
{
	_cleanup_free_ uint32_t *of_events = out_report_event_columns(f->profile, f->events);
	uint32_t *columns = reallocarray(NULL, f->profile->samples.n + 1, sizeof(*columns));

	for (struct prof_sample_id id = { 0 }; of_events && columns && id.i < f->profile->samples.n;
		id.i++)
		columns[id.i] = of_events[prof_sample(f->profile, id)->event.i];
	if (of_events)
		return columns;
	free(columns);
	return NULL;
}

static struct pd_error *count(struct functions *f)
{
	_cleanup_free_ uint32_t *columns = sample_columns(f);

	for (size_t i = 0; i < f->events->n; i++)
		f->wholes[i] = prof_event(f->profile, f->events->list[i])->total.period;
	if (!columns)
		return &pd_enomem;
	struct pd_error *err =
		ana_rows_of_functions(f->profile, f->symbols, columns, f->events->n, &f->rows);
	if (err)
		return err;
	f->order = base_calloc_n(f->symbols->list.n, sizeof(*f->order));
	for (uint32_t i = 0; f->order && i < f->symbols->list.n; i++) {
		if (ana_rows_occurs(&f->rows, i))
			f->order[f->n++] = i;
	}
	return f->order ? NULL : &pd_enomem;
}

static void functions_deinit(struct functions *f)
{
	ana_rows_deinit(&f->rows);
	free(f->order);
}

struct pd_error *out_report_add_functions(struct out_doc *doc, const struct profile *profile,
	const struct ana_symbols *symbols, const struct pd_report_opts *opts,
	const struct out_report_events *events)
{
	static const struct section sections[] = {
		{ "functions_by_self", "Top functions by self", ANA_KEY_OVERHEAD, 8, compare_self },
		{ "functions_by_total", "Top functions by total", ANA_KEY_OVERHEAD_CHILDREN, 6,
			compare_total },
	};
	_cleanup_(functions_deinit) struct functions f = {
		.profile = profile,
		.symbols = symbols,
		.opts = opts,
		.events = events,
		.rows = { .n_columns = events->n },
	};
	struct pd_error *err = count(&f);

	if (err)
		return err;
	f.has_totals = has_totals(&f);
	add_table(doc, &f, &sections[0]);
	if (!opts->no_children)
		add_table(doc, &f, &sections[1]);
	return NULL;
}
