/**
 * @file Mappings by address: a B+-tree whose nodes are shared between versions.
 *
 * A change copies only the nodes between the root and the changed entries, so each version costs
 * O(log n) time and memory, and all others stay as they are. Nodes that only one version has are
 * changed in place. A tree is known by its root; NULL is an empty tree.
 *
 * Searches may run on any thread while other versions of the tree change. Changes, and references
 * that are taken or dropped, belong to one thread.
 */
#ifndef PD_PARSE_RANGE_TREE_H
#define PD_PARSE_RANGE_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/decls.h>

#include "parse/space/space.h"

struct parse_range_node;

struct parse_range_node *parse_range_tree_ref(struct parse_range_node *root);
/** Drop a reference, and free the nodes that no other version has. */
void parse_range_tree_unref(struct parse_range_node *root);

/** Number of entries. */
uint32_t parse_range_tree_n(const struct parse_range_node *root);

/**
 * Find the first entry that ends after @p addr, or NULL. It is valid as long as this version of the
 * tree.
 */
const struct parse_maps_entry *parse_range_tree_find(
	const struct parse_range_node *root, uint64_t addr);

/**
 * Replace what the entries have in [put->start, put->end) by @p put; entries that reach beyond it
 * keep the rest of their range. If put->mapping is NULL, nothing is put there. The reference in
 * @p root becomes one to the changed tree. False if out of memory; the tree may only be released
 * then.
 */
bool parse_range_tree_replace(
	struct parse_range_node **root, const struct parse_maps_entry *put) pd_must_check;

#endif
