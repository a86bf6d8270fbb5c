#include "pgo/counts.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/cleanup.h"

void pgo_counts_deinit(struct pgo_counts *counts)
{
	base_intern_deinit(&counts->names);
	base_intern_deinit(&counts->nodes);
	pd_vec_deinit(&counts->node_counts);
	base_intern_deinit(&counts->lines);
	pd_vec_deinit(&counts->line_counts);
	base_intern_deinit(&counts->targets);
	pd_vec_deinit(&counts->target_counts);
}

uint32_t pgo_counts_node(struct pgo_counts *counts, const struct pgo_node *node)
{
	const struct pgo_node_counts none = { 0 };
	uint32_t i = base_intern_add(&counts->nodes, node, sizeof(*node));

	if (i == PD_INTERN_NONE ||
		(i == counts->node_counts.n && !pd_vec_push(&counts->node_counts, none)))
		return PGO_NO_NODE;
	return i;
}

uint32_t pgo_counts_line(struct pgo_counts *counts, const struct pgo_line *line, uint64_t n)
{
	uint32_t i = base_intern_add(&counts->lines, line, sizeof(*line));

	if (i == PD_INTERN_NONE ||
		(i == counts->line_counts.n && !pd_vec_push(&counts->line_counts, 0)))
		return PD_INTERN_NONE;
	if (counts->line_counts.data[i] < n)
		counts->line_counts.data[i] = n;
	return i;
}

bool pgo_counts_add_target(struct pgo_counts *counts, const struct pgo_target *target, uint64_t n)
{
	uint32_t i = base_intern_add(&counts->targets, target, sizeof(*target));

	if (i == PD_INTERN_NONE ||
		(i == counts->target_counts.n && !pd_vec_push(&counts->target_counts, 0)))
		return false;
	counts->target_counts.data[i] += n;
	return true;
}

/* Sum up the calls of each line. */
static void sum_calls(const struct pgo_counts *counts, uint64_t *calls)
{
	for (uint32_t i = 0; i < counts->targets.n; i++)
		calls[pgo_target(counts, i)->line] += counts->target_counts.data[i];
}

static void sum_lines(struct pgo_counts *counts, const uint64_t *calls)
{
	for (uint32_t i = 0; i < counts->lines.n; i++) {
		struct pgo_node_counts *node = &counts->node_counts.data[pgo_line(counts, i)->node];

		if (counts->line_counts.data[i] < calls[i])
			counts->line_counts.data[i] = calls[i];
		node->calls += calls[i];
	}
}

bool pgo_counts_sum(struct pgo_counts *counts)
{
	struct pgo_node_counts *nodes = counts->node_counts.data;
	_cleanup_free_ uint64_t *calls = base_calloc_n(counts->lines.n, sizeof(*calls));

	if (!calls)
		return false;
	sum_calls(counts, calls);
	sum_lines(counts, calls);
	/* Outer nodes have lower numbers. */
	for (uint32_t i = (uint32_t)counts->nodes.n; i-- > 0;) {
		uint32_t outer = pgo_node(counts, i)->outer;

		if (outer == PGO_NO_NODE)
			continue;
		nodes[outer].total += nodes[i].total;
		nodes[outer].calls += nodes[i].calls;
	}
	return true;
}
