/**
 * @file The features of a recording: collects what capture/features.h encodes.
 */
#ifndef PD_CAPTURE_RECORDING_FEATURES_H
#define PD_CAPTURE_RECORDING_FEATURES_H

#include <pdconv/error.h>
#include <pdconv/writer.h>

#include "capture/recording.h"
#include "parse/write/pack.h"

/**
 * Add the features of @p recording, whose events have been opened, to @p writer. @p counts has the
 * times of the first and the last sample; NULL: there are no samples yet.
 */
struct pd_error *cap_recording_add_features(const struct cap_recording *recording,
	struct pd_writer *writer, const struct cap_counts *counts) pd_must_check;

/**
 * Write records with what readers cannot do without if a file is interrupted, because its features
 * would be at its end: the names of the events and, unless @p pack is NULL, how it compresses. perf
 * takes the names of tracepoints in streams from these records, too. Call it before other records
 * are written. Errors: those of @p writer; no memory.
 *
 * Formats of tracepoints are not among them: perf 6.1 rejects TRACING_DATA records in files.
 */
struct pd_error *cap_recording_add_early_records(const struct cap_recording *recording,
	struct pd_writer *writer, const struct pd_pack *pack) pd_must_check;

#endif
