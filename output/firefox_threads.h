/**
 * @file Threads of the firefox format: a track each.
 */
#ifndef PD_OUTPUT_FIREFOX_THREADS_H
#define PD_OUTPUT_FIREFOX_THREADS_H

#include "output/firefox.h"

/** Write the array of threads. */
void firefox_write_threads(struct firefox *f);

#endif
