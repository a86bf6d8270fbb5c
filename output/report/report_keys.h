/**
 * @file Tables of the report by chosen properties of the samples: see analyze/keys/key_defs.h.
 */
#ifndef PD_OUTPUT_REPORT_REPORT_KEYS_H
#define PD_OUTPUT_REPORT_REPORT_KEYS_H

#include "output/report/report_columns.h"

/** Whether @p opts ask for a table. */
static inline bool out_report_has_table(const struct pd_report_opts *opts)
{
	return opts->n_sort || opts->n_group_by || opts->latency;
}

/** Whether @p opts ask for a table or a tree of samples. */
static inline bool out_report_has_section(const struct pd_report_opts *opts)
{
	return out_report_has_table(opts) || opts->tree || opts->callers || opts->callees;
}

/** Whether @p opts ask for intervals. */
static inline bool out_report_has_intervals(const struct pd_report_opts *opts)
{
	return opts->has_intervals || opts->n_intervals;
}

/** Whether @p opts ask for what optimizers can do. */
static inline bool out_report_has_pgo(const struct pd_report_opts *opts)
{
	return opts->pgo || opts->new_build;
}

/** Whether @p opts ask for where time went, which comes from a ledger. */
static inline bool out_report_has_time(const struct pd_report_opts *opts)
{
	return opts->ledger || opts->critical_path;
}

/** Whether @p opts ask for something that is not about the samples of an event. */
static inline bool out_report_is_of_no_event(const struct pd_report_opts *opts)
{
	return out_report_has_time(opts) || out_report_has_intervals(opts) ||
	       out_report_has_pgo(opts);
}

/** Whether @p opts ask for something in place of the overview. */
static inline bool out_report_is_specific(const struct pd_report_opts *opts)
{
	return out_report_has_section(opts) || out_report_is_of_no_event(opts);
}

/**
 * Check the keys of the table, and add what they need to @p request. Errors: USAGE, the keys or the
 * pattern of the key parent; NOMEM.
 */
struct pd_error *out_report_sort_prepare(
	const struct pd_report_opts *opts, struct prof_request *request) pd_must_check;

/**
 * Add the table of @p events by @p opts->group_by and @p opts->sort. Rows of a group follow the row
 * that sums them up. A sample is counted by the frame at its leaf (self) and, if a key is a
 * property of frames, by each of its frames (total). Errors: NOMEM; USAGE, the recording lacks the
 * data of a key.
 */
struct pd_error *out_report_add_sorted(struct out_doc *doc, const struct profile *profile,
	const struct pd_report_opts *opts, const struct out_report_events *events) pd_must_check;

#endif
