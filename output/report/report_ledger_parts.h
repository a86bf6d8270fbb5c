/**
 * @file Parts of the section about where time went: processes, control groups, what blocked time
 * was for, and delays.
 */
#ifndef PD_OUTPUT_REPORT_REPORT_LEDGER_PARTS_H
#define PD_OUTPUT_REPORT_REPORT_LEDGER_PARTS_H

#include "output/doc/doc.h"
#include "output/formats.h"

/** Add the time of processes and of control groups. Errors: no memory. */
struct pd_error *out_report_add_groups(struct out_doc *doc, const struct profile *profile,
	const struct out_write_opts *opts) pd_must_check;

/** Add what blocked time was for, if stacks say so. Errors: no memory. */
struct pd_error *out_report_add_blocked(struct out_doc *doc, const struct profile *profile,
	const struct out_write_opts *opts) pd_must_check;

/** Add how long runnable threads waited for a CPU. Errors: no memory. */
struct pd_error *out_report_add_delays(struct out_doc *doc, const struct profile *profile,
	const struct out_write_opts *opts) pd_must_check;

#endif
