/** @file The section of the report about the times from one event to another. */
#ifndef PD_OUTPUT_REPORT_REPORT_INTERVALS_H
#define PD_OUTPUT_REPORT_REPORT_INTERVALS_H

#include "output/doc/doc.h"
#include "output/formats.h"

/**
 * Add the intervals of @p profile, which have been requested: for each kind a table by what they
 * are, one by thread, and one by stack if stacks were recorded. Percentiles are those of the
 * intervals themselves. Errors: NOMEM.
 */
struct pd_error *out_report_add_intervals(struct out_doc *doc, const struct profile *profile,
	const struct out_write_opts *opts) pd_must_check;

#endif
