/**
 * @file Measuring durations.
 */
#ifndef PD_BASE_CLOCK_H
#define PD_BASE_CLOCK_H

#include <time.h>

/** Seconds of a monotonic clock, since an unspecified time. */
static inline double base_clock_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

#endif
