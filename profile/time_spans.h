/**
 * @file Time spans of a recording, in the syntax of perf and samply.
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

/** Time span; both ends belong to it. */
struct prof_time_span {
	enum prof_time_base base;
	/** Times in ns. A start of 0 or an end of UINT64_MAX is open. */
	uint64_t start;
	uint64_t end;
	/** Shares of the whole time, for PROF_TIME_SHARE. */
	double start_share;
	double end_share;
};

/** Time spans. Initialize with zeros. An empty list stands for all times. */
struct prof_time_spans {
	PD_VEC(struct prof_time_span) list;
};

/**
 * Parse @p text and append its time spans. Errors: USAGE, NOMEM. The syntax is one of:
 *
 *   "12.5,13.25", ",13", "12.5,"  seconds on the recording's clock; several are separated by spaces
 *     (perf)
 *   "10%-20%", "10%/2"            share of the time, second slice of 10 %; separated by commas
 *     (perf)
 *   "1s-10s", "1s+9s"             time after the first sample; units ns, us, ms, s, m and h
 *     (samply)
 */
struct pd_error *prof_time_spans_parse(
	struct prof_time_spans *spans, const char *text) pd_must_check;
void prof_time_spans_deinit(struct prof_time_spans *spans);

/** Whether all spans are times on the recording's clock, so that binding needs no bounds. */
bool prof_time_spans_are_absolute(const struct prof_time_spans *spans);

/**
 * Copy @p spans to @p ret as times on the clock of a recording whose first and last samples were
 * taken at @p first and @p last (ns). Errors: NOMEM.
 */
struct pd_error *prof_time_spans_bind(const struct prof_time_spans *spans, uint64_t first,
	uint64_t last, struct prof_time_spans *ret) pd_must_check;

/** Whether @p time (ns) is in one of the spans, which are absolute. True if there are no spans. */
bool prof_time_spans_contain(const struct prof_time_spans *spans, uint64_t time);

#endif
