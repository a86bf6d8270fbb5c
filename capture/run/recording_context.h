/**
 * @file Parts of a recording that are not samples: its features, and records of the kernel, its
 * modules, and processes that exist already.
 */
#ifndef PD_CAPTURE_RUN_RECORDING_CONTEXT_H
#define PD_CAPTURE_RUN_RECORDING_CONTEXT_H

#include "capture/run/recording.h"

/**
 * Write the preamble of @p recording to @p sink, once its events are open and before they are
 * enabled. Mappings that take too long to read are postponed.
 */
struct pd_error *cap_preamble_write(
	struct cap_recording *recording, struct cap_sink *sink) pd_must_check;

/**
 * Write mappings that were postponed and are needed by now: those of processes that have samples in
 * the rings drained since the last round. @p has_more_ret: some are left, but the rings have to be
 * drained first.
 */
struct pd_error *cap_preamble_write_postponed(
	struct cap_recording *recording, bool *has_more_ret) pd_must_check;

/**
 * Add the features of @p recording, whose events have been opened, to @p writer. @p counts has the
 * times of the first and the last sample; NULL: before the first sample.
 */
struct pd_error *cap_recording_add_features(const struct cap_recording *recording,
	struct pd_writer *writer, const struct cap_counts *counts) pd_must_check;

/**
 * Write records with what readers cannot do without if a file is interrupted, because its features
 * would be at its end: the names of the events and, unless @p pack is NULL, how it compresses. perf
 * takes the names of tracepoints in streams from these records, too. Call it before other records
 * are written. Errors: those of @p writer; NOMEM.
 *
 * Formats of tracepoints are not among them: perf 6.1 rejects TRACING_DATA records in files.
 */
struct pd_error *cap_recording_add_early_records(const struct cap_recording *recording,
	struct pd_writer *writer, const struct parse_pack *pack) pd_must_check;

#endif
