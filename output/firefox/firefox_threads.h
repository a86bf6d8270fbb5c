/**
 * @file Tracks of the firefox format: threads, and counters of events that take no samples.
 */
#ifndef PD_OUTPUT_FIREFOX_FIREFOX_THREADS_H
#define PD_OUTPUT_FIREFOX_FIREFOX_THREADS_H

#include "output/firefox/firefox.h"

/** Write the array of threads. */
void firefox_write_threads(struct firefox *f);

/** Whether there are events that were counted in samples of another event, and times of these. */
bool firefox_has_counters(const struct firefox *f);
/** Write the array of counters: a graph for each of these events in each process. */
void firefox_write_counters(struct firefox *f);

#endif
