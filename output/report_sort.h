/**
 * @file Tables of the report by chosen properties of the samples: see output/sort_key_defs.h.
 */
#ifndef PD_OUTPUT_REPORT_SORT_H
#define PD_OUTPUT_REPORT_SORT_H

#include "output/formats.h"

/** Most keys of a table. */
enum { OUT_MAX_SORT_KEYS = 10 };

enum out_sort_key {
#define OUT_SORT_KEY_ENUM(name, ...) OUT_SORT_##name,
	OUT_SORT_KEYS(OUT_SORT_KEY_ENUM)
#undef OUT_SORT_KEY_ENUM
		OUT_N_SORT_KEYS,
};

/** Check the names of @p opts->sort, and add what the keys need to @p request. Errors: USAGE. */
struct pd_error *out_report_sort_prepare(
	const struct out_report_opts *opts, struct prof_request *request) pd_must_check;

/**
 * Write the table of the samples of @p event by @p opts->sort. A sample is counted by the frame at
 * its leaf (self) and, if a key is a property of frames, by each of its frames (total). Errors:
 * NOMEM.
 */
struct pd_error *out_report_write_sorted(const struct profile *profile,
	const struct out_report_opts *opts, struct prof_event_id event, FILE *out) pd_must_check;

/**
 * Write which commands and which binaries have most samples of @p event, with bars. Nothing is
 * written of what there is only one. Errors: NOMEM.
 */
struct pd_error *out_report_write_overview(
	const struct profile *profile, struct prof_event_id event, FILE *out) pd_must_check;

#endif
