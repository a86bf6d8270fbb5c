/**
 * @file Marks of the moments at which a recording began and ended.
 *
 * Nothing is recorded while all threads wait, so the first and the last record of the kernel do not
 * show when the recording began and ended. A mark is a LOST_SAMPLES record with a time that reports
 * no lost samples: readers of perf.data, perf included, take it for a record without news.
 */
#ifndef PD_CAPTURE_RUN_TIME_MARKS_H
#define PD_CAPTURE_RUN_TIME_MARKS_H

#include <stdbool.h>
#include <stdint.h>

#include <pdconv/attr.h>
#include <pdconv/bytes.h>
#include <pdconv/error.h>

#include "capture/ring.h"

/** Reads the clock of the samples. */
struct cap_time_marks {
	/** CLOCK_*; -1: perf's default clock, which only records have. */
	int clock;
	/** An event of the calling thread that records its name, and its ring; -1: not open. */
	int fd;
	struct cap_ring ring;
};

/** Do not open anything yet. @p clock is a CLOCK_*, or -1 for perf's default clock. */
void cap_time_marks_init(struct cap_time_marks *marks, int clock);
void cap_time_marks_deinit(struct cap_time_marks *marks);

/**
 * Get the present time on the clock of the samples, in ns. All calls are made by one thread. False:
 * it cannot be read here.
 */
bool cap_time_marks_now(struct cap_time_marks *marks, uint64_t *ret);

/** Append a mark at @p time to @p out, for a recording with the event @p attr. Errors: NOMEM. */
struct pd_error *cap_time_marks_encode(
	const struct pd_attr *attr, uint64_t time, struct pd_bytes *out) pd_must_check;

#endif
