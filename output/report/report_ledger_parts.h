/**
 * @file Parts of the section about where time went: processes, control groups, what blocked time
 * was for, and delays. And what its tables have in common.
 */
#ifndef PD_OUTPUT_REPORT_REPORT_LEDGER_PARTS_H
#define PD_OUTPUT_REPORT_REPORT_LEDGER_PARTS_H

#include <stddef.h>
#include <stdint.h>

#include "output/doc/doc.h"
#include "output/formats.h"

/** A column of times in ns. */
#define OUT_TIME_COLUMN(name) \
	{ \
		.key = (name), .title = (name), .kind = OUT_CELL_AMOUNT, .unit = "nanoseconds" \
	}

/** Columns of the states of threads, and their sum. */
#define OUT_STATE_COLUMNS \
	OUT_TIME_COLUMN("running"), OUT_TIME_COLUMN("runnable"), OUT_TIME_COLUMN("blocked"), \
		OUT_TIME_COLUMN("unknown"), OUT_TIME_COLUMN("life")

/** Fill the next cell with a time, which is empty if it is 0. */
static inline void out_report_add_time(struct out_table *table, uint64_t ns)
{
	if (ns)
		out_table_count(table, ns);
	else
		out_table_empty(table);
}

/** Fill the next cells with times, and their sum. */
static inline void out_report_add_times(
	struct out_table *table, const uint64_t *ns, size_t n, uint64_t whole)
{
	for (size_t i = 0; i < n; i++)
		out_report_add_time(table, ns[i]);
	out_table_count(table, whole);
}

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
