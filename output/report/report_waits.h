/**
 * @file The section of the report about threads that wait.
 */
#ifndef PD_OUTPUT_REPORT_REPORT_WAITS_H
#define PD_OUTPUT_REPORT_REPORT_WAITS_H

#include "output/formats.h"

/**
 * Return the event of waits that has a separate section, in place of the tables that other events
 * have. The id refers to nothing if no event counts waits, or if the user asked for other events,
 * for tables or for trees.
 */
struct prof_event_id out_report_wait_event(
	const struct profile *profile, const struct out_write_opts *opts);

/**
 * Add what threads wait for and where, next to their time on the CPU. Add nothing if
 * out_report_wait_event() returns none. Errors: NOMEM.
 */
struct pd_error *out_report_add_waits(struct out_doc *doc, const struct profile *profile,
	const struct out_write_opts *opts) pd_must_check;

#endif
