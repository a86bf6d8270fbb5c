#include "output/report/report_pgo.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/integer.h"
#include "base/containers/sort.h"
#include "base/system/libc.h"
#include "pgo/forecast.h"
#include "pgo/new_build.h"

/* Rows of a table by default. */
enum { DEFAULT_ROWS = 10 };

/* Smallest share of the runs of a function that do not fit for which it is listed. */
static const double least_misfits = 0.01;

/* The section, and the flow and the forecast that it shows. */
struct section {
	struct out_doc *doc;
	const struct profile *profile;
	struct pgo_flow flow;
	struct pgo_forecast forecast;
	size_t limit;
	/* Path of a newer build; NULL: none. */
	const char *new_build;
	/* Smallest density of an image with branches; 0: none has one. */
	double density;
};

void out_report_request_pgo(struct prof_request *request)
{
	request->edges = request->frame_offsets = true;
	request->code = true;
}

static void add_stacks(const struct section *s)
{
	const struct prof_branch_stats *stats = &s->profile->stats.branches;

	out_doc_number(s->doc, "branch_stacks", stats->n_stacks);
	out_doc_number(s->doc, "branches", stats->n_branches);
	out_doc_fact(s->doc, NULL, "branch stacks",
		stats->n_branches
			? out_doc_format(s->doc, "%" PRIu64 " branches in %" PRIu64 " samples",
				  stats->n_branches, stats->n_stacks)
			: "none: optimizers get the samples, which say less");
	if (stats->n_calls)
		out_doc_fact(s->doc, NULL, "left out",
			out_doc_format(s->doc,
				"%" PRIu64 " calls on the stack: other branches were taken between "
				"them",
				stats->n_calls));
	if (stats->n_chosen)
		out_doc_fact(s->doc, NULL, "incomplete",
			out_doc_format(s->doc,
				"%" PRIu64 " branches are of some kinds only, so that the code "
				"between them is not known",
				stats->n_chosen));
}

static void add_cover(const struct section *s)
{
	const struct pgo_forecast *f = &s->forecast;
	double covered = base_percent(f->covered.period, f->whole.period);
	double with_lines = base_percent(f->with_lines.period, f->whole.period);

	out_doc_real(s->doc, "covered_percent", covered);
	out_doc_real(s->doc, "with_lines_percent", with_lines);
	out_doc_fact(s->doc, NULL, "covered",
		out_doc_format(s->doc,
			"%.1f %% of the time is in binaries with a file, for BOLT; %.1f %% in code "
			"with debug information, for compilers",
			covered, with_lines));
}

/* Say whether the least dense of the binaries that matter has enough samples. */
static void add_density(const struct section *s)
{
	if (!s->density)
		return;
	out_doc_real(s->doc, "density", s->density);
	if (s->density >= PGO_ENOUGH_DENSITY)
		out_doc_fact(s->doc, NULL, "samples",
			out_doc_format(s->doc,
				"enough: hot code ran %.0f times in the branch stacks or more often",
				s->density));
	else
		out_doc_fact(s->doc, NULL, "samples",
			out_doc_format(s->doc,
				"too few: hot code ran only %.1f times in the branch stacks; %.0f "
				"times as many are enough",
				s->density, ceil(PGO_ENOUGH_DENSITY / s->density)));
}

static void add_next(const struct section *s)
{
	const struct prof_branch_stats *stats = &s->profile->stats.branches;
	const char *next = "write the formats bolt, autofdo and gcov, whose files perf2bolt, "
			   "llvm-profdata and gcc take";

	if (!stats->n_branches || stats->n_calls == stats->n_branches)
		next = "record branch stacks of user code, on a processor that has them";
	else if (s->density && s->density < PGO_ENOUGH_DENSITY)
		next = "record longer, or several times: all recordings may be given at once";
	out_doc_fact(s->doc, "next", "next", next);
}

/* Say how much of the code that ran is unchanged in a newer build. */
static struct pd_error *add_staleness(const struct section *s, const struct pgo_new_build *build)
{
	struct pgo_staleness stale;
	uint32_t i = pgo_new_build_find(build, &s->flow);

	if (i == PROF_NONE)
		return pd_error_create(PD_ERROR_NOTHING, NULL,
			"no binary of the recording has the name '%s' of the new build",
			build->name);
	struct pd_error *err = pgo_new_build_compare(build, &s->flow, &s->forecast, i, &stale);
	if (err)
		return err;
	uint64_t all = stale.same + stale.changed + stale.gone;
	double same = base_percent(stale.same, all);
	out_doc_real(s->doc, "unchanged_percent", same);
	out_doc_real(s->doc, "changed_percent", base_percent(stale.changed, all));
	out_doc_fact(s->doc, NULL, "new build",
		stale.is_same_build
			? "the recorded one"
			: out_doc_format(s->doc,
				  "%.1f %% of the code of %s that ran is in functions of the same "
				  "size, %.1f %% in functions that changed, and %.1f %% is gone",
				  same, build->name, base_percent(stale.changed, all),
				  base_percent(stale.gone, all)));
	return NULL;
}

/* Compare with the newer build @p path. */
static struct pd_error *add_new_build(const struct section *s, const char *path)
{
	struct pgo_new_build build;
	struct pd_error *err = pgo_new_build_read(path, &build);

	if (!err)
		err = add_staleness(s, &build);
	pgo_new_build_deinit(&build);
	return err;
}

static int compare_images(const void *a, const void *b, void *ctx)
{
	const struct section *s = ctx;
	uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
	const struct pgo_image_forecast *x = &s->forecast.images[i], *y = &s->forecast.images[k];
	int order = base_compare_u64(y->value.period, x->value.period);

	order = order ? order : base_compare_u64(y->executed, x->executed);
	return order ? order : base_compare_u32(i, k);
}

static void add_image(const struct section *s, struct out_table *table, uint32_t i)
{
	const struct pgo_image_forecast *image = &s->forecast.images[i];
	struct prof_binary_id binary = s->flow.images.data[i].binary;

	out_table_row(table, NULL);
	out_table_share(table, image->value.period, s->forecast.whole.period);
	out_table_count(table, image->n_runs);
	out_table_share(table, image->n_misfits, image->n_runs);
	out_table_share(table, image->executed_with_lines, image->executed);
	if (s->flow.has_branches)
		out_table_real(table, image->density);
	else
		out_table_empty(table);
	out_table_text(table, prof_string(s->profile, prof_binary(s->profile, binary)->name));
}

/* List binaries with code that ran, the most sampled ones first. */
static struct pd_error *add_images(const struct section *s)
{
	static const struct out_column columns[] = {
		{ .key = "time_percent", .title = "time", .kind = OUT_CELL_SHARE },
		{ .key = "runs", .title = "runs", .kind = OUT_CELL_COUNT },
		{ .key = "misfits_percent", .title = "misfits", .kind = OUT_CELL_SHARE },
		{ .key = "with_lines_percent", .title = "with lines", .kind = OUT_CELL_SHARE },
		{ .key = "density", .title = "density", .kind = OUT_CELL_RATIO },
		{ .key = "binary", .title = "", .kind = OUT_CELL_TEXT },
	};
	size_t n = 0, n_images = s->flow.images.n;
	_cleanup_free_ uint32_t *order = base_calloc_n(n_images, sizeof(*order));
	struct out_table *table =
		out_doc_table(s->doc, "binaries", "Binaries", columns, PD_ARRAY_LEN(columns));

	if (!order)
		return &pd_enomem;
	for (uint32_t i = 0; i < n_images; i++) {
		if (s->forecast.images[i].executed || s->forecast.images[i].n_runs)
			order[n++] = i;
	}
	base_sort_with(order, n, sizeof(*order), compare_images, (void *)s);
	out_table_set_noun(table, "binary");
	for (size_t i = 0; i < n && i < s->limit; i++)
		add_image(s, table, order[i]);
	out_table_set_left_out(table, n > s->limit ? n - s->limit : 0);
	return NULL;
}

/* Columns of functions: a share of something, and its amount. */
static const struct out_column function_columns[] = {
	{ .key = "percent", .title = "share", .kind = OUT_CELL_SHARE },
	{ .key = "n", .title = "number", .kind = OUT_CELL_COUNT },
	{ .key = "function", .title = "", .kind = OUT_CELL_FUNCTION },
};

/* Functions that are equal otherwise are in the order of the forecast, on each system. */
static int compare_places(const struct pgo_function *x, const struct pgo_function *y)
{
	return x < y ? -1 : x > y;
}

static int compare_misfits(const void *a, const void *b)
{
	const struct pgo_function *const *x = a, *const *y = b;
	int order = base_compare_u64((*y)->n_misfits, (*x)->n_misfits);

	return order ? order : compare_places(*x, *y);
}

static int compare_executed(const void *a, const void *b)
{
	const struct pgo_function *const *x = a, *const *y = b;
	int order = base_compare_u64((*y)->executed, (*x)->executed);

	return order ? order : compare_places(*x, *y);
}

/* A table of functions. */
struct listing {
	const char *key;
	const char *title;
	/* Whether a function is in it. */
	bool (*has)(const struct pgo_function *function);
	int (*compare)(const void *, const void *);
	void (*add_numbers)(const struct section *s, struct out_table *table,
		const struct pgo_function *function);
};

static bool fits_poorly(const struct pgo_function *function)
{
	return (double)function->n_misfits > least_misfits * (double)function->n_runs;
}

static void add_misfits(
	const struct section *s, struct out_table *table, const struct pgo_function *function)
{
	(void)s;
	out_table_share(table, function->n_misfits, function->n_runs);
	out_table_count(table, function->n_misfits);
}

static bool lacks_lines(const struct pgo_function *function)
{
	return !function->has_lines && function->executed;
}

static void add_executed(
	const struct section *s, struct out_table *table, const struct pgo_function *function)
{
	out_table_share(table, function->executed, s->forecast.images[function->image].executed);
	out_table_count(table, function->executed);
}

static const struct listing listings[] = {
	{ "misfits", "Functions that fit poorly: runs that end before they start, or elsewhere",
		fits_poorly, compare_misfits, add_misfits },
	{ "without_lines", "Functions without debug information: bytes of their binary that ran",
		lacks_lines, compare_executed, add_executed },
};

static void add_function(const struct section *s, const struct listing *listing,
	struct out_table *table, const struct pgo_function *function)
{
	out_table_row(table, NULL);
	listing->add_numbers(s, table, function);
	out_table_function(table, prof_function_name(s->profile, function->id),
		prof_binary_base(s->profile, s->flow.images.data[function->image].binary), false);
}

static struct pd_error *add_listing(const struct section *s, const struct listing *listing)
{
	size_t n = 0, n_all = s->forecast.functions.n;
	_cleanup_free_ const struct pgo_function **list = base_calloc_n(n_all, sizeof(*list));
	struct out_table *table = out_doc_table(s->doc, listing->key, listing->title,
		function_columns, PD_ARRAY_LEN(function_columns));

	if (!list)
		return &pd_enomem;
	for (size_t i = 0; i < n_all; i++) {
		if (listing->has(&s->forecast.functions.data[i]))
			list[n++] = &s->forecast.functions.data[i];
	}
	if (n)
		qsort(list, n, sizeof(struct pgo_function *), listing->compare);
	out_table_set_noun(table, "function");
	for (size_t i = 0; i < n && i < s->limit; i++)
		add_function(s, listing, table, list[i]);
	out_table_set_left_out(table, n > s->limit ? n - s->limit : 0);
	return NULL;
}

/* Find the smallest density of the binaries in which most of the code ran. */
static void find_density(struct section *s)
{
	const struct pgo_image_forecast *images = s->forecast.images;
	uint64_t all = 0;

	for (size_t i = 0; i < s->flow.images.n; i++)
		all += images[i].executed;
	for (size_t i = 0; i < s->flow.images.n; i++) {
		bool matters = base_percent(images[i].executed, all) >= 100 * (1 - PGO_HOT_SHARE);

		if (matters && images[i].density && (!s->density || images[i].density < s->density))
			s->density = images[i].density;
	}
}

static struct pd_error *fill(struct section *s, struct prof_event_id event)
{
	struct pd_error *err = pgo_flow_create(s->profile, event, &s->flow);

	if (!err)
		err = pgo_forecast_create(&s->flow, event, &s->forecast);
	if (err)
		return err;
	find_density(s);
	out_doc_begin(s->doc, "pgo", "Optimizers");
	add_stacks(s);
	add_cover(s);
	add_density(s);
	if (s->new_build)
		err = add_new_build(s, s->new_build);
	add_next(s);
	if (!err)
		err = add_images(s);
	for (size_t i = 0; i < PD_ARRAY_LEN(listings) && !err; i++)
		err = add_listing(s, &listings[i]);
	out_doc_end(s->doc);
	return err;
}

struct pd_error *out_report_add_pgo(
	struct out_doc *doc, const struct profile *profile, const struct out_write_opts *opts)
{
	struct section s = {
		.doc = doc,
		.profile = profile,
		.new_build = opts->format.report.new_build,
		.limit = out_report_limit(&opts->format.report, DEFAULT_ROWS),
	};
	struct pd_error *err = fill(&s, out_event(profile, opts));

	pgo_forecast_deinit(&s.forecast);
	pgo_flow_deinit(&s.flow);
	return err;
}
