/**
 * @file Counts of source locations: the functions of a binary, those inlined into them, and how
 * often each of their lines ran.
 */
#ifndef PD_PGO_COUNTS_H
#define PD_PGO_COUNTS_H

#include <stdbool.h>
#include <stdint.h>

#include <pdconv/vec.h>

#include "base/containers/intern.h"

/** Stands for no node. */
#define PGO_NO_NODE UINT32_MAX

/** A location in a function. */
struct pgo_place {
	/** Lines from the declaration of the function. */
	uint32_t offset;
	uint32_t discriminator;
};

/** A function, or one inlined call of a function. */
struct pgo_node {
	/** Node into which the call was inlined, whose number is lower; PGO_NO_NODE: none. */
	uint32_t outer;
	/** Location of the call in it. */
	struct pgo_place call;
	/** Index in pgo_counts.names. */
	uint32_t name;
};

struct pgo_node_counts {
	/**
	 * Executed bytes in the node and in those inlined into it, as LLVM counts. Without
	 * branches: samples.
	 */
	uint64_t total;
	/** Branches to the first instruction of the function. */
	uint64_t head;
	/** Calls from the node and from those inlined into it. */
	uint64_t calls;
};

/** A line of a node. */
struct pgo_line {
	uint32_t node;
	struct pgo_place place;
};

/** A function that a line called. */
struct pgo_target {
	/** Index in pgo_counts.lines. */
	uint32_t line;
	uint32_t name;
};

/** Zeroed it is empty. */
struct pgo_counts {
	struct base_intern names;
	/** struct pgo_node, and their counts. */
	struct base_intern nodes;
	PD_VEC(struct pgo_node_counts) node_counts;
	/** struct pgo_line, and how often they ran. */
	struct base_intern lines;
	PD_VEC(uint64_t) line_counts;
	/** struct pgo_target, and how often they were called. */
	struct base_intern targets;
	PD_VEC(uint64_t) target_counts;
};

void pgo_counts_deinit(struct pgo_counts *counts);

/** Find or add a node. Returns PGO_NO_NODE if memory ran out. */
uint32_t pgo_counts_node(struct pgo_counts *counts, const struct pgo_node *node);

/**
 * Find or add a line, and raise its count to @p n: the instructions of a line belong together, so
 * the one that ran most often counts. Returns its index; PD_INTERN_NONE if memory ran out.
 */
uint32_t pgo_counts_line(struct pgo_counts *counts, const struct pgo_line *line, uint64_t n);

/** Count @p n calls of a target. Returns false if memory ran out. */
bool pgo_counts_add_target(struct pgo_counts *counts, const struct pgo_target *target, uint64_t n);

/**
 * Complete the counts once everything was added: raise the count of each line to that of its calls,
 * after the newest of which no code is known, and sum up the nodes. Returns false if memory ran
 * out.
 */
bool pgo_counts_sum(struct pgo_counts *counts);

/** A name, borrowed. */
static inline const char *pgo_name(const struct pgo_counts *counts, uint32_t i)
{
	return base_intern_bytes(&counts->names, i);
}

static inline const struct pgo_node *pgo_node(const struct pgo_counts *counts, uint32_t i)
{
	return base_intern_bytes(&counts->nodes, i);
}

static inline const struct pgo_line *pgo_line(const struct pgo_counts *counts, uint32_t i)
{
	return base_intern_bytes(&counts->lines, i);
}

static inline const struct pgo_target *pgo_target(const struct pgo_counts *counts, uint32_t i)
{
	return base_intern_bytes(&counts->targets, i);
}

#endif
