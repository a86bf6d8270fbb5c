/**
 * @file The section of the report about where the time of threads and CPUs went.
 */
#ifndef PD_OUTPUT_REPORT_REPORT_LEDGER_H
#define PD_OUTPUT_REPORT_REPORT_LEDGER_H

#include "output/doc/doc.h"
#include "output/formats.h"

/** Add the ledger of @p profile, which has been requested. Errors: no memory. */
struct pd_error *out_report_add_ledger(struct out_doc *doc, const struct profile *profile,
	const struct out_write_opts *opts) pd_must_check;

#endif
