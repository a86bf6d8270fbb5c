/**
 * @file Counters of the firefox format: graphs of events that take no samples themselves.
 */
#ifndef PD_OUTPUT_FIREFOX_COUNTERS_H
#define PD_OUTPUT_FIREFOX_COUNTERS_H

#include "output/firefox.h"

/** Whether there are events that were counted in samples of another event, and times of these. */
bool firefox_has_counters(const struct firefox *f);
/** Write the array of counters: a graph for each of these events in each process. */
void firefox_write_counters(struct firefox *f);

#endif
