#include "pgo/pgo_order.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/containers/sort.h"
#include "base/system/libc.h"

static int compare_names(const struct pgo_counts *counts, uint32_t a, uint32_t b)
{
	return strcmp(pgo_name(counts, a), pgo_name(counts, b));
}

static int compare_places(const struct pgo_place *a, const struct pgo_place *b)
{
	int order = base_compare_u64(a->offset, b->offset);

	return order ? order : base_compare_u64(a->discriminator, b->discriminator);
}

/* Functions by descending total; calls by the node that they are in, and their place there. */
static int compare_nodes(const void *a, const void *b, void *ctx)
{
	const struct pgo_counts *counts = ctx;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	const struct pgo_node *node_x = pgo_node(counts, x), *node_y = pgo_node(counts, y);
	/* PGO_NO_NODE + 1 is 0: functions come first. */
	int order = base_compare_u64(node_x->outer + 1, node_y->outer + 1);

	if (!order && node_x->outer == PGO_NO_NODE)
		order = base_compare_u64(
			counts->node_counts.data[y].total, counts->node_counts.data[x].total);
	order = order ? order : compare_places(&node_x->call, &node_y->call);
	return order ? order : compare_names(counts, node_x->name, node_y->name);
}

static int compare_lines(const void *a, const void *b, void *ctx)
{
	const struct pgo_line *x = pgo_line(ctx, *(const uint32_t *)a);
	const struct pgo_line *y = pgo_line(ctx, *(const uint32_t *)b);
	int order = base_compare_u64(x->node, y->node);

	return order ? order : compare_places(&x->place, &y->place);
}

/* Targets by line, the most frequent first. */
static int compare_targets(const void *a, const void *b, void *ctx)
{
	const struct pgo_counts *counts = ctx;
	uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
	const struct pgo_target *x = pgo_target(counts, i), *y = pgo_target(counts, k);
	int order = base_compare_u64(x->line, y->line);

	order = order ? order
		      : base_compare_u64(
				counts->target_counts.data[k], counts->target_counts.data[i]);
	return order ? order : compare_names(counts, x->name, y->name);
}

/* Return the numbers below @p n in the order of @p compare_two; NULL: no memory. */
static uint32_t *sorted(size_t n, base_compare_fn *compare_two, const struct pgo_counts *counts)
{
	uint32_t *list = base_calloc_n(n, sizeof(*list));

	for (uint32_t i = 0; list && i < n; i++)
		list[i] = i;
	if (list)
		base_sort_with(list, n, sizeof(*list), compare_two, (void *)counts);
	return list;
}

static void extend(struct pgo_range *range, uint32_t at)
{
	if (!range->n++)
		range->first = at;
}

static bool allocate(struct pgo_order *o, const struct pgo_counts *counts)
{
	*o = (struct pgo_order){
		.counts = counts,
		.nodes = sorted(counts->nodes.n, compare_nodes, counts),
		.lines = sorted(counts->lines.n, compare_lines, counts),
		.targets = sorted(counts->targets.n, compare_targets, counts),
		.calls_of = base_calloc_n(counts->nodes.n, sizeof(*o->calls_of)),
		.lines_of = base_calloc_n(counts->nodes.n, sizeof(*o->lines_of)),
		.targets_of = base_calloc_n(counts->lines.n, sizeof(*o->targets_of)),
		.next = base_calloc_n(counts->nodes.n, sizeof(*o->next)),
	};
	return o->nodes && o->lines && o->targets && o->calls_of && o->lines_of && o->targets_of &&
	       o->next;
}

/* Whether a function ran, and has lines. */
static bool is_written(const struct pgo_order *o, uint32_t node)
{
	const struct pgo_node_counts *n = &o->counts->node_counts.data[node];

	return (n->total || n->head || n->calls) && (o->lines_of[node].n || o->calls_of[node].n);
}

/* Functions come first among the nodes. Move those that are written to the front. */
static void choose_functions(struct pgo_order *o, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		if (is_written(o, o->nodes[i]))
			o->nodes[o->n_functions++] = o->nodes[i];
	}
}

struct pd_error *pgo_order_create(const struct pgo_counts *counts, struct pgo_order *o)
{
	uint32_t n_all = 0;

	if (!allocate(o, counts))
		return &pd_enomem;
	for (uint32_t i = 0; i < counts->nodes.n; i++) {
		uint32_t outer = pgo_node(counts, o->nodes[i])->outer;

		if (outer == PGO_NO_NODE)
			n_all++;
		else
			extend(&o->calls_of[outer], i);
	}
	for (uint32_t i = 0; i < counts->lines.n; i++)
		extend(&o->lines_of[pgo_line(counts, o->lines[i])->node], i);
	for (uint32_t i = 0; i < counts->targets.n; i++)
		extend(&o->targets_of[pgo_target(counts, o->targets[i])->line], i);
	choose_functions(o, n_all);
	return NULL;
}

void pgo_order_deinit(struct pgo_order *o)
{
	free(o->nodes);
	free(o->lines);
	free(o->targets);
	free(o->calls_of);
	free(o->lines_of);
	free(o->targets_of);
	free(o->next);
}

bool pgo_walk_next(const struct pgo_order *o, struct pgo_walk *walk)
{
	while (walk->node != PGO_NO_NODE) {
		const struct pgo_range *calls = &o->calls_of[walk->node];

		if (o->next[walk->node] < calls->n) {
			walk->node = o->nodes[calls->first + o->next[walk->node]++];
			walk->depth++;
			return true;
		}
		/* The next walk begins anew. */
		o->next[walk->node] = 0;
		walk->node = pgo_node(o->counts, walk->node)->outer;
		walk->depth--;
	}
	return false;
}
