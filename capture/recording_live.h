/**
 * @file What can be done to a recording while it runs: by the thread that records, in on_request of
 * struct cap_recording_opts.
 */
#ifndef PD_CAPTURE_RECORDING_LIVE_H
#define PD_CAPTURE_RECORDING_LIVE_H

#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include <pdconv/error.h>

#include "capture/recording.h"

/**
 * Record process @p pid, too: its threads that are not recorded yet, as children of recorded
 * processes are. Errors: USAGE, @p run records all processes or control groups; OS, the process
 * does not exist, or the kernel refused the events. Nothing is recorded of it then.
 */
struct pd_error *cap_run_add_process(struct cap_run *run, pid_t pid) pd_must_check;

/** A recording of everything until now. */
struct cap_snapshot {
	struct cap_counts counts;
	/** Number of bytes at the start of the recording that runs which the snapshot has, too. */
	uint64_t n_shared;
};

/**
 * Make @p out, an empty file, a complete recording of everything until now, except for the bytes
 * from PD_HEADER_BYTES to n_shared. They never change again in the file of the recording that runs:
 * copy them from there at any time. Waits of threads that have not come back are left out. Errors:
 * OS, NOMEM.
 */
struct pd_error *cap_run_snapshot(
	struct cap_run *run, FILE *out, struct cap_snapshot *ret) pd_must_check;

#endif
