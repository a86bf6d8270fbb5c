/**
 * @file One recording: what is recorded, how, into which file, and its result.
 *
 *	cap_recording_init(&recording);
 *	... set the target and sampling of its session, and its opts ...
 *	cap_session_add_events(&recording.session, "cpu-clock");
 *	cap_recording_run(&recording, out);
 *	... look at its result ...
 *	cap_recording_deinit(&recording);
 */
#ifndef PD_CAPTURE_RUN_RECORDING_H
#define PD_CAPTURE_RUN_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <pdconv/error.h>

#include "capture/bpf/unwinding.h"
#include "capture/run/blocked_threads.h"
#include "capture/run/recording_sink.h"
#include "capture/session.h"
#include "capture/synth/synth.h"

struct cap_run;

/** Called while a recording runs, after the rings have been drained. @p run is borrowed. */
typedef void cap_on_request(void *ctx, struct cap_run *run);

/** Options of the output and of when the recording begins and ends. */
struct cap_recording_opts {
	/** Name of the output in messages; borrowed. */
	const char *name;
	/** Write a stream (pipe mode), because the output cannot seek. */
	bool is_pipe;
	/**
	 * Filled share of a queue that the output is, from 0 to 1: what samples capture of the
	 * stack depends on it as on the rings. NULL: it is none.
	 */
	double (*fill)(void *ctx);
	void *fill_ctx;
	/** zstd compression level; 0: records are not compressed. */
	int level;
	/** Index of the event that samples context switches for off-CPU time; -1: none. */
	int offcpu_event;
	/** Keep SWITCH records although only off-CPU time needs them. */
	bool keep_switches;
	/** Seconds after which the recording ends; 0: no limit. */
	double duration;
	/** Seconds before events are enabled. */
	double delay;
	/**
	 * The recording ends when this becomes readable, and signals are left alone. -1: SIGINT and
	 * SIGTERM end it.
	 */
	int stop_fd;
	/** An eventfd that is written to when events have been enabled; -1: none. */
	int begun_fd;
	/** Called when events have been enabled; an error ends the recording. NULL: it is not. */
	struct pd_error *(*begun)(void *ctx);
	void *begun_ctx;
	/**
	 * When this eventfd, which does not block, becomes readable, @ref on_request is called with
	 * @ref request_ctx by the thread that records: see cap_run_add_process(). The recording
	 * then goes on when all threads of the target have exited, because a request can add
	 * others. -1: never.
	 */
	int request_fd;
	cap_on_request *on_request;
	void *request_ctx;
	/** The recorder's command line, ends with NULL; borrowed. NULL: there is none. */
	char *const *argv;
	/** "KEY=VALUE" each: tags stored in the file. A stream cannot hold them. Borrowed. */
	const char *const *tags;
	size_t n_tags;
	/**
	 * Seconds after which a system-wide recording begins although the mappings of some
	 * processes have not been read: those are read when the process has samples.
	 */
	double mappings_seconds;
	/**
	 * Unwinds samples with CAP_STACKS_DWARF while recording, so that their chains are written
	 * instead of their stacks. NULL: stacks are written. Borrowed.
	 */
	const struct cap_unwinder *unwinder;
	/** Tables of binaries, for CAP_STACKS_BPF, and their bytes at most; 0: the default. */
	struct cap_table_maker tables;
	uint64_t table_bytes;
};

/** Result of a recording. */
struct cap_recording_result {
	/** Events were enabled. If the recording fails later, only this is set. */
	bool has_begun;
	struct cap_counts counts;
	/** Size of the file in bytes. */
	uint64_t file_bytes;
	/** CPU time of the recorder itself, in seconds. */
	double cpu_seconds;
	/** CPUs that were offline for the whole recording or a part of it. */
	size_t n_offline;
	/** Threads that ended before their events were opened. */
	size_t n_gone;
	/** Processes that had samples and ended before their postponed mappings were read. */
	uint64_t n_late;
	/** Threads that were blocked when a recording of waits began. */
	struct cap_blocked_counts blocked;
	/** The signal that ended the recording, SIGINT or SIGTERM; 0: none. */
	int signal;
	/** Samples that were unwound while recording; all 0 without an unwinder. */
	struct cap_unwound_counts unwound;
	/** Stacks that BPF has walked; all 0 without CAP_STACKS_BPF. */
	struct cap_chains_counts chains;
	struct cap_bpf_counts bpf;
};

struct cap_recording {
	/** Set up by the caller; prepared, opened and closed by the run. */
	struct cap_session session;
	/** Set by the caller. */
	struct cap_recording_opts opts;

	/** Loaded and released by the run, if BPF walks the stacks. */
	struct cap_unwinding unwinding;
	/** Processes whose mappings are read once they have samples. */
	struct cap_postponed postponed;
	/** Synthesises the records of processes that existed before. */
	struct cap_synth *synth;
	struct cap_recording_result result;
};

/**
 * Attr that the file has for event @p i: that of the kernel, but without stacks if samples are
 * unwound while recording, and without switches that are not kept.
 */
struct pd_attr cap_recording_attr(const struct cap_recording *recording, size_t i);

/** Initialise a recording without events or target. Call the deinit even if later steps fail. */
void cap_recording_init(struct cap_recording *recording);
void cap_recording_deinit(struct cap_recording *recording);

/** Append the event that measures off-CPU time. */
struct pd_error *cap_recording_add_offcpu(struct cap_recording *recording) pd_must_check;

/**
 * Append the event of threads that wake others, without stacks: there are as many samples as waits.
 * Errors: USAGE, the tracepoint does not exist or may not be read.
 */
struct pd_error *cap_recording_add_wakers(struct cap_recording *recording) pd_must_check;

/**
 * Prepare, and record into @p out until the command of the target exits, all its threads have
 * exited, the duration has passed, or a signal or stop_fd ends it; then remove the probes. A
 * command that still runs then gets SIGTERM. Signals that end a recording are blocked meanwhile.
 * The output of a run that fails reads like an interrupted recording. Call it once.
 */
struct pd_error *cap_recording_run(struct cap_recording *recording, FILE *out) pd_must_check;

/*
 * The following can be done to a recording while it runs, by the thread that records, in on_request
 * of struct cap_recording_opts.
 */

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
