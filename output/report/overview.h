/**
 * @file Tables of the report that show who used the processors.
 */
#ifndef PD_OUTPUT_REPORT_OVERVIEW_H
#define PD_OUTPUT_REPORT_OVERVIEW_H

#include "output/formats.h"

/**
 * Add which commands or threads, and which binaries, have most samples of @p event, with bars. A
 * table that would have a single row is left out, and so is, in texts, one that the section about
 * waits repeats. Errors: NOMEM.
 */
struct pd_error *out_report_add_overview(struct out_doc *doc, const struct profile *profile,
	const struct out_write_opts *opts, struct prof_event_id event) pd_must_check;

#endif
