/**
 * @file Call trees and hottest call paths of the report.
 */
#ifndef PD_OUTPUT_REPORT_CALL_TREES_H
#define PD_OUTPUT_REPORT_CALL_TREES_H

#include "analyze/call_tree.h"
#include "analyze/symbols.h"
#include "output/formats.h"

/**
 * Add a tree to @p doc: nodes with a share of at least report->percent_limit, the rest summed up. A
 * node that is the only child follows its parent without indentation. *@p is_empty_ret: the tree
 * has no samples. Errors: NOMEM.
 */
struct pd_error *out_report_add_tree(struct out_doc *doc, const char *key, const char *title,
	const struct profile *profile, const struct ana_symbols *symbols,
	const struct ana_tree_opts *opts, const struct pd_report_opts *report,
	bool *is_empty_ret) pd_must_check;

/**
 * Add the call paths that take most samples of @p event, without those of the idle task. Add
 * nothing if stacks were not recorded. Errors: NOMEM.
 */
struct pd_error *out_report_add_paths(struct out_doc *doc, const struct profile *profile,
	const struct ana_symbols *symbols, const struct pd_report_opts *opts,
	struct prof_event_id event) pd_must_check;

#endif
