/**
 * @file The section of the report about the quality of stacks and names, with advice.
 */
#ifndef PD_OUTPUT_REPORT_REPORT_QUALITY_H
#define PD_OUTPUT_REPORT_REPORT_QUALITY_H

#include "output/formats.h"

/**
 * Add a section to @p doc: text shows a line about stacks, one about names, what was lost, and the
 * most useful advice; JSON has all numbers and hints. Errors: NOMEM.
 */
struct pd_error *out_report_add_quality(struct out_doc *doc, const struct profile *profile,
	const struct out_write_opts *opts) pd_must_check;

#endif
