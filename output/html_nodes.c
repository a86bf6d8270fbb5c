/*
 * Order of nodes and leaves in the html format. Nodes are numbered so that a caller directly
 * precedes its first callee, which makes the column of callers small. Leaves are numbered from the
 * one with most samples on, because samples refer to them, and small numbers compress well.
 */
#include <stdlib.h>

#include "base/cleanup.h"
#include "output/html_private.h"

/* The tree of nodes. Nodes are referred to by their index plus 1; 0 is the root or none. */
struct tree {
	/** First callee, indexed by caller. */
	uint32_t *child;
	/** Next callee of the same caller, indexed by node. */
	uint32_t *sibling;
	/** Place in the page, from 0 on, indexed by node. */
	uint32_t *place;
};

static void tree_deinit(struct tree *tree)
{
	free(tree->child);
	free(tree->sibling);
	free(tree->place);
}

/* Link callers to their callees, which are in order of frames. False if out of memory. */
static bool link_nodes(const struct html *h, struct tree *tree)
{
	size_t n = h->nodes.n;
	_cleanup_free_ struct pd_keyed *order = calloc(n + 1, sizeof(*order));

	for (uint32_t i = 0; order && i < n; i++)
		order[i] = (struct pd_keyed){ h->nodes.data[i].frame, i };
	if (!order || !pd_sort_keyed(order, n))
		return false;
	while (n) {
		uint32_t node = order[--n].index;
		uint32_t *first = &tree->child[h->nodes.data[node].parent];

		tree->sibling[node + 1] = *first;
		*first = node + 1;
	}
	return true;
}

/* Put all nodes, callers before their callees, and note their places. */
static void put_nodes(struct html *h, struct tree *tree)
{
	uint32_t n = 0, up = 0;

	for (uint32_t node = tree->child[0]; node; n++) {
		html_put(&h->columns, HTML_NODE_UP, up);
		html_put(&h->columns, HTML_NODE_FRAME, h->nodes.data[node - 1].frame);
		tree->place[node] = n;
		up = 0;
		if (tree->child[node]) {
			node = tree->child[node];
			continue;
		}
		for (up = 1; node && !tree->sibling[node]; up++)
			node = h->nodes.data[node - 1].parent;
		node = tree->sibling[node];
	}
}

/*
 * Put the leaves of @p stacks, and replace their nodes in h->leaves with their numbers. Leaves with
 * equally many samples are in order of their places.
 */
static bool put_leaves(
	struct html *h, const struct tree *tree, const struct pd_keyed *stacks, size_t n)
{
	size_t n_leaves = 0;
	_cleanup_free_ uint64_t *counts = calloc(h->nodes.n + 1, sizeof(*counts));
	_cleanup_free_ uint32_t *numbers = calloc(h->nodes.n + 1, sizeof(*numbers));
	_cleanup_free_ struct pd_keyed *leaves = calloc(h->nodes.n + 1, sizeof(*leaves));

	if (!counts || !numbers || !leaves)
		return false;
	for (size_t i = 0; i < n; i++) {
		uint32_t node = h->leaves[stacks[i].index];

		if (node)
			counts[tree->place[node]] += UINT64_MAX - stacks[i].key;
	}
	for (uint32_t place = 0; place < h->nodes.n; place++) {
		if (counts[place])
			leaves[n_leaves++] = (struct pd_keyed){ UINT64_MAX - counts[place], place };
	}
	if (!pd_sort_keyed(leaves, n_leaves))
		return false;
	for (uint32_t i = 0; i < n_leaves; i++) {
		html_put(&h->columns, HTML_LEAF_NODE, leaves[i].index);
		numbers[leaves[i].index] = i + 1;
	}
	for (size_t i = 0; i < n; i++) {
		uint32_t *leaf = &h->leaves[stacks[i].index];

		*leaf = *leaf ? numbers[tree->place[*leaf]] : 0;
	}
	return true;
}

void html_put_nodes(struct html *h, const struct pd_keyed *stacks, size_t n)
{
	_cleanup_(tree_deinit) struct tree tree = {
		.child = calloc(h->nodes.n + 1, sizeof(uint32_t)),
		.sibling = calloc(h->nodes.n + 1, sizeof(uint32_t)),
		.place = calloc(h->nodes.n + 1, sizeof(uint32_t)),
	};

	if (!tree.child || !tree.sibling || !tree.place || !link_nodes(h, &tree)) {
		h->no_memory = true;
		return;
	}
	put_nodes(h, &tree);
	h->no_memory |= !put_leaves(h, &tree, stacks, n);
}
