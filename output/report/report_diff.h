/**
 * @file The report of a comparison: what changed beyond noise.
 */
#ifndef PD_OUTPUT_REPORT_REPORT_DIFF_H
#define PD_OUTPUT_REPORT_REPORT_DIFF_H

#include "output/formats.h"

/** Request what the report of a comparison needs. Returns NULL. */
struct pd_error *out_report_prepare_diff(
	const struct out_write_opts *opts, struct prof_request *request) pd_must_check;

/** Write the report of a comparison. Errors: NOMEM. */
struct pd_error *out_report_write_diff(const struct profile *profile,
	const struct out_write_opts *opts, const struct ana_sides *sides, FILE *out) pd_must_check;

#endif
