/**
 * @file The state of a recording that runs.
 */
#ifndef PD_CAPTURE_RUN_RECORDING_RUN_H
#define PD_CAPTURE_RUN_RECORDING_RUN_H

#include <pdconv/bytes.h>
#include <pdconv/events.h>

#include "base/containers/map.h"
#include "capture/run/blocked_threads.h"
#include "capture/run/recording.h"
#include "capture/run/time_marks.h"
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
	struct base_map threads;
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
	/** Events were disabled at the end, at @ref end_ns if that is known. */
	bool is_stopped;
	bool has_end;
	uint64_t end_ns;
	/** Reads the clock of the samples. */
	struct cap_time_marks marks;
	/** Samples threads that are blocked when the recording begins; NULL: it does not. */
	struct cap_blocked *blocked;
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

#endif
