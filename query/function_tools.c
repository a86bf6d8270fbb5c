/* Tools about functions and the calls between them. */
#include <stdlib.h>
#include <string.h>

#include "analyze/call_tree.h"
#include "base/array.h"
#include "base/cleanup.h"
#include "base/system/libc.h"
#include "query/call.h"
#include "query/function_table.h"

/* functions */

/* The functions of a call, in the order of a table. */
struct functions {
	struct qry_call *call;
	struct ana_rows rows;
	uint32_t *order;
	size_t n;
	bool by_total;
};

static int compare_numbers(uint64_t x, uint64_t y)
{
	return x < y ? 1 : x > y ? -1 : 0;
}

/* Ties are broken by id, so that the order does not depend on the sort. */
static int compare_functions(const void *x, const void *y, void *ctx)
{
	const struct functions *f = ctx;
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
	const struct ana_cell *of_a = ana_rows_at(&f->rows, a), *of_b = ana_rows_at(&f->rows, b);
	int by_self = compare_numbers(of_a->self.period, of_b->self.period);
	int by_total = compare_numbers(of_a->total.period, of_b->total.period);
	int order = f->by_total ? by_total : by_self;

	order = order ? order : f->by_total ? by_self : by_total;
	if (order)
		return order;
	order = strcmp(ana_symbol_name(f->call->symbols, a), ana_symbol_name(f->call->symbols, b));
	return order ? order : a < b ? -1 : a > b;
}

static bool is_listed(const struct functions *f, const bool *is_wanted, uint32_t symbol)
{
	const struct ana_cell *cell = ana_rows_at(&f->rows, symbol);

	if (is_wanted && !is_wanted[symbol])
		return false;
	return f->by_total ? cell->total.samples : cell->self.samples || is_wanted;
}

static struct pd_error *sort_functions(struct functions *f, const bool *is_wanted)
{
	f->order = base_calloc_n(f->rows.n, sizeof(*f->order));
	if (!f->order)
		return &pd_enomem;
	for (uint32_t i = 0; i < f->rows.n; i++) {
		if (is_listed(f, is_wanted, i))
			f->order[f->n++] = i;
	}
	if (f->n)
		base_sort_with(f->order, f->n, sizeof(*f->order), compare_functions, f);
	return NULL;
}

static void add_rows(struct functions *f)
{
	static const struct out_column columns[] = {
		{ .key = "id", .title = "id", .kind = OUT_CELL_TEXT },
		{ .key = "self_percent", .title = "self", .kind = OUT_CELL_SHARE },
		{ .key = "interval", .title = "95 % interval", .kind = OUT_CELL_TEXT },
		{ .key = "total_percent", .title = "total", .kind = OUT_CELL_SHARE },
		{ .key = "samples", .title = "samples", .kind = OUT_CELL_COUNT },
		{ .key = "function", .title = "", .kind = OUT_CELL_FUNCTION },
	};
	struct qry_call *call = f->call;
	struct out_table *table =
		out_doc_table(call->doc, "functions", "function", columns, PD_ARRAY_LEN(columns));

	for (size_t i = 0; i < f->n && i < call->limit; i++) {
		const struct ana_cell *cell = ana_rows_at(&f->rows, f->order[i]);
		const struct prof_value *by = f->by_total ? &cell->total : &cell->self;

		out_table_row(table, NULL);
		out_table_text(table, qry_call_function_id(call, f->order[i]));
		out_table_share(table, cell->self.period, call->whole.period);
		out_table_text(table, qry_call_interval(call, by->period));
		out_table_share(table, cell->total.period, call->whole.period);
		out_table_count(table, by->samples);
		out_report_add_function(table, call->symbols, f->order[i]);
	}
	out_table_set_noun(table, "function");
	qry_call_cut(call, table, f->n);
}

struct pd_error *qry_add_functions(struct qry_call *call, bool by_total, const bool *is_wanted)
{
	struct functions f = { .call = call, .by_total = by_total };
	struct pd_error *err =
		qry_count_functions(call->profile, call->symbols, call->event, &f.rows);

	if (!err)
		err = sort_functions(&f, is_wanted);
	if (!err)
		add_rows(&f);
	ana_rows_deinit(&f.rows);
	free(f.order);
	return err;
}

static struct pd_error *take_order(const struct qry_call *call, bool *by_total_ret)
{
	const char *sort = qry_call_arg(call, QRY_PARAM_SORT);

	*by_total_ret = sort && strcmp(sort, "total") == 0;
	if (!sort || *by_total_ret || strcmp(sort, "self") == 0)
		return NULL;
	return pd_error_create(
		PD_ERROR_USAGE, NULL, "invalid sort '%s': expected self or total", sort);
}

static struct pd_error *match(struct qry_call *call, bool **ret)
{
	struct qry_args args = *call->args;
	struct qry_call named = *call;
	const char *title;

	*ret = NULL;
	if (!qry_call_arg(call, QRY_PARAM_MATCH))
		return NULL;
	args.values[QRY_PARAM_FUNCTION] = args.values[QRY_PARAM_MATCH];
	named.args = &args;
	return qry_call_functions(&named, ret, &title);
}

struct pd_error *qry_answer_functions(struct qry_call *call)
{
	_cleanup_free_ bool *is_wanted = NULL;
	bool by_total;
	struct pd_error *err = take_order(call, &by_total);

	if (!err)
		err = qry_call_begin(call, &qry_format_ledger, NULL);
	if (!err)
		err = match(call, &is_wanted);
	if (!err)
		err = qry_add_functions(call, by_total, is_wanted);
	if (!err && !is_wanted)
		qry_call_suggest(call, "callers, callees, path or annotate with an id");
	return err;
}

/* callers, callees and tree */

/* A tree that is written. */
struct tree {
	struct qry_call *call;
	struct ana_call_tree tree;
	enum ana_direction direction;
	size_t depth;
	/* Smallest sum of periods of a node. */
	uint64_t least;
	/* Nodes within depth and share, and those that are shown. */
	PD_VEC(uint64_t) periods;
	struct out_table *table;
	size_t n_left;
};

static const struct ana_node *node_at(const struct tree *t, uint32_t i)
{
	return &t->tree.nodes.data[i];
}

/* List the periods of all nodes that are large enough and not too deep. */
static struct pd_error *list_periods(struct tree *t, uint32_t parent, size_t depth)
{
	for (uint32_t i = node_at(t, parent)->first_child; i && depth < t->depth;
		i = node_at(t, i)->next) {
		if (node_at(t, i)->total.period < t->least)
			continue;
		if (!pd_vec_push(&t->periods, node_at(t, i)->total.period))
			return &pd_enomem;
		struct pd_error *err = list_periods(t, i, depth + 1);

		if (err)
			return err;
	}
	return NULL;
}

static int compare_periods(const void *x, const void *y)
{
	return compare_numbers(*(const uint64_t *)x, *(const uint64_t *)y);
}

/* Keep the largest nodes: as many as the limit allows. */
static void apply_limit(struct tree *t)
{
	size_t limit = t->call->limit;

	t->n_left = limit;
	if (t->periods.n <= limit)
		return;
	qsort(t->periods.data, t->periods.n, sizeof(*t->periods.data), compare_periods);
	t->least = t->periods.data[limit - 1];
}

static void add_node(struct tree *t, const struct ana_node *node, size_t depth)
{
	const struct out_row_place place = {
		.depth = (unsigned)depth + 1,
		.indent = 2 * (unsigned)depth,
	};
	struct qry_call *call = t->call;

	out_table_row(t->table, &place);
	out_table_text(t->table, qry_call_function_id(call, node->symbol));
	out_table_share(t->table, node->total.period, call->whole.period);
	out_table_text(t->table, qry_call_interval(call, node->total.period));
	if (t->direction == ANA_TO_CALLEES)
		out_table_share(t->table, node->self.period, call->whole.period);
	else
		out_table_empty(t->table);
	out_table_count(t->table, node->total.samples);
	out_report_add_function(t->table, call->symbols, node->symbol);
}

static void add_nodes(struct tree *t, uint32_t parent, size_t depth)
{
	for (uint32_t i = node_at(t, parent)->first_child; i && depth < t->depth && t->n_left;
		i = node_at(t, i)->next) {
		if (node_at(t, i)->total.period < t->least)
			continue;
		t->n_left--;
		add_node(t, node_at(t, i), depth);
		add_nodes(t, i, depth + 1);
	}
}

static void add_tree_table(struct tree *t, const char *title)
{
	static const struct out_column columns[] = {
		{ .key = "id", .title = "id", .kind = OUT_CELL_TEXT },
		{ .key = "total_percent", .title = "total", .kind = OUT_CELL_SHARE },
		{ .key = "interval", .title = "95 % interval", .kind = OUT_CELL_TEXT },
		{ .key = "self_percent", .title = "self", .kind = OUT_CELL_SHARE },
		{ .key = "samples", .title = "samples", .kind = OUT_CELL_COUNT },
		{ .key = "function", .title = "", .kind = OUT_CELL_FUNCTION },
	};

	t->table = out_doc_table(t->call->doc, "tree", title, columns, PD_ARRAY_LEN(columns));
	out_table_set_noun(t->table, "call");
	add_nodes(t, 0, 0);
	qry_call_cut(t->call, t->table, t->periods.n);
}

static struct pd_error *write_tree(struct tree *t, const bool *is_start, const char *title)
{
	const struct ana_tree_opts opts = {
		.event = t->call->event,
		.direction = t->direction,
		.is_start = is_start,
	};
	struct pd_error *err =
		ana_call_tree_create(t->call->profile, t->call->symbols, &opts, &t->tree);

	if (err)
		return err;
	double share = qry_args_share(t->call->args, QRY_PARAM_SHARE, 1);
	t->least = (uint64_t)((double)node_at(t, 0)->total.period * share / 100);
	err = list_periods(t, 0, 0);
	if (err)
		return err;
	apply_limit(t);
	add_tree_table(t, title);
	return NULL;
}

static struct pd_error *add_tree(struct qry_call *call, enum ana_direction direction,
	const bool *is_start, const char *title)
{
	enum { DEFAULT_DEPTH = 6, MAX_DEPTH = 1000 };
	size_t depth = qry_args_count(call->args, QRY_PARAM_DEPTH, DEFAULT_DEPTH);
	struct tree t = {
		.call = call,
		.direction = direction,
		.depth = depth < MAX_DEPTH ? depth : MAX_DEPTH,
	};
	struct pd_error *err = write_tree(&t, is_start, title);

	ana_call_tree_deinit(&t.tree);
	pd_vec_deinit(&t.periods);
	return err;
}

static struct pd_error *add_tree_of(struct qry_call *call, enum ana_direction direction)
{
	_cleanup_free_ bool *is_start = NULL;
	const char *title;
	struct pd_error *err = qry_call_begin(call, &qry_format_ledger, NULL);

	if (!err)
		err = qry_call_functions(call, &is_start, &title);
	if (err)
		return err;
	const char *what = direction == ANA_TO_CALLERS ? "callers" : "callees";
	return add_tree(
		call, direction, is_start, out_doc_format(call->doc, "%s of %s", what, title));
}

struct pd_error *qry_answer_callers(struct qry_call *call)
{
	return add_tree_of(call, ANA_TO_CALLERS);
}

struct pd_error *qry_answer_callees(struct qry_call *call)
{
	return add_tree_of(call, ANA_TO_CALLEES);
}

struct pd_error *qry_answer_tree(struct qry_call *call)
{
	struct pd_error *err = qry_call_begin(call, &qry_format_ledger, NULL);

	return err ? err : add_tree(call, ANA_TO_CALLEES, NULL, "call tree");
}

/* path */

/* Nodes of a chain of calls: each is the heaviest child of the one before. */
struct chain {
	PD_VEC(const struct ana_node *) nodes;
};

static struct pd_error *follow(const struct ana_call_tree *tree, struct chain *ret)
{
	const struct ana_node *nodes = tree->nodes.data;

	for (uint32_t i = nodes[0].first_child; i; i = nodes[i].first_child) {
		if (!pd_vec_push(&ret->nodes, &nodes[i]))
			return &pd_enomem;
		/* Most samples end here: to go on would follow the fewer ones. */
		uint32_t child = nodes[i].first_child;
		if (child && nodes[i].self.period > nodes[child].total.period)
			break;
	}
	return NULL;
}

static struct out_table *begin_path(struct qry_call *call, const char *title)
{
	static const struct out_column columns[] = {
		{ .key = "id", .title = "id", .kind = OUT_CELL_TEXT },
		{ .key = "total_percent", .title = "total", .kind = OUT_CELL_SHARE },
		{ .key = "self_percent", .title = "self", .kind = OUT_CELL_SHARE },
		{ .key = "samples", .title = "samples", .kind = OUT_CELL_COUNT },
		{ .key = "function", .title = "", .kind = OUT_CELL_FUNCTION },
	};

	return out_doc_table(call->doc, "path", title, columns, PD_ARRAY_LEN(columns));
}

static void add_path_row(
	struct qry_call *call, struct out_table *table, const struct ana_node *node, bool has_self)
{
	out_table_row(table, NULL);
	out_table_text(table, qry_call_function_id(call, node->symbol));
	out_table_share(table, node->total.period, call->whole.period);
	if (has_self)
		out_table_share(table, node->self.period, call->whole.period);
	else
		out_table_empty(table);
	out_table_count(table, node->total.samples);
	out_report_add_function(table, call->symbols, node->symbol);
}

/* Both ways from the start, whose own row is that of the callees. */
struct both_ways {
	struct ana_call_tree up;
	struct ana_call_tree down;
	struct chain callers;
	struct chain callees;
};

static struct pd_error *find_both(
	const struct qry_call *call, const bool *is_start, struct both_ways *ret)
{
	struct ana_tree_opts opts = {
		.event = call->event,
		.direction = ANA_TO_CALLEES,
		.is_start = is_start,
	};
	struct pd_error *err =
		ana_call_tree_create(call->profile, call->symbols, &opts, &ret->down);

	if (!err)
		err = follow(&ret->down, &ret->callees);
	if (err || !is_start)
		return err;
	opts.direction = ANA_TO_CALLERS;
	err = ana_call_tree_create(call->profile, call->symbols, &opts, &ret->up);
	return err ? err : follow(&ret->up, &ret->callers);
}

/* Frames near the leaf say most: those next to the root are left out first. */
static void add_path(struct qry_call *call, const struct both_ways *both, const char *title)
{
	size_t n_callers = both->callers.nodes.n ? both->callers.nodes.n - 1 : 0;
	size_t n_callees = both->callees.nodes.n, n = n_callers + n_callees;
	size_t skip = n > call->limit ? n - call->limit : 0;
	struct out_table *table = begin_path(call, title);

	for (size_t i = skip; i < n_callers; i++)
		add_path_row(call, table, both->callers.nodes.data[n_callers - i], false);
	for (size_t i = skip > n_callers ? skip - n_callers : 0; i < n_callees; i++)
		add_path_row(call, table, both->callees.nodes.data[i], true);
	out_table_set_noun(table, "frame");
	qry_call_cut(call, table, n);
}

static void both_deinit(struct both_ways *both)
{
	ana_call_tree_deinit(&both->up);
	ana_call_tree_deinit(&both->down);
	pd_vec_deinit(&both->callers.nodes);
	pd_vec_deinit(&both->callees.nodes);
}

struct pd_error *qry_answer_path(struct qry_call *call)
{
	_cleanup_free_ bool *is_start = NULL;
	const char *title = "heaviest path, from the root";
	struct both_ways both = { 0 };
	struct pd_error *err = qry_call_begin(call, &qry_format_ledger, NULL);

	if (!err && qry_call_arg(call, QRY_PARAM_FUNCTION)) {
		err = qry_call_functions(call, &is_start, &title);
		title = err ? NULL : out_doc_format(call->doc, "heaviest path through %s", title);
	}
	if (!err)
		err = find_both(call, is_start, &both);
	if (!err)
		add_path(call, &both, title);
	both_deinit(&both);
	return err;
}
