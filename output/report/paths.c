#include "output/report/paths.h"

#include "analyze/paths.h"
#include "base/array.h"
#include "base/cleanup.h"

enum {
	MAX_PATHS = 3,
	/** Smallest share of a call, in percent. */
	MIN_PERCENT = 5,
	/** A screen has room for so many calls. */
	MAX_ROWS = 14,
	MARK_COLUMNS = 2,
};

struct writer {
	const struct ana_call_tree *tree;
	const struct ana_symbols *symbols;
	uint64_t whole;
	struct out_table *table;
};

static struct out_table *begin_table(struct out_doc *doc)
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

static void add_node(
	struct writer *w, const struct ana_path_row *row, const struct out_row_place *place)
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
static void add_rows(struct writer *w, const struct ana_paths *paths)
{
	/* Depths of the last rows of the table, indexed by depth in the paths. */
	unsigned depths[MAX_PATHS + 2] = { 0 };
	size_t n = paths->rows.n < MAX_ROWS ? paths->rows.n : MAX_ROWS;

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

		add_node(w, row, &place);
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
		.max_rows = MAX_ROWS,
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
	struct writer w = {
		.tree = &tree,
		.symbols = symbols,
		.whole = prof_event(profile, event)->total.period,
		.table = begin_table(doc),
	};
	add_rows(&w, &paths);
	return NULL;
}
