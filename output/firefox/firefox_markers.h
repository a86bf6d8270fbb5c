/**
 * @file Markers of the firefox format: what happened in a thread besides samples.
 */
#ifndef PD_OUTPUT_FIREFOX_FIREFOX_MARKERS_H
#define PD_OUTPUT_FIREFOX_FIREFOX_MARKERS_H

#include "output/firefox/firefox.h"

/** Fill lives and markers from the notes and tracepoints of the profile. */
void firefox_find_markers(struct firefox *f);
/** Write the array of marker schemas. */
void firefox_write_schemas(struct firefox *f);
/** Write the table of @p n markers. */
void firefox_write_markers(struct firefox *f, const struct firefox_marker *markers, size_t n);

#endif
