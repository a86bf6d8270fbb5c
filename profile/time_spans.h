/**
 * @file Stretches of time of a recording, as perf and samply let people say them.
 */
#ifndef PD_PROFILE_TIME_SPANS_H
#define PD_PROFILE_TIME_SPANS_H

#include <stdbool.h>
#include <stdint.h>

#include <pdconv/error.h>
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

/** Whether all spans are times on the recording's clock, so that binding needs no bounds. */
bool prof_time_spans_are_absolute(const struct prof_time_spans *spans);

/**
 * Copy @p spans to @p ret as times on the clock of a recording whose first and last samples were taken at
 * @p first and @p last (ns). Errors: no memory.
 */
struct pd_error *prof_time_spans_bind(const struct prof_time_spans *spans, uint64_t first,
	uint64_t last, struct prof_time_spans *ret) pd_must_check;

/** Whether @p time (ns) is in one of the spans, which are absolute. True if there are no spans. */
bool prof_time_spans_contain(const struct prof_time_spans *spans, uint64_t time);

#endif
