/**
 * @file Call paths that take most of a tree: the heaviest chain of calls from its root, then the
 * heaviest chain that leaves it, and so on.
 *
 * A path goes on to the child with most samples, and ends where a function itself has more than any
 * of its children, or where these are too small. Of calls in a row that keep nearly the same
 * samples only the first and the last are listed.
 */
#ifndef PD_ANALYZE_PATHS_H
#define PD_ANALYZE_PATHS_H

#include <pdconv/error.h>
#include <pdconv/vec.h>

#include "analyze/call_tree.h"

/** A call of a path. Rows of all paths follow each other like those of a tree, parents first. */
struct ana_path_row {
	/** Index of the node in the tree. */
	uint32_t node;
	/** Number of branches between the root and this row. */
	unsigned depth;
	/** It is the first call of one of several paths that leave the row before. */
	bool is_branch;
	/** Calls between the row before and this one that are not listed, one after the other. */
	size_t n_left_out;
};

struct ana_paths {
	PD_VEC(struct ana_path_row) rows;
};

struct ana_paths_opts {
	/** Largest number of paths. */
	size_t max_paths;
	/** Smallest share of a call in the tree, in percent. */
	double min_percent;
	/**
	 * Number of rows. If there are more, calls that lose more of the samples are left out, too:
	 * up to half of those of their caller. If that is not enough, there are fewer paths.
	 */
	size_t max_rows;
	/** Leave out scaffolding that hardly works itself: see profile/scaffolding.h. */
	bool hides_scaffolding;
};

/** Find the paths of @p tree, whose children are called by their parents. Errors: NOMEM. */
struct pd_error *ana_paths_find(const struct ana_call_tree *tree, const struct ana_symbols *symbols,
	const struct ana_paths_opts *opts, struct ana_paths *ret) pd_must_check;
void ana_paths_deinit(struct ana_paths *paths);

#endif
