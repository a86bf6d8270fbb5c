#include "analyze/call_tree.h"

#include <stdlib.h>

#include "analyze/usage.h"
#include "base/array.h"
#include "base/cleanup.h"
#include "base/containers/map.h"
#include "base/system/libc.h"
#include "profile/ahead.h"

/* A symbol in a stack. */
struct call {
	uint32_t symbol;
	bool is_inlined;
};

struct builder {
	const struct profile *profile;
	const struct ana_symbols *symbols;
	const struct ana_tree_opts *opts;
	struct ana_call_tree *tree;
	/** Nodes by their parent, in the upper half of the key, and their symbol. */
	struct base_map children;
	/** Calls of the current stack, leaf first, without inlined functions of their own. */
	PD_VEC(struct call) calls;
	/** Nodes on the current path, by symbol; 0: the symbol is not on it. */
	uint32_t *on_path;
};

/* Find or add the child of @p parent for @p symbol. Returns 0 if out of memory. */
static uint32_t find_child(struct builder *b, uint32_t parent, uint32_t symbol)
{
	struct ana_call_tree *tree = b->tree;
	uint32_t newest = tree->nodes.data[parent].first_child;

	/* Most nodes have a single child, which is found without the map. */
	if (newest && tree->nodes.data[newest].symbol == symbol)
		return newest;
	uint64_t *child = base_map_add(&b->children, (uint64_t)parent << 32 | symbol, NULL);
	if (!child || *child)
		return child ? (uint32_t)*child : 0;
	const struct ana_node node = {
		.symbol = symbol,
		.parent = parent,
		.next = newest,
		.is_inlined = true,
	};
	if (tree->nodes.n > UINT32_MAX || !pd_vec_push(&tree->nodes, node))
		return 0;
	*child = tree->nodes.n - 1;
	tree->nodes.data[parent].first_child = (uint32_t)*child;
	return (uint32_t)*child;
}

/* Take the nodes from @p node up to @p last, not included, from the path. */
static void leave(struct builder *b, uint32_t node, uint32_t last)
{
	while (node != last) {
		const struct ana_node *left = &b->tree->nodes.data[node];

		b->on_path[left->symbol] = 0;
		node = left->parent;
	}
}

/* The node on the path up to @p node at which @p symbol continues; 0: it is not on the path. */
static uint32_t find_on_path(const struct builder *b, uint32_t node, uint32_t symbol)
{
	const struct ana_symbol *called = base_intern_bytes(&b->symbols->list, symbol);

	if (!called->is_unnamed)
		return b->on_path[symbol];
	/* Frames without a name may be in different functions, so this need not be recursion. */
	return b->tree->nodes.data[node].symbol == symbol ? node : 0;
}

/* Go from @p node to the node of @p call. Returns 0 if out of memory. */
static uint32_t descend(struct builder *b, uint32_t node, const struct call *call)
{
	uint32_t before = find_on_path(b, node, call->symbol);

	if (before) {
		leave(b, node, before);
		return before;
	}
	uint32_t child = find_child(b, node, call->symbol);
	if (!child)
		return 0;
	b->tree->nodes.data[child].is_inlined &= call->is_inlined;
	b->on_path[call->symbol] = child;
	return child;
}

static void add_value(struct prof_value *to, const struct prof_value *value)
{
	to->samples += value->samples;
	to->period += value->period;
}

/* Count a sample at the node where its path ends and at those above. */
static void count(struct builder *b, uint32_t node, const struct prof_value *value)
{
	add_value(&b->tree->nodes.data[node].self, value);
	for (uint32_t i = node; i; i = b->tree->nodes.data[i].parent)
		add_value(&b->tree->nodes.data[i].total, value);
	add_value(&b->tree->nodes.data[0].total, value);
}

static bool list_calls(struct builder *b, struct prof_stack_id stack)
{
	uint32_t n;
	const struct prof_frame_id *frames = prof_stack(b->profile, stack, &n);

	b->calls.n = 0;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t n_symbols;
		const uint32_t *symbols = ana_symbols_at(b->symbols, frames[i], &n_symbols);

		for (uint32_t k = 0; k < n_symbols; k++) {
			const struct call call = { symbols[k], k + 1 < n_symbols };

			if (!pd_vec_push(&b->calls, call))
				return false;
		}
	}
	return true;
}

/* Position + 1 of the outermost call at which the tree begins; 0 if there is none. */
static size_t find_start(const struct builder *b)
{
	size_t n = b->calls.n;

	while (n && !b->opts->is_start[b->calls.data[n - 1].symbol])
		n--;
	return n;
}

/* Add a sample, whose calls have been listed. */
static bool add_path(struct builder *b, const struct prof_value *value)
{
	bool to_callers = b->opts->direction == ANA_TO_CALLERS;
	size_t first = 0;
	size_t last = b->calls.n;
	uint32_t node = 0;

	if (b->opts->is_start) {
		size_t start = find_start(b);

		if (!start)
			return true;
		first = to_callers ? start - 1 : 0;
		last = to_callers ? last : start;
	}
	for (size_t i = 0; i < last - first; i++) {
		node = descend(b, node, &b->calls.data[to_callers ? first + i : last - 1 - i]);
		if (!node)
			return false;
	}
	count(b, node, value);
	leave(b, node, 0);
	return true;
}

static bool is_skipped(const struct builder *b, const struct prof_sample *sample)
{
	return b->opts->skips_idle &&
	       ana_is_idle(b->profile, prof_thread(b->profile, sample->thread));
}

static bool add_samples(struct builder *b)
{
	for (struct prof_sample_id id = { 0 }; id.i < b->profile->samples.n; id.i++) {
		const struct prof_sample *sample = prof_sample(b->profile, id);

		prof_load_stacks_after(b->profile, id);
		if (!prof_same_event(sample->event, b->opts->event) || is_skipped(b, sample))
			continue;
		if (!list_calls(b, sample->stack) || !add_path(b, prof_value(b->profile, id)))
			return false;
	}
	return true;
}

static int compare(const void *a, const void *b, void *nodes)
{
	const struct ana_node *x = (struct ana_node *)nodes + *(const uint32_t *)a;
	const struct ana_node *y = (struct ana_node *)nodes + *(const uint32_t *)b;

	if (x->total.period != y->total.period)
		return x->total.period < y->total.period ? 1 : -1;
	/* Nodes were added in the order of the samples, which does not change. */
	return x < y ? -1 : x > y;
}

/* Sort the children of @p parent. @p list has room for all nodes. */
static void sort_children(struct ana_call_tree *tree, uint32_t parent, uint32_t *list)
{
	struct ana_node *nodes = tree->nodes.data;
	size_t n = 0;

	for (uint32_t i = nodes[parent].first_child; i; i = nodes[i].next)
		list[n++] = i;
	if (n < 2)
		return;
	base_sort_with(list, n, sizeof(*list), compare, nodes);
	nodes[parent].first_child = list[0];
	for (size_t i = 0; i < n; i++)
		nodes[list[i]].next = i + 1 < n ? list[i + 1] : 0;
}

static bool sort(struct ana_call_tree *tree)
{
	_cleanup_free_ uint32_t *list = reallocarray(NULL, tree->nodes.n, sizeof(*list));

	for (uint32_t i = 0; list && i < tree->nodes.n; i++)
		sort_children(tree, i, list);
	return list != NULL;
}

static bool build(struct builder *b)
{
	const struct ana_node root = { .symbol = PROF_NONE };

	b->on_path = base_calloc_n(b->symbols->list.n, sizeof(*b->on_path));
	if (!b->on_path || !pd_vec_push(&b->tree->nodes, root))
		return false;
	return add_samples(b) && sort(b->tree);
}

struct pd_error *ana_call_tree_create(const struct profile *profile,
	const struct ana_symbols *symbols, const struct ana_tree_opts *opts,
	struct ana_call_tree *ret)
{
	struct builder b = { .profile = profile, .symbols = symbols, .opts = opts, .tree = ret };

	*ret = (struct ana_call_tree){ 0 };
	bool ok = build(&b);
	free(b.on_path);
	pd_vec_deinit(&b.calls);
	base_map_deinit(&b.children);
	if (ok)
		return NULL;
	ana_call_tree_deinit(ret);
	return &pd_enomem;
}

void ana_call_tree_deinit(struct ana_call_tree *tree)
{
	pd_vec_deinit(&tree->nodes);
}
