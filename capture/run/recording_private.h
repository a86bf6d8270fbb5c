/**
 * @file State of a recording that runs, shared by capture/run/recording_run.c and
 * capture/run/recording_live.c.
 */
#ifndef PD_CAPTURE_RUN_RECORDING_PRIVATE_H
#define PD_CAPTURE_RUN_RECORDING_PRIVATE_H

#include <pdconv/bytes.h>
#include <pdconv/events.h>

#include "base/map.h"
#include "capture/run/recording.h"
#include "capture/stream.h"

/** State that exists only while a recording runs. */
struct cap_run {
	struct cap_recording *recording;
	struct pd_writer *writer;
	struct cap_sink sink;
	/** Events of the session, if the sink decodes samples. */
	struct pd_events events;
	struct cap_unwound *unwound;
	/** Waits for the rings, which the sink drains. */
	struct cap_stream stream;
	struct cap_stack_level stack_level;
	/** Threads that are recorded: see struct cap_sink. */
	struct pd_map threads;
	/** -1: not open. */
	int signal_fd;
	int end_timer;
	int begin_timer;
	/**
	 * Number of descriptors of the first event, counted from the first one, whose threads have
	 * exited.
	 */
	size_t n_hung_up;
	bool has_ended;
	/** The thread has a higher priority than before, when its nice value was @ref nice. */
	bool has_priority;
	int nice;
	/** A request waits to be served. */
	bool has_request;
};

/**
 * Write what the rings hold as one round. A process with postponed mappings may have its first
 * sample in this round, so the mappings belong in the same one.
 */
struct pd_error *cap_run_drain(struct cap_run *run) pd_must_check;

/**
 * Append to @p ret a record of the samples that were lost and are not in LOST records so far,
 * unless there are none: the kernel writes LOST before the next record that fits.
 */
struct pd_error *cap_run_encode_lost(const struct cap_run *run, struct pd_bytes *ret) pd_must_check;

/* capture/run/preamble.c: records of the kernel, its modules, and processes that exist already. */

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

/* capture/run/recording_features.c: collects what capture/features/features.h encodes. */

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
 * are written. Errors: those of @p writer; no memory.
 *
 * Formats of tracepoints are not among them: perf 6.1 rejects TRACING_DATA records in files.
 */
struct pd_error *cap_recording_add_early_records(const struct cap_recording *recording,
	struct pd_writer *writer, const struct pd_pack *pack) pd_must_check;

#endif
