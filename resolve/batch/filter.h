/**
 * @file A filter that is bound to one recording: its time spans are times on the clock of the
 * recording.
 */
#ifndef PD_RESOLVE_FILTER_H
#define PD_RESOLVE_FILTER_H

#include <pdconv/error.h>
#include <pdconv/file.h>

#include "profile/sample_filter.h"

struct resolve_filter {
	/** Borrowed; NULL: every sample is included. */
	const struct prof_filter *filter;
	/** filter->times on the recording's clock. */
	struct prof_time_spans times;
};

/**
 * Bind @p filter (borrowed, may be NULL) to @p file before any record is read. Relative times come
 * from HEADER_SAMPLE_TIME or, without it, from reading the whole file. Errors: USAGE, @p file is a
 * stream or has no times; reading.
 */
struct pd_error *resolve_filter_init(const struct prof_filter *filter, struct pd_file *file,
	struct resolve_filter *ret) pd_must_check;
void resolve_filter_deinit(struct resolve_filter *filter);

/**
 * Check that @p file has the events and the fields that @p filter selects by. All records must have
 * been read. Errors: USAGE, an event that the recording does not have, or CPUs or times that it did
 * not record.
 */
struct pd_error *resolve_filter_check(
	const struct resolve_filter *filter, const struct pd_file *file) pd_must_check;

#endif
