/**
 * @file CPU profiles of processes or the whole machine, recorded within the calling program.
 *
 *	struct pd_profiler_opts opts = { .pid = pid };
 *	struct pd_profiler *profiler;
 *	struct pd_error *err = pd_profiler_start(&opts, &profiler);
 *	...
 *	err = pd_profiler_stop(profiler, write_bytes, out, NULL);
 *	pd_profiler_destroy(profiler);
 *
 * The kernel decides what may be recorded (kernel.perf_event_paranoid, CAP_PERFMON); errors name
 * the missing permission. Use a profiler from one thread at a time, except where a function says
 * otherwise.
 */
#ifndef PDCONV_PROFILER_H
#define PDCONV_PROFILER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <pdconv/capture.h>
#include <pdconv/decls.h>
#include <pdconv/error.h>
#include <pdconv/profile_opts.h>

PD_DECLS_BEGIN

struct pd_profiler;

/**
 * Processes to profile, and how. Zero it, then set members: zero is the default of all of them.
 * Without pid, pids, tids and cgroups the whole machine is profiled.
 */
struct pd_profiler_opts {
	/**
	 * Event and contents of samples. If none of stack_bytes, callchain and attrs is set,
	 * stack_bytes is 8192. inherit is ignored: threads and processes that the profiled ones
	 * create later are always included.
	 */
	struct pd_capture_opts capture;
	/** Process to profile, with all of its threads; 0: none. */
	pid_t pid;
	/**
	 * Labels of all samples, which the recording has too. Keys and values must not be empty,
	 * and keys must not contain '='.
	 */
	const struct pd_tag *tags;
	size_t n_tags;
	/**
	 * Path of the perf.data to write, which only the user may read; NULL: the recording is not
	 * kept. A file of that name is replaced when recording has begun, and not if that fails.
	 */
	const char *recording;
	/** Processes to profile in addition to @ref pid, with all of their threads. */
	const pid_t *pids;
	size_t n_pids;
	/** Threads to profile without the other threads of their processes. */
	const pid_t *tids;
	size_t n_tids;
	/**
	 * Paths of cgroups to profile, relative to the mount point of the cgroup file system. Not
	 * together with processes or threads.
	 */
	const char *const *cgroups;
	size_t n_cgroups;
	/** CPUs to profile; those that are offline are left out. Empty: all that are online. */
	const struct pd_number_range *cpus;
	size_t n_cpus;
	/**
	 * Profile where threads wait, in addition to the event: samples of the event "offcpu-time"
	 * have the stack that left the CPU, and their period is the time until the thread was back,
	 * in ns. Waits that preemption causes are not sampled. Threads that wait when profiling
	 * begins have the stack with which they were found, unless the process may not be traced.
	 */
	bool offcpu;
	/**
	 * How the recording becomes a profile: where to look for binaries, which samples to
	 * include, form of names and so on. With profile.unwind.no_kernel, samples in the kernel
	 * count for the user function that entered it. keep_rows must not be set. The label
	 * "cgroup" is recorded if it is named in labels.
	 */
	struct pd_profile_opts profile;
	/** Zero. Members of later versions take its place. */
	uint64_t reserved[16];
};

/** Statistics of a profile. */
struct pd_profiler_result {
	uint64_t n_samples;
	/** Samples that were lost because ring buffers were full. */
	uint64_t n_lost;
	/** Seconds from the first to the last sample. */
	double seconds;
	/** Samples whose stack copy was shortened to avoid losing samples. */
	uint64_t n_shortened;
};

/**
 * Start recording on a new thread, which blocks all signals. Events are enabled when this returns.
 * Recording goes on until the profiler is stopped, even if all processes have exited. @p opts are
 * copied, with what they point to, except for the budget. Errors: USAGE, which names the member of
 * @p opts; OS, for example if a process, thread or cgroup does not exist, or with the kernel's
 * reason; NOMEM.
 */
struct pd_error *pd_profiler_start(
	const struct pd_profiler_opts *opts, struct pd_profiler **ret) pd_must_check;

/**
 * Profile process @p pid, too, with all of its threads and later children. Nothing changes for
 * threads that are profiled already, such as those of children. Any thread may call it at any time
 * before pd_profiler_destroy(). Errors: USAGE if @p profiler profiles cgroups or the whole machine,
 * or has been stopped; OS if the process does not exist, or with the kernel's reason; NOMEM; that
 * of a recording that has failed. After an error of this process the others are profiled as before.
 */
struct pd_error *pd_profiler_add_pid(struct pd_profiler *profiler, pid_t pid) pd_must_check;

/**
 * Write what was recorded so far in @p format, see pd_convert(), to @p fn. Recording goes on, and a
 * later profile has all of it again. Threads that are waiting have no sample of that wait yet. Once
 * pd_profiler_stop() has been called, this is the whole recording.
 *
 * Any number of threads may call it at once, at any time before pd_profiler_destroy(). It converts
 * on the calling thread, with further threads as opts->profile says, and needs room for a copy of
 * the recording in $TMPDIR or /var/tmp. @p ret may be NULL. Errors: those of recording, of
 * pd_convert() and @p fn; OS. Recording goes on after an error of the conversion.
 */
struct pd_error *pd_profiler_snapshot(struct pd_profiler *profiler, const char *format,
	pd_on_bytes *fn, void *ctx, struct pd_profiler_result *ret) pd_must_check;

/**
 * Like pd_profiler_snapshot(), to the file @p path, which is replaced when the profile is complete.
 * After an error the file is as before. Devices and pipes are written as they are.
 */
struct pd_error *pd_profiler_snapshot_to_file(struct pd_profiler *profiler, const char *format,
	const char *path, struct pd_profiler_result *ret) pd_must_check;

/**
 * Stop recording and write a gzip-compressed pprof profile to @p fn; NULL: write none, and leave
 * that to pd_profiler_snapshot(). The processes may have exited before. @p ret may be NULL. Errors:
 * those of recording, of pd_convert() and @p fn.
 */
struct pd_error *pd_profiler_stop(struct pd_profiler *profiler, pd_on_bytes *fn, void *ctx,
	struct pd_profiler_result *ret) pd_must_check;

/**
 * Stop recording and write it in @p format, see pd_convert(), to the file @p path, which is
 * replaced when the profile is complete. After an error the file is as before. Devices and pipes
 * are written as they are. Recording goes on if @p format is unknown or the file cannot be
 * created. @p ret may be NULL. Errors: USAGE, the format is unknown; UNSUPPORTED, it is a directory
 * of files, such as parquet; OS; those of pd_profiler_stop().
 */
struct pd_error *pd_profiler_stop_to_file(struct pd_profiler *profiler, const char *format,
	const char *path, struct pd_profiler_result *ret) pd_must_check;

/**
 * Free @p profiler, which may be NULL, when no other function uses it. If it is still recording,
 * that ends without a profile.
 */
void pd_profiler_destroy(struct pd_profiler *profiler);

PD_DECLS_END

#endif
