/**
 * @file Head of the report: what ran, for how long, and on what.
 */
#ifndef PD_OUTPUT_REPORT_SUMMARY_H
#define PD_OUTPUT_REPORT_SUMMARY_H

#include "output/formats.h"

/** Add the head of the report of @p input, the name of the recording. Errors: NOMEM. */
struct pd_error *out_report_add_summary(struct out_doc *doc, const struct profile *profile,
	const struct out_write_opts *opts) pd_must_check;

#endif
