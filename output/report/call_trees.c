#include "output/report/call_trees.h"

#include <stdlib.h>

#include "analyze/paths.h"
#include "base/array.h"
#include "base/cleanup.h"

enum { MARK_COLUMNS = 2, MAX_DEPTH = 4096 };

/* Smallest share of a node in percent, if the user gives none. */
static const double default_percent_limit = 0.5;

struct writer {
	const struct ana_call_tree *tree;
	const struct ana_symbols *symbols;
	const struct pd_report_opts *opts;
	enum ana_direction direction;
	/** Shares are of this sum of periods. */
	uint64_t whole;
	struct out_table *table;
	/** Nodes to show by number; NULL: all that are large enough. */
	bool *is_within_limit;
};

/* Small parts of the tree are not shown. Of the whole event, the tree itself may be one. */
static bool is_shown(const struct writer *w, uint64_t period)
{
	uint64_t tree = w->tree->nodes.data[0].total.period;
	double limit = out_report_least_share(w->opts, default_percent_limit);

	return 100.0 * (double)period >= limit * (double)tree;
}

static const struct ana_node *node_at(const struct writer *w, uint32_t id)
{
	return &w->tree->nodes.data[id];
}

/* Callers have no time of their own here. */
static bool has_self(const struct writer *w)
{
	return w->direction == ANA_TO_CALLEES;
}

/* Begin a row with everything except the name. */
static void begin_row(const struct writer *w, const struct prof_value *total,
	const struct prof_value *self, const struct out_row_place *place)
{
	out_table_row(w->table, place);
	out_table_share(w->table, total->period, w->whole);
	if (has_self(w))
		out_table_share(w->table, self->period, w->whole);
	out_table_count(w->table, total->period);
	if (has_self(w))
		out_table_count(w->table, self->period);
}

static void add_node(
	const struct writer *w, const struct ana_node *node, const struct out_row_place *place)
{
	begin_row(w, &node->total, &node->self, place);
	out_table_function(w->table, ana_symbol_name(w->symbols, node->symbol),
		ana_symbol_binary(w->symbols, node->symbol), node->is_inlined);
}

static bool is_node_shown(const struct writer *w, uint32_t id)
{
	return is_shown(w, node_at(w, id)->total.period) &&
	       (!w->is_within_limit || w->is_within_limit[id]);
}

/* Sum up @p node and those that follow it. */
static struct prof_value sum_rest(const struct writer *w, uint32_t node, size_t *n_ret)
{
	struct prof_value sum = { 0 };

	*n_ret = 0;
	for (uint32_t i = node; i; i = node_at(w, i)->next) {
		sum.samples += node_at(w, i)->total.samples;
		sum.period += node_at(w, i)->total.period;
		++*n_ret;
	}
	return sum;
}

static void add_rest(const struct writer *w, const struct prof_value *sum, size_t n,
	const struct out_row_place *place)
{
	struct out_row_place summary = *place;
	char text[64];

	summary.is_summary = true;
	snprintf(text, sizeof(text), "%zu more", n);
	begin_row(w, sum, &(struct prof_value){ 0 }, &summary);
	out_table_function(w->table, text, "", false);
}

/* Add the nodes below @p parent. Their number of levels is limited by that of the stacks. */
static void add_children(
	const struct writer *w, const struct ana_node *parent, const struct out_row_place *place)
{
	uint32_t rest = parent->first_child;
	size_t n_shown = 0;
	size_t n_rest;

	/* Children are sorted by size. */
	for (; rest && is_node_shown(w, rest); rest = node_at(w, rest)->next)
		n_shown++;
	struct prof_value of_rest = sum_rest(w, rest, &n_rest);
	bool has_rest = n_rest && !w->is_within_limit && is_shown(w, of_rest.period);
	bool is_branch = n_shown + has_rest > 1;
	const struct out_row_place below = {
		.indent = place->indent + (is_branch && place->depth ? MARK_COLUMNS : 0),
		.depth = place->depth + 1,
		.is_branch = is_branch,
	};

	for (uint32_t i = parent->first_child; i != rest && place->depth < MAX_DEPTH;
		i = node_at(w, i)->next) {
		add_node(w, node_at(w, i), &below);
		add_children(w, node_at(w, i), &below);
	}
	if (has_rest)
		add_rest(w, &of_rest, n_rest, &below);
}

/* A node and its place among the rows of the whole tree. */
struct place {
	uint64_t period;
	uint32_t node;
	uint32_t row;
};

/* List the nodes below @p parent that are large enough, in the order of rows. */
static void list_nodes(
	const struct writer *w, uint32_t parent, unsigned depth, struct place *list, uint32_t *n)
{
	if (depth >= MAX_DEPTH)
		return;
	for (uint32_t i = node_at(w, parent)->first_child; i && is_node_shown(w, i);
		i = node_at(w, i)->next) {
		list[*n] = (struct place){ node_at(w, i)->total.period, i, *n };
		++*n;
		list_nodes(w, i, depth + 1, list, n);
	}
}

/* Order large nodes before small ones, and callers before callees. */
static int compare_places(const void *x, const void *y)
{
	const struct place *a = x;
	const struct place *b = y;

	if (a->period != b->period)
		return a->period < b->period ? 1 : -1;
	return a->row < b->row ? -1 : a->row > b->row;
}

/*
 * Choose the largest nodes, as many as the limit allows. No caller is smaller than its callees, so
 * these are a tree, too. Errors: NOMEM.
 */
static struct pd_error *limit_rows(struct writer *w)
{
	size_t n_nodes = w->tree->nodes.n, limit = out_report_limit(w->opts, SIZE_MAX);
	_cleanup_free_ struct place *list = calloc(n_nodes, sizeof(*list));
	bool *is_within = calloc(n_nodes, sizeof(*is_within));
	uint32_t n = 0;

	if (!list || !is_within) {
		free(is_within);
		return &pd_enomem;
	}
	list_nodes(w, 0, 0, list, &n);
	qsort(list, n, sizeof(*list), compare_places);
	for (uint32_t i = 0; i < n && i < limit; i++)
		is_within[list[i].node] = true;
	w->is_within_limit = is_within;
	out_table_set_noun(w->table, "call");
	out_table_set_left_out(w->table, n > limit ? n - limit : 0);
	return NULL;
}

static struct out_table *begin_table(
	struct out_doc *doc, const char *key, const char *title, enum ana_direction direction)
{
	static const struct out_column callees[] = {
		{ .key = "total_percent", .title = "total", .kind = OUT_CELL_SHARE },
		{ .key = "self_percent", .title = "self", .kind = OUT_CELL_SHARE },
		{ .key = "total", .kind = OUT_CELL_COUNT },
		{ .key = "self", .kind = OUT_CELL_COUNT },
		{ .key = "function", .title = "", .kind = OUT_CELL_FUNCTION },
	};
	static const struct out_column callers[] = {
		{ .key = "total_percent", .title = "total", .kind = OUT_CELL_SHARE },
		{ .key = "total", .kind = OUT_CELL_COUNT },
		{ .key = "function", .title = "", .kind = OUT_CELL_FUNCTION },
	};

	if (direction == ANA_TO_CALLEES)
		return out_doc_table(doc, key, title, callees, PD_ARRAY_LEN(callees));
	return out_doc_table(doc, key, title, callers, PD_ARRAY_LEN(callers));
}

struct pd_error *out_report_add_tree(struct out_doc *doc, const char *key, const char *title,
	const struct profile *profile, const struct ana_symbols *symbols,
	const struct ana_tree_opts *opts, const struct pd_report_opts *report, bool *is_empty_ret)
{
	_cleanup_(ana_call_tree_deinit) struct ana_call_tree tree = { 0 };
	struct pd_error *err = ana_call_tree_create(profile, symbols, opts, &tree);

	if (err)
		return err;
	*is_empty_ret = !tree.nodes.data[0].total.samples;
	struct writer w = {
		.tree = &tree,
		.symbols = symbols,
		.opts = report,
		.direction = opts->direction,
		.whole = prof_event(profile, opts->event)->total.period,
		.table = begin_table(doc, key, title, opts->direction),
	};
	err = report->limit ? limit_rows(&w) : NULL;
	if (!err)
		add_children(&w, &tree.nodes.data[0], &(struct out_row_place){ 0 });
	free(w.is_within_limit);
	return err;
}

enum {
	MAX_PATHS = 3,
	/** Smallest share of a call, in percent. */
	MIN_PERCENT = 5,
	/** A screen has room for so many calls. */
	MAX_PATH_ROWS = 14,
};

struct path_writer {
	const struct ana_call_tree *tree;
	const struct ana_symbols *symbols;
	uint64_t whole;
	struct out_table *table;
};

static struct out_table *begin_path_table(struct out_doc *doc)
{
	static const struct out_column columns[] = {
		{ .key = "total_percent", .title = "total", .kind = OUT_CELL_SHARE },
		{ .key = "self_percent", .title = "self", .kind = OUT_CELL_SHARE },
		{ .key = "total", .kind = OUT_CELL_COUNT },
		{ .key = "self", .kind = OUT_CELL_COUNT },
		{ .key = "calls_left_out", .kind = OUT_CELL_COUNT },
		{ .key = "function", .title = "", .kind = OUT_CELL_FUNCTION },
	};

	return out_doc_table(
		doc, "hot_paths", "Hottest call paths", columns, PD_ARRAY_LEN(columns));
}

static void add_path_row(
	struct path_writer *w, const struct ana_path_row *row, const struct out_row_place *place)
{
	const struct ana_node *node = &w->tree->nodes.data[row->node];

	out_table_row(w->table, place);
	out_table_share(w->table, node->total.period, w->whole);
	out_table_share(w->table, node->self.period, w->whole);
	out_table_count(w->table, node->total.period);
	out_table_count(w->table, node->self.period);
	out_table_count(w->table, row->n_left_out);
	out_table_function(w->table, ana_symbol_name(w->symbols, node->symbol),
		ana_symbol_binary(w->symbols, node->symbol), node->is_inlined);
}

/* Rows of a path are nested in each other: the paths that leave a row are in its last call. */
static void add_path_rows(struct path_writer *w, const struct ana_paths *paths)
{
	/* Depths of the last rows of the table, indexed by depth in the paths. */
	unsigned depths[MAX_PATHS + 2] = { 0 };
	size_t n = paths->rows.n < MAX_PATH_ROWS ? paths->rows.n : MAX_PATH_ROWS;

	for (size_t i = 0; i < n; i++) {
		const struct ana_path_row *row = &paths->rows.data[i];
		bool is_first = i == 0 || row->is_branch || row[-1].depth != row->depth;
		unsigned above =
			is_first ? (row->depth ? depths[row->depth - 1] : 0) : depths[row->depth];
		const struct out_row_place place = {
			.depth = above + 1,
			.indent = row->depth * MARK_COLUMNS,
			.is_branch = row->is_branch,
			.has_gap = row->n_left_out,
		};

		add_path_row(w, row, &place);
		depths[row->depth] = above + 1;
	}
	out_table_set_noun(w->table, "call");
	out_table_set_left_out(w->table, paths->rows.n - n);
}

struct pd_error *out_report_add_paths(struct out_doc *doc, const struct profile *profile,
	const struct ana_symbols *symbols, const struct pd_report_opts *opts,
	struct prof_event_id event)
{
	const struct ana_tree_opts tree_opts = {
		.event = event,
		.direction = ANA_TO_CALLEES,
		.skips_idle = true,
	};
	const struct ana_paths_opts paths_opts = {
		.max_paths = MAX_PATHS,
		.min_percent = MIN_PERCENT,
		.max_rows = MAX_PATH_ROWS,
		.hides_scaffolding = !opts->shows_scaffolding,
	};
	_cleanup_(ana_call_tree_deinit) struct ana_call_tree tree = { 0 };
	_cleanup_(ana_paths_deinit) struct ana_paths paths = { 0 };

	if (!prof_event(profile, event)->has_stacks)
		return NULL;
	struct pd_error *err = ana_call_tree_create(profile, symbols, &tree_opts, &tree);
	if (!err)
		err = ana_paths_find(&tree, symbols, &paths_opts, &paths);
	/* A single call is in the tables already. */
	if (err || paths.rows.n < 2)
		return err;
	struct path_writer w = {
		.tree = &tree,
		.symbols = symbols,
		.whole = prof_event(profile, event)->total.period,
		.table = begin_path_table(doc),
	};
	add_path_rows(&w, &paths);
	return NULL;
}
