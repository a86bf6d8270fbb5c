/**
 * @file The section of the report about critical paths.
 */
#ifndef PD_OUTPUT_REPORT_REPORT_PATH_H
#define PD_OUTPUT_REPORT_REPORT_PATH_H

#include "output/doc/doc.h"
#include "output/formats.h"

/** Add the critical paths of @p profile, which have been requested. Errors: no memory. */
struct pd_error *out_report_add_path(struct out_doc *doc, const struct profile *profile,
	const struct out_write_opts *opts) pd_must_check;

#endif
