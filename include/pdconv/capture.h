/**
 * @file Recording: samples of the kernel, delivered to the calling program as they happen.
 *
 * There are four interfaces, from small to large:
 *
 *   struct pd_perf_reader  one event of one thread or CPU: a descriptor to poll, records one by one
 *   struct pd_perf_set     one event on every CPU
 *   struct pd_monitor      any number of events, added and removed at any time; each sample is
 *                          passed to a callback, in time order, with the fields of tracepoints and
 *                          probes by name
 *   struct pd_profiler     a process or the whole machine for a while: a pprof profile and, on
 *                          request, a perf.data file
 *
 * The kernel decides what may be recorded (kernel.perf_event_paranoid, CAP_PERFMON); error messages
 * say what is missing. An object of any of these types may be used by one thread at a time;
 * functions that may be called from other threads say so.
 */
#ifndef PDCONV_CAPTURE_H
#define PDCONV_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <pdconv/decls.h>
#include <pdconv/error.h>
#include <pdconv/events.h>
#include <pdconv/record.h>
#include <pdconv/sample.h>
#include <pdconv/trace_value.h>

PD_DECLS_BEGIN

/** What to sample, and what samples hold. Zero it and set what you need. Strings are borrowed. */
struct pd_capture_opts {
	/**
	 * An event, in the syntax of `pdconv record -e`: "cpu-clock", "cycles:u",
	 * "sched:sched_switch", "probe:PATH:FUNCTION n=%di". NULL: hardware cycles or, if the
	 * machine has none, cpu-clock.
	 *
	 */
	const char *event;
	/**
	 * Filter of a tracepoint, in the syntax of the kernel: "prev_pid == 7". NULL: no filter.
	 */
	const char *filter;
	/**
	 * Samples per second (frequency) or number of events for each sample (period). Both 0: one
	 * sample for each event of a tracepoint or probe, 999 samples per second for other events.
	 */
	uint64_t frequency;
	uint64_t period;
	/**
	 * Bytes of the user stack to capture, together with the general registers, for unwinding.
	 * Rounded to a multiple of 8, at most PD_STACK_USER_MAX. The call chain then holds kernel
	 * frames only. 0: no stack.
	 */
	uint32_t stack_bytes;
	/** Record call chains by frame pointers. Ignored if stack_bytes is set. */
	bool callchain;
	/** Omit kernel frames from call chains. */
	bool no_kernel_chain;
	/** Count in user space only. */
	bool user_only;
	/** Also record threads and processes created later. Not possible for any CPU (-1). */
	bool inherit;
	/** Also deliver records of mappings, names, forks and exits of processes. */
	bool tracking;
	/**
	 * Pages of each ring buffer, a power of two. 0: 128, or 1024 for root with captured stacks.
	 */
	size_t ring_pages;
};

/**
 * Callback for a record, which is borrowed for the call. @p sample is the decoded SAMPLE, or NULL
 * for other records. A returned error ends reading and is returned to the caller.
 */
typedef struct pd_error *pd_on_record(
	void *ctx, const struct pd_record *rec, const struct pd_sample *sample);

/* One event on one thread or CPU. */

struct pd_perf_reader;

/**
 * Open an event for thread @p tid (0: the calling thread, -1: all threads) on CPU @p cpu (-1: any
 * CPU, unless for all threads). It is not enabled yet. Errors: USAGE; OS, with the reason why it
 * cannot be opened.
 */
struct pd_error *pd_perf_reader_open(const struct pd_capture_opts *opts, pid_t tid, int cpu,
	struct pd_perf_reader **ret) pd_must_check;
/** Close a reader; NULL is fine. Readers of a set must not be closed. */
void pd_perf_reader_close(struct pd_perf_reader *reader);

/** Enable or disable the event. */
struct pd_error *pd_perf_reader_enable(
	struct pd_perf_reader *reader, bool is_enabled) pd_must_check;

/**
 * Descriptor for poll(2), borrowed: POLLIN when a quarter of the ring is full, POLLHUP when the
 * thread has exited.
 */
int pd_perf_reader_fd(const struct pd_perf_reader *reader);
/** CPU of the reader; -1: any CPU. */
int pd_perf_reader_cpu(const struct pd_perf_reader *reader);

/**
 * Pass the next record of the ring to @p fn; @p has_ret says whether there was one. LOST records
 * report lost samples. Errors: those of @p fn; the record then counts as read.
 */
struct pd_error *pd_perf_reader_next(
	struct pd_perf_reader *reader, pd_on_record *fn, void *ctx, bool *has_ret) pd_must_check;

/**
 * The event as it was opened, for pd_events_decode(). If less is recorded than was requested, its
 * name says so ("cycles:u"). Valid until the reader is closed.
 */
const struct pd_events *pd_perf_reader_events(const struct pd_perf_reader *reader);

/* One event on every CPU. */

struct pd_perf_set;

/**
 * Open an event on each online CPU, for process @p pid with all of its threads (0: the calling
 * process, -1: all processes). CPUs that go offline meanwhile are skipped. The event is not enabled
 * yet. Errors: those of pd_perf_reader_open(); nothing stays open then.
 */
struct pd_error *pd_perf_set_open(
	const struct pd_capture_opts *opts, pid_t pid, struct pd_perf_set **ret) pd_must_check;
/** Close a set and its readers; NULL is fine. */
void pd_perf_set_close(struct pd_perf_set *set);

/** Enable or disable the event on all CPUs. */
struct pd_error *pd_perf_set_enable(struct pd_perf_set *set, bool is_enabled) pd_must_check;

/** Number of readers, one for each CPU, and reader number @p i, which belongs to the set. */
size_t pd_perf_set_n(const struct pd_perf_set *set);
struct pd_perf_reader *pd_perf_set_reader(struct pd_perf_set *set, size_t i);
/** Number of CPUs that were skipped. */
size_t pd_perf_set_n_offline(const struct pd_perf_set *set);

/* Events that are added and removed at any time. */

struct pd_monitor;

struct pd_monitor_opts {
	/**
	 * Processes to monitor, with their threads and children. No pids and no cgroups: all
	 * processes.
	 */
	const pid_t *pids;
	size_t n_pids;
	/** Names of control groups, relative to where these are mounted. */
	const char *const *cgroups;
	size_t n_cgroups;
	/** Pages of the ring of each CPU, which all events share, a power of two; 0: 128. */
	size_t ring_pages;
};

/** A sample of a monitored event. Everything is borrowed for the call. */
struct pd_monitor_sample {
	/** Id of the registration. */
	uint32_t id;
	/** The event: a pattern may have registered several. */
	const struct pd_event *event;
	const struct pd_record *record;
	const struct pd_sample *sample;
	/**
	 * Fields of a tracepoint or probe, for pd_trace_find() and pd_trace_next(). Empty for other
	 * events, and if the fields are unknown.
	 *
	 */
	struct pd_trace_values fields;
};

/**
 * Callback for a sample. It may register, unregister, enable and stop. An error ends
 * pd_monitor_run().
 */
typedef struct pd_error *pd_on_sample(void *ctx, const struct pd_monitor_sample *sample);

/**
 * Create a monitor without events. Errors: a process or group does not exist; OS, no ring buffers.
 */
struct pd_error *pd_monitor_create(
	const struct pd_monitor_opts *opts, struct pd_monitor **ret) pd_must_check;
/** Unregister everything and free the monitor; NULL is fine. */
void pd_monitor_destroy(struct pd_monitor *monitor);

/**
 * Register the events of @p opts, for whose samples @p fn is called: a probe, which is created, all
 * tracepoints that match a pattern, or any other event. They are not enabled yet. The options
 * inherit and ring_pages are ignored. @p id_ret is never 0. Errors: USAGE; OS, with the reason why
 * they cannot be opened.
 */
struct pd_error *pd_monitor_register(struct pd_monitor *monitor, const struct pd_capture_opts *opts,
	pd_on_sample *fn, void *ctx, uint32_t *id_ret) pd_must_check;

/**
 * Close the events of registration @p id and remove their probe. Pending samples are dropped.
 * Errors: USAGE, unknown id; the probe cannot be removed.
 */
struct pd_error *pd_monitor_unregister(struct pd_monitor *monitor, uint32_t id) pd_must_check;

/** Enable or disable the events of registration @p id. Errors: USAGE, unknown id. */
struct pd_error *pd_monitor_enable(
	struct pd_monitor *monitor, uint32_t id, bool is_enabled) pd_must_check;

/**
 * Pass samples to the callbacks in time order until pd_monitor_stop() is called, including all
 * samples taken until then. A sample is delivered at most a quarter of a second after it was taken.
 * Errors: those of the callbacks.
 */
struct pd_error *pd_monitor_run(struct pd_monitor *monitor) pd_must_check;

/**
 * End pd_monitor_run(), or the next call of it if none is running. Any thread and signal handlers
 * may call it.
 */
void pd_monitor_stop(struct pd_monitor *monitor);

/** Number of samples lost so far because a ring was full. */
uint64_t pd_monitor_n_lost(const struct pd_monitor *monitor);

/* CPU profiles. */

struct pd_profiler;

/** A label. */
struct pd_tag {
	const char *key;
	const char *value;
};

struct pd_profiler_opts {
	/**
	 * What to sample. If neither callchain nor stack_bytes is set, stack_bytes is 8192. A
	 * process is always recorded with its children.
	 *
	 */
	struct pd_capture_opts capture;
	/** Process to profile; 0: the whole machine. */
	pid_t pid;
	/**
	 * Labels for all samples, which are stored in the recording, too. Keys contain no '=';
	 * nothing is empty.
	 */
	const struct pd_tag *tags;
	size_t n_tags;
	/**
	 * Omit kernel frames. Samples taken in the kernel count for the user code that called it.
	 */
	bool no_kernel;
	/**
	 * Path of a perf.data file to write, borrowed until the profiler is destroyed; NULL: no
	 * file.
	 */
	const char *recording;
	/** Number of threads that unwind and symbolize at the end; 0: one for each processor. */
	size_t jobs;
};

/** Result of a profiler. */
struct pd_profiler_result {
	uint64_t n_samples;
	uint64_t n_lost;
	/** Seconds from the first to the last sample. */
	double seconds;
	/**
	 * Number of samples with less stack than requested, which was captured to avoid losing
	 * samples.
	 */
	uint64_t n_shortened;
};

/** Callback for the next @p size bytes of output. A returned error ends the output. */
typedef struct pd_error *pd_on_bytes(void *ctx, const void *bytes, size_t size);

/**
 * Start recording on a separate thread that blocks all signals. Events are enabled when this
 * returns. @p opts is copied, except for its strings, which are borrowed until the profiler is
 * destroyed. Errors: USAGE; OS, with the reason why it cannot record.
 */
struct pd_error *pd_profiler_start(
	const struct pd_profiler_opts *opts, struct pd_profiler **ret) pd_must_check;

/**
 * End the recording and pass a gzipped pprof profile to @p fn. @p ret may be NULL. May be called
 * once; then destroy the profiler. Errors: those of recording, of reading, and of @p fn.
 */
struct pd_error *pd_profiler_stop(struct pd_profiler *profiler, pd_on_bytes *fn, void *ctx,
	struct pd_profiler_result *ret) pd_must_check;

/** Free a profiler; NULL is fine. A recording that was not stopped ends without a profile. */
void pd_profiler_destroy(struct pd_profiler *profiler);

PD_DECLS_END

#endif
