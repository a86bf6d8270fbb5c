#include "analyze/paths.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "profile/scaffolding.h"

/* A call keeps the samples of its caller if it has this share of them, in percent. */
enum { MAX_KEPT = 95, MIN_KEPT = 50, KEPT_STEP = 5 };

struct finder {
	const struct ana_call_tree *tree;
	const struct ana_symbols *symbols;
	const struct ana_paths_opts *opts;
	struct ana_paths *paths;
	/** Nodes that are on a path, by index. */
	bool *is_chosen;
	PD_VEC(uint32_t) chosen;
	/** From MAX_KEPT down to MIN_KEPT. */
	unsigned kept_percent;
};

static const struct ana_node *node_at(const struct finder *f, uint32_t id)
{
	return &f->tree->nodes.data[id];
}

static bool is_large_enough(const struct finder *f, uint64_t period)
{
	uint64_t whole = node_at(f, 0)->total.period;

	return period && 100.0 * (double)period >= f->opts->min_percent * (double)whole;
}

static bool choose(struct finder *f, uint32_t node)
{
	f->is_chosen[node] = true;
	return pd_vec_push(&f->chosen, node);
}

/* Choose @p node and the heaviest calls below it. Children are sorted by their total. */
static bool follow(struct finder *f, uint32_t node)
{
	while (choose(f, node)) {
		const struct ana_node *parent = node_at(f, node);
		uint32_t child = parent->first_child;

		if (!child || node_at(f, child)->total.period < parent->self.period ||
			!is_large_enough(f, node_at(f, child)->total.period))
			return true;
		node = child;
	}
	return false;
}

/* The heaviest node whose parent is on a path, but which is not; 0: none is large enough. */
static uint32_t find_start(const struct finder *f)
{
	uint32_t best = 0;

	for (size_t i = 0; i < f->chosen.n; i++) {
		uint32_t child = node_at(f, f->chosen.data[i])->first_child;

		while (child && f->is_chosen[child])
			child = node_at(f, child)->next;
		if (child &&
			(!best || node_at(f, child)->total.period > node_at(f, best)->total.period))
			best = child;
	}
	return best && is_large_enough(f, node_at(f, best)->total.period) ? best : 0;
}

static bool choose_paths(struct finder *f, size_t n)
{
	if (!choose(f, 0))
		return false;
	for (size_t i = 0; i < n; i++) {
		uint32_t start = find_start(f);

		if (!start)
			return true;
		if (!follow(f, start))
			return false;
	}
	return true;
}

static void forget_chosen(struct finder *f)
{
	for (size_t i = 0; i < f->chosen.n; i++)
		f->is_chosen[f->chosen.data[i]] = false;
	f->chosen.n = 0;
}

/* Number of chosen children of @p node; *ret: the first of them. */
static size_t count_chosen(const struct finder *f, uint32_t node, uint32_t *ret)
{
	size_t n = 0;

	*ret = 0;
	for (uint32_t i = node_at(f, node)->first_child; i; i = node_at(f, i)->next) {
		if (!f->is_chosen[i])
			continue;
		if (!n++)
			*ret = i;
	}
	return n;
}

static bool is_hidden(const struct finder *f, uint32_t node)
{
	const struct ana_node *at = node_at(f, node);

	return f->opts->hides_scaffolding &&
	       prof_is_passing_on(
		       ana_symbol_pattern_name(f->symbols, at->symbol), &at->self, &at->total);
}

static bool keeps_samples(const struct finder *f, uint32_t caller, uint32_t called)
{
	return 100.0 * (double)node_at(f, called)->total.period >=
	       f->kept_percent * (double)node_at(f, caller)->total.period;
}

/* Calls of one path up to where it branches or ends, without hidden ones. */
struct chain {
	PD_VEC(uint32_t) nodes;
	/** Last node, even if it is hidden. */
	uint32_t last;
};

static bool list_chain(const struct finder *f, uint32_t node, struct chain *ret)
{
	uint32_t next = node;

	do {
		ret->last = next;
		if (!is_hidden(f, next) && !pd_vec_push(&ret->nodes, next))
			return false;
	} while (count_chosen(f, ret->last, &next) == 1);
	return true;
}

static bool add_row(struct finder *f, struct ana_path_row row, bool *is_first)
{
	row.is_branch &= *is_first;
	*is_first = false;
	return pd_vec_push(&f->paths->rows, row);
}

/* Number of calls from @p i on that keep the same samples, without the last one of the chain. */
static size_t count_left_out(const struct finder *f, const struct chain *chain, size_t i)
{
	size_t n = 0;

	while (i && i + n + 1 < chain->nodes.n &&
		keeps_samples(f, chain->nodes.data[i - 1], chain->nodes.data[i + n]) &&
		keeps_samples(f, chain->nodes.data[i - 1], chain->nodes.data[i + n + 1]))
		n++;
	return n;
}

static bool add_chain(struct finder *f, const struct chain *chain, const struct ana_path_row *place)
{
	bool is_first = true;

	for (size_t i = 0; i < chain->nodes.n; i++) {
		struct ana_path_row row = *place;
		size_t n = count_left_out(f, chain, i);

		/* The name of a single call says more than that one is left out. */
		if (n > 1) {
			row.n_left_out = n;
			/* The last call before samples are lost is listed. */
			i += n;
		}
		row.node = chain->nodes.data[i];
		if (!add_row(f, row, &is_first))
			return false;
	}
	return true;
}

static bool add_paths(struct finder *f, uint32_t parent, unsigned depth);

static bool add_path(struct finder *f, uint32_t node, const struct ana_path_row *place)
{
	struct chain chain = { .nodes = { 0 } };
	bool ok = list_chain(f, node, &chain) && add_chain(f, &chain, place);
	/* Branches below hidden calls leave the row before these calls. */
	unsigned depth = place->depth + (chain.nodes.n ? 1 : 0);

	pd_vec_deinit(&chain.nodes);
	return ok && add_paths(f, chain.last, depth);
}

/* Add the paths that leave @p parent. They are nested no deeper than there are paths. */
static bool add_paths(struct finder *f, uint32_t parent, unsigned depth)
{
	uint32_t first;
	size_t n = count_chosen(f, parent, &first);
	const struct ana_path_row place = { .depth = depth, .is_branch = n > 1 };

	for (uint32_t i = first; i; i = node_at(f, i)->next) {
		if (f->is_chosen[i] && !add_path(f, i, &place))
			return false;
	}
	return true;
}

/* List the paths in as much detail as there is room for. */
static bool list_paths(struct finder *f)
{
	for (f->kept_percent = MAX_KEPT; f->kept_percent >= MIN_KEPT;
		f->kept_percent -= KEPT_STEP) {
		f->paths->rows.n = 0;
		if (!add_paths(f, 0, 0))
			return false;
		if (f->paths->rows.n <= f->opts->max_rows)
			return true;
	}
	return true;
}

/* Choose and list as many paths as there is room for. */
static bool find_paths(struct finder *f)
{
	for (size_t n = f->opts->max_paths; n; n--) {
		forget_chosen(f);
		if (!choose_paths(f, n) || !list_paths(f))
			return false;
		if (f->paths->rows.n <= f->opts->max_rows)
			return true;
	}
	return true;
}

struct pd_error *ana_paths_find(const struct ana_call_tree *tree, const struct ana_symbols *symbols,
	const struct ana_paths_opts *opts, struct ana_paths *ret)
{
	_cleanup_free_ bool *is_chosen = calloc(tree->nodes.n, sizeof(*is_chosen));
	struct finder f = {
		.tree = tree,
		.symbols = symbols,
		.opts = opts,
		.paths = ret,
		.is_chosen = is_chosen,
	};

	*ret = (struct ana_paths){ 0 };
	bool ok = is_chosen && find_paths(&f);
	pd_vec_deinit(&f.chosen);
	if (ok)
		return NULL;
	ana_paths_deinit(ret);
	return &pd_enomem;
}

void ana_paths_deinit(struct ana_paths *paths)
{
	pd_vec_deinit(&paths->rows);
}
