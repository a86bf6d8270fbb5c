/**
 * @file What optimizers can do with the recording: the section of --pgo.
 */
#ifndef PD_OUTPUT_REPORT_REPORT_PGO_H
#define PD_OUTPUT_REPORT_REPORT_PGO_H

#include <pdconv/error.h>

#include "output/doc/doc.h"
#include "output/formats.h"

/** Set in @p request what the section needs. */
void out_report_request_pgo(struct prof_request *request);

/** Add the section. Errors: NOMEM. */
struct pd_error *out_report_add_pgo(struct out_doc *doc, const struct profile *profile,
	const struct out_write_opts *opts) pd_must_check;

#endif
