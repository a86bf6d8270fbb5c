/**
 * @file Hottest call paths in the report.
 */
#ifndef PD_OUTPUT_REPORT_PATHS_H
#define PD_OUTPUT_REPORT_PATHS_H

#include "analyze/symbols.h"
#include "output/formats.h"

/**
 * Add the call paths that take most samples of @p event, without those of the idle task. Add
 * nothing if stacks were not recorded. Errors: NOMEM.
 */
struct pd_error *out_report_add_paths(struct out_doc *doc, const struct profile *profile,
	const struct ana_symbols *symbols, const struct pd_report_opts *opts,
	struct prof_event_id event) pd_must_check;

#endif
