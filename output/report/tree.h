/**
 * @file Call trees of the report.
 */
#ifndef PD_OUTPUT_REPORT_TREE_H
#define PD_OUTPUT_REPORT_TREE_H

#include "output/formats.h"
#include "analyze/call_tree.h"

/**
 * Add a tree to @p doc: nodes with a share of at least report->percent_limit, the rest summed up. A
 * node that is the only child follows its parent without indentation. Errors: NOMEM; USAGE, no
 * stack has the function of the tree.
 */
struct pd_error *out_report_add_tree(struct out_doc *doc, const char *key, const char *title,
	const struct profile *profile, const struct ana_symbols *symbols,
	const struct ana_tree_opts *opts, const struct pd_report_opts *report) pd_must_check;

#endif
