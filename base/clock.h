/**
 * @file How long something took.
 */
#ifndef PD_BASE_CLOCK_H
#define PD_BASE_CLOCK_H

#include <time.h>

/** Seconds of a clock that only goes forward, since some moment. */
static inline double pd_clock_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

#endif
