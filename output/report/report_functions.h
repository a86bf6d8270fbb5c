/**
 * @file Tables of functions in the report.
 */
#ifndef PD_OUTPUT_REPORT_REPORT_FUNCTIONS_H
#define PD_OUTPUT_REPORT_REPORT_FUNCTIONS_H

#include "analyze/symbols.h"
#include "output/report/report_columns.h"

/**
 * Add the functions with most samples of the first of @p events, by their own samples and by those
 * of their callees. Errors: NOMEM.
 */
struct pd_error *out_report_add_functions(struct out_doc *doc, const struct profile *profile,
	const struct ana_symbols *symbols, const struct pd_report_opts *opts,
	const struct out_report_events *events) pd_must_check;

#endif
