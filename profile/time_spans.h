/**
 * @file Stretches of time of a recording, as perf and samply let people say them.
 */
#ifndef PD_PROFILE_TIME_SPANS_H
#define PD_PROFILE_TIME_SPANS_H

#include <stdbool.h>
#include <stdint.h>

#include <pdconv/error.h>
#include <pdconv/file.h>
#include <pdconv/vec.h>

enum prof_time_base {
	/** ns on the recording's clock. */
	PROF_TIME_ABSOLUTE,
	/** ns after the first sample. */
	PROF_TIME_SINCE_FIRST,
	/** Share of the time from the first sample to the last, 0 to 1. */
	PROF_TIME_SHARE,
};

/** Both ends belong to it. */
struct prof_time_span {
	enum prof_time_base base;
	/** ns; start 0 and end UINT64_MAX: open. */
	uint64_t start;
	uint64_t end;
	/** Of PROF_TIME_SHARE. */
	double start_share;
	double end_share;
};

/** Zero it; none at all stand for all time. */
struct prof_time_spans {
	PD_VEC(struct prof_time_span) list;
};

/**
 * Append what @p text says: of perf "12.5,13.25", ",13", "12.5," (seconds on the recording's clock;
 * several, with spaces between), "10%-20%", "10%/2" (the second slice of 10 %; several, with commas
 * between); of samply "1s-10s", "1s+9s" (after the first sample; ns, us, ms, s, m and h). Errors: USAGE.
 */
struct pd_error *prof_time_spans_parse(
	struct prof_time_spans *spans, const char *text) pd_must_check;
void prof_time_spans_deinit(struct prof_time_spans *spans);

/**
 * Make all spans absolute: by HEADER_SAMPLE_TIME, or by reading all of @p file, of which nothing has
 * been read. Errors: USAGE: @p file is a stream, or has no times; reading.
 */
struct pd_error *prof_time_spans_resolve(
	struct prof_time_spans *spans, struct pd_file *file) pd_must_check;

/** Whether @p time, ns, is in one of the spans, which are absolute. */
bool prof_time_spans_contain(const struct prof_time_spans *spans, uint64_t time);

#endif
