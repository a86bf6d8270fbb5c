/**
 * @file The stacks of a profile as a tree: each node is a frame called by that of its parent.
 *
 * Inlined functions are frames of their own. Nodes 0 to n_stacks - 1 are the stacks of the profile,
 * so that a sample refers to its node by the id of its stack. The other nodes are those of callers
 * with which no stack ends.
 */
#ifndef PD_TABLES_STACK_TREE_H
#define PD_TABLES_STACK_TREE_H

#include <stdint.h>

#include <pdconv/vec.h>

#include "analyze/places.h"
#include "profile/profile.h"

struct tab_stack_node {
	/** PROF_NONE: a root, or the stack without frames. */
	uint32_t parent;
	/** Row of the table frames; PROF_NONE: the stack without frames. */
	uint32_t frame;
	/** 1 for roots, 0 for the stack without frames. */
	uint32_t depth;
};

/** A zeroed one is empty. */
struct tab_stack_tree {
	PD_VEC(struct tab_stack_node) nodes;
	/** Nodes in an order in which parents precede their children. */
	PD_VEC(uint32_t) order;
};

/** Samples of an event by node: those whose stack ends there, and those whose stack has it. */
struct tab_stack_total {
	uint32_t stack;
	uint32_t event;
	struct prof_value self;
	struct prof_value total;
};

/**
 * Make the tree of the stacks of @p profile. @p places has the rows of each frame, innermost first.
 * Returns false if memory ran out.
 */
bool tab_stack_tree_create(const struct profile *profile, const struct ana_places *places,
	struct tab_stack_tree *ret) pd_must_check;
void tab_stack_tree_deinit(struct tab_stack_tree *tree);

/**
 * Sum up the samples of @p event for each node, in @p self and @p total of as many elements as
 * there are nodes. Both are zeroed before.
 */
void tab_stack_tree_sum(const struct tab_stack_tree *tree, const struct profile *profile,
	struct prof_event_id event, struct prof_value *self, struct prof_value *total);

#endif
