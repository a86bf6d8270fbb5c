/**
 * @file Call trees of the report.
 */
#ifndef PD_OUTPUT_REPORT_TREE_H
#define PD_OUTPUT_REPORT_TREE_H

#include "output/formats.h"
#include "profile/call_tree.h"

/**
 * Write a tree: nodes with a share of at least opts->percent_limit, the rest summed up. A node that
 * is the only child follows its parent without indentation. Errors: NOMEM; USAGE, no stack has the
 * function of the tree.
 */
struct pd_error *out_report_write_tree(const struct profile *profile,
	const struct prof_symbols *symbols, const struct prof_tree_opts *tree,
	const struct out_report_opts *opts, FILE *out) pd_must_check;

#endif
