/**
 * @file Call trees: the stacks of an event merged from one end.
 *
 * A node is a symbol at a position: all samples whose stacks agree from the root of the tree up to
 * it. Trees grow from the roots of stacks to the leaves, or the other way round, and from the ends
 * of stacks or from a function within them.
 */
#ifndef PD_ANALYZE_CALL_TREE_H
#define PD_ANALYZE_CALL_TREE_H

#include <pdconv/error.h>
#include <pdconv/vec.h>

#include "base/containers/intern.h"
#include "profile/profile.h"
#include "analyze/symbols.h"

enum ana_direction {
	ANA_TO_CALLEES, /**< Children are called by their parent. */
	ANA_TO_CALLERS, /**< Children call their parent. */
};

struct ana_node {
	/** Id of the symbol; PROF_NONE in the first node, which stands for all samples. */
	uint32_t symbol;
	/** Nodes by index; 0: there is none. */
	uint32_t parent;
	uint32_t first_child;
	uint32_t next;
	/** All occurrences were inlined into their callers. */
	bool is_inlined;
	/** Samples that pass here, and those that end here. */
	struct prof_value total;
	struct prof_value self;
};

struct ana_call_tree {
	/** Node 0 is the root of the tree. */
	PD_VEC(struct ana_node) nodes;
};

/** How to build a tree. */
struct ana_tree_opts {
	struct prof_event_id event;
	enum ana_direction direction;
	/**
	 * Functions at which the tree begins, flags by symbol id: samples without them are not in
	 * the tree. The outermost call of any of them counts. NULL: the ends of the stacks.
	 * Borrowed.
	 */
	const bool *is_start;
	/** Leave out the samples of the idle task. */
	bool skips_idle;
};

/**
 * Build a tree of the samples of an event. Recursion is folded: a function that is called again,
 * directly or not, continues at the node of its first call. Frames without a name are only folded
 * with such frames of the same binary next to them. Children are sorted by their total, the
 * largest first. Errors: NOMEM.
 */
struct pd_error *ana_call_tree_create(const struct profile *profile,
	const struct ana_symbols *symbols, const struct ana_tree_opts *opts,
	struct ana_call_tree *ret) pd_must_check;
void ana_call_tree_deinit(struct ana_call_tree *tree);

#endif
