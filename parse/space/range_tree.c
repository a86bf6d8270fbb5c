/*
 * Deletions do not merge or balance nodes. No node is empty, and a new level needs a full root,
 * which takes at least 16 changes for each child: the height is logarithmic in the number of
 * changes (Sen and Tarjan, "Deletion Without Rebalancing in Multiway Search Trees").
 */
#include "parse/space/range_tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/analyzer.h"
#include "base/array.h"
#include "base/lower_bound.h"

enum {
	MAX_ENTRIES = 32,
	MAX_CHILDREN = 32,
	FIRST_CAP = 8,
	/** Nodes that may take the place of a full one, to which two entries are added. */
	MAX_PIECES = 2,
	MAX_MORE = 2,
};

struct parse_range_node {
	uint32_t refs;
	/** Number of entries in all leaves below. */
	uint32_t n_entries;
	/** Number of own entries or children, at least 1. */
	uint16_t n;
	/** Number of levels below; 0 for a leaf. */
	uint16_t height;
};

struct leaf {
	struct parse_range_node node;
	uint32_t cap;
	/** In ascending order, without overlaps. */
	struct parse_maps_entry entries[];
};

struct child {
	/** End of the last entry below. */
	uint64_t end;
	struct parse_range_node *node;
};

struct inner {
	struct parse_range_node node;
	struct child children[];
};

/** Nodes that take the place of one node in a changed tree, with a reference to each. */
struct pieces {
	size_t n;
	struct child list[MAX_PIECES];
};

static struct leaf *as_leaf(const struct parse_range_node *node)
{
	return base_container_of(node, struct leaf, node);
}

static struct inner *as_inner(const struct parse_range_node *node)
{
	return base_container_of(node, struct inner, node);
}

struct parse_range_node *parse_range_tree_ref(struct parse_range_node *root)
{
	if (root)
		root->refs++;
	return root;
}

static void unref_children(const struct child *children, size_t n)
{
	for (size_t i = 0; i < n; i++)
		parse_range_tree_unref(children[i].node);
}

void parse_range_tree_unref(struct parse_range_node *root)
{
	if (!root || --root->refs)
		return;
	if (root->height)
		unref_children(as_inner(root)->children, root->n);
	free(root);
}

uint32_t parse_range_tree_n(const struct parse_range_node *root)
{
	return root ? root->n_entries : 0;
}

const struct parse_maps_entry *parse_range_tree_find(
	const struct parse_range_node *root, uint64_t addr)
{
	if (!root)
		return NULL;
	while (root->height) {
		const struct inner *inner = as_inner(root);
		size_t at = base_lower_bound((size_t)root->n, i, inner->children[i].end <= addr);

		if (at == root->n)
			return NULL;
		root = inner->children[at].node;
	}
	const struct leaf *leaf = as_leaf(root);
	size_t at = base_lower_bound((size_t)root->n, i, leaf->entries[i].end <= addr);
	return at < root->n ? &leaf->entries[at] : NULL;
}

static uint64_t first_start(const struct parse_range_node *node)
{
	while (node->height)
		node = as_inner(node)->children[0].node;
	return as_leaf(node)->entries[0].start;
}

/* Create a leaf with room for some more entries. */
static struct parse_range_node *create_leaf(const struct parse_maps_entry *entries, size_t n)
{
	size_t cap = FIRST_CAP;

	while (cap < n)
		cap *= 2;
	struct leaf *leaf = malloc(sizeof(*leaf) + cap * sizeof(*entries));
	if (!leaf)
		return NULL;
	PD_IS_OWNED(leaf, "parse_range_tree_unref() frees it by its first member");
	leaf->node =
		(struct parse_range_node){ .refs = 1, .n_entries = (uint32_t)n, .n = (uint16_t)n };
	leaf->cap = (uint32_t)cap;
	memcpy(leaf->entries, entries, n * sizeof(*entries));
	return &leaf->node;
}

/* Create an inner node, which takes over the references of @p children if that succeeds. */
static struct parse_range_node *create_inner(
	const struct child *children, size_t n, uint16_t height)
{
	struct inner *inner = malloc(sizeof(*inner) + n * sizeof(*children));

	if (!inner)
		return NULL;
	inner->node = (struct parse_range_node){ .refs = 1, .n = (uint16_t)n, .height = height };
	memcpy(inner->children, children, n * sizeof(*children));
	for (size_t i = 0; i < n; i++)
		inner->node.n_entries += children[i].node->n_entries;
	return &inner->node;
}

static bool add_piece(struct pieces *pieces, struct parse_range_node *node, uint64_t end)
{
	if (!node)
		return false;
	pieces->list[pieces->n++] = (struct child){ end, node };
	return true;
}

static bool add_leaves(struct pieces *pieces, const struct parse_maps_entry *entries, size_t n)
{
	size_t n_first = n > MAX_ENTRIES ? n / 2 : n;

	if (n_first && !add_piece(pieces, create_leaf(entries, n_first), entries[n_first - 1].end))
		return false;
	return n_first == n ||
	       add_piece(pieces, create_leaf(entries + n_first, n - n_first), entries[n - 1].end);
}

static bool add_inners(
	struct pieces *pieces, const struct child *children, size_t n, uint16_t height)
{
	size_t n_first = n > MAX_CHILDREN ? n / 2 : n;

	if (!n)
		return true;
	struct parse_range_node *node = create_inner(children, n_first, height);
	if (!add_piece(pieces, node, children[n_first - 1].end)) {
		unref_children(children, n);
		return false;
	}
	if (n_first == n)
		return true;
	node = create_inner(children + n_first, n - n_first, height);
	if (add_piece(pieces, node, children[n - 1].end))
		return true;
	unref_children(children + n_first, n - n_first);
	return false;
}

/* Compute the entries that replace [first, last) of a leaf, which overlap @p put. */
static size_t cut(const struct parse_maps_entry *entries, size_t first, size_t last,
	const struct parse_maps_entry *put, struct parse_maps_entry ret[static 1 + MAX_MORE])
{
	size_t n = 0;

	if (first < last && entries[first].start < put->start) {
		ret[n] = entries[first];
		ret[n++].end = put->start;
	}
	if (put->mapping)
		ret[n++] = *put;
	if (first < last && entries[last - 1].end > put->end) {
		ret[n] = entries[last - 1];
		ret[n++].start = put->end;
	}
	return n;
}

static bool edit_leaf(
	struct leaf *leaf, bool is_own, const struct parse_maps_entry *put, struct pieces *ret)
{
	struct parse_maps_entry instead[1 + MAX_MORE];
	struct parse_maps_entry list[MAX_ENTRIES + MAX_MORE];
	struct parse_maps_entry *entries = leaf->entries;
	size_t n_old = leaf->node.n;
	size_t first = base_lower_bound(n_old, i, entries[i].end <= put->start);
	size_t last = base_lower_bound_from(first, n_old, i, entries[i].start < put->end);
	size_t n_instead = cut(entries, first, last, put, instead);
	size_t n_after = n_old - last;
	size_t n = first + n_instead + n_after;

	if (!is_own || !n || n > leaf->cap || n > MAX_ENTRIES) {
		memcpy(list, entries, first * sizeof(*list));
		memcpy(list + first, instead, n_instead * sizeof(*list));
		memcpy(list + first + n_instead, entries + last, n_after * sizeof(*list));
		return add_leaves(ret, list, n);
	}
	memmove(entries + first + n_instead, entries + last, n_after * sizeof(*list));
	memcpy(entries + first, instead, n_instead * sizeof(*list));
	leaf->node.n = (uint16_t)n;
	leaf->node.n_entries = (uint32_t)n;
	return add_piece(ret, parse_range_tree_ref(&leaf->node), entries[n - 1].end);
}

static bool edit(struct parse_range_node *node, bool is_own, const struct parse_maps_entry *put,
	struct pieces *ret);

/*
 * Only two children can change. Those between them are in the range, and are dropped whole: a
 * subtree that other versions have is left without a look at its entries.
 */
static bool edit_children(const struct inner *inner, bool is_own,
	const struct parse_maps_entry *put, size_t first, size_t last, struct pieces *first_ret,
	struct pieces *last_ret)
{
	const struct parse_maps_entry nothing = { put->start, put->end, NULL };
	struct parse_range_node *node = inner->children[first].node;

	if (!edit(node, is_own && node->refs == 1, put, first_ret))
		return false;
	if (last == inner->node.n)
		return true;
	node = inner->children[last].node;
	if (first_start(node) < put->end)
		return edit(node, is_own && node->refs == 1, &nothing, last_ret);
	return add_piece(last_ret, parse_range_tree_ref(node), inner->children[last].end);
}

static size_t append(struct child *list, size_t n, const struct child *more, size_t n_more)
{
	memcpy(list + n, more, n_more * sizeof(*list));
	return n + n_more;
}

static bool edit_inner(const struct inner *inner, bool is_own, const struct parse_maps_entry *put,
	struct pieces *ret)
{
	const struct child *children = inner->children;
	struct child list[MAX_CHILDREN + MAX_MORE];
	struct pieces at_first = { 0 };
	struct pieces at_last = { 0 };
	size_t n_old = inner->node.n;
	size_t first = base_lower_bound(n_old - 1, i, children[i].end <= put->start);
	size_t last = base_lower_bound_from(first + 1, n_old, i, children[i].end <= put->end);

	if (!edit_children(inner, is_own, put, first, last, &at_first, &at_last)) {
		unref_children(at_first.list, at_first.n);
		unref_children(at_last.list, at_last.n);
		return false;
	}
	size_t n = append(list, 0, children, first);
	if (last < n_old)
		last++;
	for (size_t i = 0; i < first; i++)
		parse_range_tree_ref(children[i].node);
	for (size_t i = last; i < n_old; i++)
		parse_range_tree_ref(children[i].node);
	n = append(list, n, at_first.list, at_first.n);
	n = append(list, n, at_last.list, at_last.n);
	n = append(list, n, children + last, n_old - last);
	return add_inners(ret, list, n, inner->node.height);
}

/* Compute what takes the place of @p node. It may be changed in place if only this tree has it. */
static bool edit(struct parse_range_node *node, bool is_own, const struct parse_maps_entry *put,
	struct pieces *ret)
{
	return node->height ? edit_inner(as_inner(node), is_own, put, ret)
			    : edit_leaf(as_leaf(node), is_own, put, ret);
}

/* Return the root of a tree of these nodes, whose references it takes over. NULL: out of memory. */
static struct parse_range_node *join(const struct pieces *pieces)
{
	struct parse_range_node *root = pieces->list[0].node;

	if (pieces->n == 1)
		return root;
	root = create_inner(pieces->list, pieces->n, (uint16_t)(root->height + 1));
	if (!root)
		unref_children(pieces->list, pieces->n);
	return root;
}

/* Remove levels with a single node at the root. */
static struct parse_range_node *lower(struct parse_range_node *root)
{
	while (root->height && root->n == 1) {
		struct parse_range_node *child =
			parse_range_tree_ref(as_inner(root)->children[0].node);

		parse_range_tree_unref(root);
		root = child;
	}
	return root;
}

bool parse_range_tree_replace(struct parse_range_node **root, const struct parse_maps_entry *put)
{
	struct pieces pieces = { 0 };
	struct parse_range_node *old = *root;
	bool ok = old ? edit(old, old->refs == 1, put, &pieces)
		      : add_leaves(&pieces, put, put->mapping != NULL);

	if (!ok) {
		unref_children(pieces.list, pieces.n);
		return false;
	}
	struct parse_range_node *changed = pieces.n ? join(&pieces) : NULL;
	if (pieces.n && !changed)
		return false;
	parse_range_tree_unref(old);
	*root = changed ? lower(changed) : NULL;
	return true;
}
