/**
 * @file What a recording does when it begins and ends: events are switched on and off, the moments
 * are marked, and samples that were lost are reported.
 */
#ifndef PD_CAPTURE_RUN_RECORDING_ENDS_H
#define PD_CAPTURE_RUN_RECORDING_ENDS_H

#include <pdconv/bytes.h>

#include "capture/run/recording_run.h"

/**
 * Prepare to sample blocked threads if waits are recorded. It takes some time, so it is called
 * before events are enabled. Errors: NOMEM.
 */
struct pd_error *cap_run_prepare(struct cap_run *run) pd_must_check;
/**
 * Mark the beginning, enable the events, and sample the threads that are blocked. Errors: OS,
 * NOMEM.
 */
struct pd_error *cap_run_start(struct cap_run *run) pd_must_check;
/**
 * Sample the threads of the target from number @p first on that are blocked, if waits are recorded.
 * They are recorded since @p begin_ns. Errors: OS, NOMEM.
 */
struct pd_error *cap_run_sample_blocked(
	struct cap_run *run, size_t first, uint64_t begin_ns) pd_must_check;

/** Whether all threads that were recorded have exited. False in recordings of whole CPUs. */
bool cap_run_has_no_threads(struct cap_run *run);

/** Disable the events, and note when. Later calls do nothing. Errors: OS. */
struct pd_error *cap_run_stop(struct cap_run *run) pd_must_check;
/** Write the mark of the end, after all records of the rings. Errors: OS, NOMEM. */
struct pd_error *cap_run_mark_end(struct cap_run *run) pd_must_check;

/**
 * Append to @p ret a record of the samples that were lost and are not in LOST records so far,
 * unless there are none: the kernel writes LOST before the next record that fits. Errors: NOMEM.
 */
struct pd_error *cap_run_encode_lost(const struct cap_run *run, struct pd_bytes *ret) pd_must_check;
/** Write that record, if there is one. Errors: OS, NOMEM. */
struct pd_error *cap_run_write_lost(struct cap_run *run) pd_must_check;

#endif
