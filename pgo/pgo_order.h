/**
 * @file Order in which counts are written: functions, the lines of each, and the calls that were
 * inlined into it.
 */
#ifndef PD_PGO_ORDER_H
#define PD_PGO_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/error.h>

#include "pgo/counts.h"

/** Elements of one owner, as a range of a list that is sorted by owner. */
struct pgo_range {
	uint32_t first;
	uint32_t n;
};

struct pgo_order {
	/** Borrowed. */
	const struct pgo_counts *counts;
	/**
	 * Functions, of which the first n_functions ran; then inlined calls by the node that they
	 * are in.
	 */
	uint32_t *nodes;
	uint32_t n_functions;
	/** Lines by node and place; targets by line, the most frequent first. */
	uint32_t *lines;
	uint32_t *targets;
	/** Calls and lines by node, targets by line: ranges of the lists above. */
	struct pgo_range *calls_of;
	struct pgo_range *lines_of;
	struct pgo_range *targets_of;
	/** Calls of each node that a walk has passed. */
	uint32_t *next;
};

/**
 * Order @p counts, which are borrowed, and were summed up. Functions are in descending order of
 * their totals. Must be freed after an error, too. Errors: NOMEM.
 */
struct pd_error *pgo_order_create(
	const struct pgo_counts *counts, struct pgo_order *ret) pd_must_check;
void pgo_order_deinit(struct pgo_order *order);

/** Place in a walk through the calls that were inlined into a function, and into each other. */
struct pgo_walk {
	uint32_t node;
	/** 0: the function. */
	size_t depth;
};

static inline struct pgo_walk pgo_walk(uint32_t function)
{
	return (struct pgo_walk){ .node = function };
}

/**
 * Go on to the next call: outer ones first, any number of levels. False: there is none. One walk at
 * a time, which goes to its end.
 */
bool pgo_walk_next(const struct pgo_order *order, struct pgo_walk *walk);

#endif
