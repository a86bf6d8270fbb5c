#include "output/report_tree.h"

#include <string.h>

#include "base/cleanup.h"
#include "output/report_text.h"

enum { SHARE_COLUMNS = 9, MARK_COLUMNS = 2, MAX_DEPTH = 4096 };

struct writer {
	const struct prof_call_tree *tree;
	const struct prof_symbols *symbols;
	const struct out_report_opts *opts;
	enum prof_direction direction;
	/** Shares are of this sum of periods. */
	uint64_t whole;
	FILE *out;
};

/* Where a node is written. */
struct place {
	size_t columns;
	unsigned depth;
	/** It is one of several, which are marked and indented more than what precedes them. */
	bool is_branch;
};

/* Small parts of the tree are not shown. Of the whole event, the tree itself may be one. */
static bool is_shown(const struct writer *w, uint64_t period)
{
	uint64_t tree = w->tree->nodes.data[0].total.period;

	return 100.0 * (double)period >= w->opts->percent_limit * (double)tree;
}

static const struct prof_node *node_at(const struct writer *w, uint32_t id)
{
	return &w->tree->nodes.data[id];
}

/* Callers have no time of their own here. */
static bool has_self(const struct writer *w)
{
	return w->direction == PROF_TO_CALLEES;
}

static void write_start(
	const struct writer *w, uint64_t total, uint64_t self, const struct place *place)
{
	out_report_write_share(total, w->whole, w->out);
	if (has_self(w)) {
		fputc(' ', w->out);
		out_report_write_share(self, w->whole, w->out);
	}
	fprintf(w->out, "  %*s%s", (int)place->columns, "", place->is_branch ? "- " : "  ");
}

static void write_node(
	const struct writer *w, const struct prof_node *node, const struct place *place)
{
	static const char mark[] = "(inlined) ";
	size_t before = SHARE_COLUMNS * (has_self(w) ? 2u : 1u) + 1 + place->columns +
			MARK_COLUMNS + (node->is_inlined ? strlen(mark) : 0);
	size_t width = w->opts->width;

	write_start(w, node->total.period, node->self.period, place);
	if (node->is_inlined)
		fputs(mark, w->out);
	if (width)
		width = width > before ? width - before : 1;
	out_report_write_symbol(w->symbols, node->symbol, width, w->out);
}

/* Sum up @p node and those that follow it. */
static uint64_t sum_rest(const struct writer *w, uint32_t node, size_t *n_ret)
{
	uint64_t period = 0;

	*n_ret = 0;
	for (uint32_t i = node; i; i = node_at(w, i)->next) {
		period += node_at(w, i)->total.period;
		++*n_ret;
	}
	return period;
}

/* Write the nodes below @p parent. Their number of levels is limited by that of the stacks. */
static void write_children(
	const struct writer *w, const struct prof_node *parent, const struct place *place)
{
	uint32_t rest = parent->first_child;
	size_t n_shown = 0;
	size_t n_rest;

	/* Children are sorted by size. */
	for (; rest && is_shown(w, node_at(w, rest)->total.period); rest = node_at(w, rest)->next)
		n_shown++;
	uint64_t of_rest = sum_rest(w, rest, &n_rest);
	bool has_rest = n_rest && is_shown(w, of_rest);
	bool is_branch = n_shown + has_rest > 1;
	const struct place below = {
		.columns = place->columns + (is_branch && place->depth ? MARK_COLUMNS : 0),
		.depth = place->depth + 1,
		.is_branch = is_branch,
	};

	for (uint32_t i = parent->first_child; i != rest && place->depth < MAX_DEPTH;
		i = node_at(w, i)->next) {
		write_node(w, node_at(w, i), &below);
		write_children(w, node_at(w, i), &below);
	}
	if (!has_rest)
		return;
	write_start(w, of_rest, 0, &below);
	fprintf(w->out, "%zu more\n", n_rest);
}

struct pd_error *out_report_write_tree(const struct profile *profile,
	const struct prof_symbols *symbols, const struct prof_tree_opts *opts,
	const struct out_report_opts *report, FILE *out)
{
	_cleanup_(prof_call_tree_deinit) struct prof_call_tree tree = { 0 };
	struct pd_error *err = prof_call_tree_create(profile, symbols, opts, &tree);

	if (err)
		return err;
	struct writer w = {
		.tree = &tree,
		.symbols = symbols,
		.opts = report,
		.direction = opts->direction,
		.whole = profile_event(profile, opts->event)->total.period,
		.out = out,
	};
	if (opts->function && !tree.nodes.data[0].total.samples)
		return pd_error_create(
			PD_ERROR_USAGE, NULL, "no stack has the function \"%s\"", opts->function);
	fputs(has_self(&w) ? "   total     self\n" : "   total\n", out);
	write_children(&w, &tree.nodes.data[0], &(struct place){ 0 });
	return NULL;
}
