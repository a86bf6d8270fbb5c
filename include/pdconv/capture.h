/**
 * @file Recording within the calling program.
 *
 * There are four interfaces, from low to high level:
 *
 *	struct pd_perf_reader	an event or a group of one thread or CPU: a descriptor to poll, its
 *				records and counters
 *	struct pd_perf_set	an event or a group on every CPU, whose records it puts in order
 *	struct pd_monitor	many events, such as tracepoints and probes, which come and go; a
 *				callback gets each sample in order of time, with its fields
 *	struct pd_profiler	a CPU profile of a process or the machine: pprof and perf.data, see
 *				pdconv/profiler.h, which this header includes
 *
 * The kernel decides what may be recorded (kernel.perf_event_paranoid, CAP_PERFMON); errors name
 * the missing permission. Use each object from one thread at a time, except where a function says
 * otherwise. To record a command to a file, use the program: pdconv record.
 */
#ifndef PDCONV_CAPTURE_H
#define PDCONV_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include <pdconv/attr.h>
#include <pdconv/decls.h>
#include <pdconv/error.h>
#include <pdconv/events.h>
#include <pdconv/group_read.h>
#include <pdconv/record.h>
#include <pdconv/sample.h>
#include <pdconv/trace_value.h>

PD_DECLS_BEGIN

/** pd_capture_opts.stack_bytes: copy no stack. */
#define PD_STACK_NONE UINT32_MAX

/** How call stacks of user space are found, besides what samples copy of the stack. */
enum pd_call_graph {
	/** Default: stack_bytes and callchain decide. */
	PD_CALL_GRAPH_DEFAULT,
	/**
	 * A BPF program unwinds at the moment of the sample, by call frame information. Samples
	 * have call chains of user space and of the kernel. Only for a pd_profiler. It needs
	 * CAP_BPF, CAP_PERFMON, Linux 6.1 and a library that was built with clang and libbpf.
	 */
	PD_CALL_GRAPH_BPF
};

/**
 * Event to sample and contents of its samples. Zero it, then set members. Pointers are borrowed.
 * Members that contradict each other are USAGE errors that name them.
 */
struct pd_capture_opts {
	/**
	 * Event in the syntax of perf: "cpu-clock", "cycles:u", "sched:sched_switch",
	 * "probe:PATH:FUNCTION n=%di". NULL: that of @ref attrs; without these, hardware cycles, or
	 * cpu-clock if the machine has none.
	 */
	const char *event;
	/**
	 * Attr to start from, for everything that perf_event_open(2) can do. The other members add
	 * to it; if @ref event is set, it provides the type, config, config1 to config4 and
	 * bp_type, which must be 0 here. Nothing is chosen instead of what was set: samples have
	 * the fields of attrs->sample_type, besides IDENTIFIER and TIME, a sample_period of 0 makes
	 * an event that only counts, and an event that the kernel refuses is an error. The flags
	 * disabled and sample_id_all are always set; write_backward is not possible.
	 */
	const struct pd_attr *attrs;
	/** 1 with @ref attrs; more make a group that attrs[0] leads, if @ref event is NULL. */
	size_t n_attrs;
	/**
	 * Filter of a tracepoint in the syntax of the kernel, e.g. "prev_pid == 7". NULL: no
	 * filter.
	 */
	const char *filter;
	/**
	 * Samples per second. If this and @ref period are 0: every occurrence of tracepoints and
	 * probes, 999 samples per second for other events.
	 */
	uint64_t frequency;
	/** Events per sample, if @ref frequency is 0. */
	uint64_t period;
	/**
	 * Further fields of samples: 1 << PD_SAMPLE_* each. Without @ref attrs, samples have IP,
	 * TID, TIME, CPU, PERIOD and IDENTIFIER, and RAW if the event is a tracepoint or probe.
	 */
	uint64_t sample_type;
	/**
	 * Bytes of the user stack to copy for unwinding, rounded to a multiple of 8, at most 65528.
	 * Samples then have user registers and the call chain of the kernel too. 0: the default of
	 * the interface. PD_STACK_NONE: none.
	 */
	uint32_t stack_bytes;
	/**
	 * Record call chains of user space by frame pointers, and of the kernel. Possible in
	 * addition to @ref stack_bytes.
	 */
	bool callchain;
	/** Excludes @ref stack_bytes and @ref callchain unless it is the default. */
	enum pd_call_graph call_graph;
	/** Record no call chains of the kernel. */
	bool no_kernel_chain;
	/** Only sample in user space. */
	bool user_only;
	/** Include threads and processes that are created later. Not possible with any CPU (-1). */
	bool inherit;
	/** Write records of mappings, names, forks and exits of processes too. */
	bool tracking;
	/** The time of records is that of @ref clockid (CLOCK_*), not of perf's own clock. */
	bool use_clockid;
	int32_t clockid;
	/**
	 * Registers of user space: 1 << number each, as in asm/perf_regs.h of the kernel. 0: those
	 * that unwinding needs if a stack is copied, otherwise none.
	 */
	uint64_t sample_regs_user;
	/** Registers at the moment of the sample, also in the kernel. 0: none. */
	uint64_t sample_regs_intr;
	/** Kinds of branches to record, PERF_SAMPLE_BRANCH_*. 0: no branch stack. */
	uint64_t branch_sample_type;
	/**
	 * Size of each ring buffer in pages, a power of two. 0: 128, or 1024 for root with stacks.
	 */
	size_t ring_pages;
	/** Zero. Members of later versions take its place. */
	uint64_t reserved[16];
};

/**
 * Callback for records, which are borrowed during the call. @p sample is the decoded sample if
 * @p rec is a SAMPLE, otherwise NULL. An error ends reading and is returned by the function that
 * reads.
 */
typedef struct pd_error *pd_on_record(
	void *ctx, const struct pd_record *rec, const struct pd_sample *sample);

/* An event or a group. */

struct pd_perf_reader;

/**
 * Open an event, or a group like "{cpu-clock,page-faults}", of thread @p tid (0: the calling
 * thread, -1: all) on CPU @p cpu (-1: any, not allowed with all threads). It is disabled.
 *
 * Each event of a group samples. With the modifier 'S' ("{cpu-clock,page-faults}:S") only the first
 * one does, and its samples have the counters of all, for pd_sample_counts().
 *
 * The default of stack_bytes is 8192 if callchain and attrs are not set either. Errors: USAGE, also
 * if a ring buffer has no room for one sample; OS with the kernel's reason, also if the thread does
 * not exist or the CPU is offline; NOMEM.
 */
struct pd_error *pd_perf_reader_open(const struct pd_capture_opts *opts, pid_t tid, int cpu,
	struct pd_perf_reader **ret) pd_must_check;
/** Close @p reader, which may be NULL. Do not call it for a reader of a set. */
void pd_perf_reader_close(struct pd_perf_reader *reader);

/** Enable or disable the event or the group. */
struct pd_error *pd_perf_reader_enable(
	struct pd_perf_reader *reader, bool is_enabled) pd_must_check;

/**
 * Descriptor for poll(2), borrowed: readable when a quarter of the ring buffer is full, hung up
 * when the thread has exited.
 */
int pd_perf_reader_fd(const struct pd_perf_reader *reader);
/** CPU of the event; -1: any. */
int pd_perf_reader_cpu(const struct pd_perf_reader *reader);

/**
 * Pass the next record in the ring buffer to @p fn. @p has_ret is false if the buffer was empty.
 * The kernel reports lost records by a LOST record, but only before the next record that fits: see
 * pd_perf_reader_n_lost(). Errors: those of @p fn; FORMAT for an invalid record. The record is
 * consumed nevertheless, and all that is in the ring buffer if its size is invalid.
 */
struct pd_error *pd_perf_reader_next(
	struct pd_perf_reader *reader, pd_on_record *fn, void *ctx, bool *has_ret) pd_must_check;

/**
 * Wait until a quarter of the ring buffer is full, the thread has exited, a signal arrives or
 * @p timeout_ms milliseconds have passed, and pass all records in the ring buffer to @p fn.
 * @p has_exited_ret may be NULL: whether the thread has exited, so that no records will follow.
 * Errors: OS; those of pd_perf_reader_next().
 */
struct pd_error *pd_perf_reader_read(struct pd_perf_reader *reader, int timeout_ms,
	pd_on_record *fn, void *ctx, bool *has_exited_ret) pd_must_check;

/**
 * The opened event or events, for pd_events_decode(), pd_events_find() and pd_sample_counts(). One
 * may exclude the kernel if that is not permitted; its name shows that. Valid until the reader is
 * closed.
 */
const struct pd_events *pd_perf_reader_events(const struct pd_perf_reader *reader);

/**
 * Read the counters of all events of @p reader now, the leader's first; with the modifier 'S', all
 * at the same moment. Write the first @p max to @p counts, and the number of events to @p n_ret.
 * Counters of a reader of a set are sums over the threads of its process. Errors: OS.
 */
struct pd_error *pd_perf_reader_count(const struct pd_perf_reader *reader, struct pd_count *counts,
	size_t max, size_t *n_ret) pd_must_check;

/**
 * Number of records that were lost so far because the ring buffer was full, as the kernel counts
 * them. Before Linux 6.0, which does not, the sum of the LOST records that were read.
 */
uint64_t pd_perf_reader_n_lost(const struct pd_perf_reader *reader);

/* An event or a group on every CPU. */

struct pd_perf_set;

/**
 * Open an event or a group on each online CPU, of process @p pid with all of its threads (0: the
 * calling process, -1: all processes), with the defaults of pd_perf_reader_open(). CPUs that go
 * offline and threads that exit meanwhile are skipped. The events are disabled. Errors: see
 * pd_perf_reader_open(); after one, nothing is open.
 */
struct pd_error *pd_perf_set_open(
	const struct pd_capture_opts *opts, pid_t pid, struct pd_perf_set **ret) pd_must_check;
/** Close @p set, which may be NULL, and its readers. */
void pd_perf_set_close(struct pd_perf_set *set);

/** Enable or disable all events. */
struct pd_error *pd_perf_set_enable(struct pd_perf_set *set, bool is_enabled) pd_must_check;

/** Number of readers: one for each CPU that was not skipped. */
size_t pd_perf_set_n(const struct pd_perf_set *set);
/** Reader @p i, which belongs to the set. */
struct pd_perf_reader *pd_perf_set_reader(struct pd_perf_set *set, size_t i);
/** Number of CPUs that were skipped. */
size_t pd_perf_set_n_offline(const struct pd_perf_set *set);
/** Sum of pd_perf_reader_n_lost() over the readers. */
uint64_t pd_perf_set_n_lost(const struct pd_perf_set *set);
/** Events of all readers: see pd_perf_reader_events(). Valid until the set is closed. */
const struct pd_events *pd_perf_set_events(const struct pd_perf_set *set);

/**
 * Wait until a ring buffer is a quarter full, but not longer than @p timeout_ms milliseconds, and
 * pass the records of all CPUs to @p fn in order of time. A record is passed on by the second call
 * after it was written, because another ring buffer may get an older one until then. While the set
 * is disabled, nothing is waited for and all records are passed on. Use either this function or
 * pd_perf_reader_next(). Errors: those of @p fn, after which the next call passes on the records
 * that follow; FORMAT for an invalid record, after which the next call does so, too, but loses what
 * is in the ring buffer if the size is invalid; OS; NOMEM.
 */
struct pd_error *pd_perf_set_read(
	struct pd_perf_set *set, int timeout_ms, pd_on_record *fn, void *ctx) pd_must_check;

/*
 * Events that are added and removed while others run. Any thread may call any function of a
 * monitor, also while another one runs it, except that it runs on one thread at a time. Callbacks
 * are called by the thread that runs it.
 */

struct pd_monitor;

/** Record of a monitor that is not a sample. Everything is borrowed during the call. */
struct pd_monitor_record {
	/** Its type is COMM, FORK, EXIT, LOST or LOST_SAMPLES. */
	const struct pd_record *record;
	/** The member for that type is set. */
	const union pd_body *body;
	/** LOST and LOST_SAMPLES: the id of the events that lost records; 0: not known. */
	uint32_t id;
};

/** Callback for records. It may call what a pd_on_sample may. An error ends pd_monitor_run(). */
typedef struct pd_error *pd_on_monitor_record(void *ctx, const struct pd_monitor_record *record);

/**
 * Callback for a sample of the events @p id that cannot be decoded, or, with @p id 0, for a record
 * of invalid size: what was written after it and before the ring buffer was read is lost. @p err is
 * borrowed.
 */
typedef void pd_on_monitor_error(void *ctx, uint32_t id, const struct pd_error *err);

/** Zero it, then set members. Arrays and texts are copied. */
struct pd_monitor_opts {
	/**
	 * Process to monitor, with all of its threads, and the processes that it forks after
	 * pd_monitor_create(); 0: none. Without processes and cgroups all processes are monitored.
	 */
	pid_t pid;
	/** Processes to monitor in addition to @ref pid, in the same way. */
	const pid_t *pids;
	size_t n_pids;
	/** Paths of cgroups to monitor, relative to the mount point of the cgroup file system. */
	const char *const *cgroups;
	size_t n_cgroups;
	/** Mount point of the cgroup file system. NULL: that of the machine. */
	const char *cgroup_dir;
	/** Mount point of tracefs. NULL: that of the machine. */
	const char *tracing_dir;
	/**
	 * Size of each CPU's ring buffer, which all events share, in pages: a power of two. 0: 128.
	 */
	size_t ring_pages;
	/** Enable events when they are registered. */
	bool is_enabled;
	/**
	 * Gets new names, forks and exits of monitored threads, from pd_monitor_create() on, and
	 * reports of lost records, all in order of time with the samples. NULL: they are dropped.
	 */
	pd_on_monitor_record *on_record;
	/**
	 * Gets the errors of samples and records that cannot be decoded, and the run goes on. NULL:
	 * such an error ends it.
	 */
	pd_on_monitor_error *on_error;
	/** Passed to on_record and on_error. */
	void *ctx;
	/** Zero. Members of later versions take its place. */
	uint64_t reserved[8];
};

/** Sample of a monitored event. Everything is borrowed during the call. */
struct pd_monitor_sample {
	/** Id from pd_monitor_register(). */
	uint32_t id;
	/** Event of the sample, because a pattern may match several events. */
	const struct pd_event *event;
	/** All events of the monitor, for pd_sample_counts() of a group. */
	const struct pd_events *events;
	const struct pd_record *record;
	const struct pd_sample *sample;
	/**
	 * Fields of a tracepoint or probe, for pd_trace_find() and pd_trace_next(). Empty for other
	 * events, and if the fields are not known.
	 */
	struct pd_trace_values fields;
};

/**
 * Write the time of @p sample in seconds, its process and thread, its event and its fields to
 * @p stream, without a line feed.
 */
void pd_monitor_sample_write(const struct pd_monitor_sample *sample, FILE *stream);

/**
 * Callback for samples. It may call all functions of its monitor except pd_monitor_run(),
 * _run_for(), _poll(), _flush() and _destroy(). An error ends these and is returned by them.
 */
typedef struct pd_error *pd_on_sample(void *ctx, const struct pd_monitor_sample *sample);

/**
 * Create a monitor. Errors: OS if a process or cgroup does not exist, or ring buffers cannot be
 * made; NOMEM.
 */
struct pd_error *pd_monitor_create(
	const struct pd_monitor_opts *opts, struct pd_monitor **ret) pd_must_check;
/** Unregister all events and free @p monitor, which may be NULL. */
void pd_monitor_destroy(struct pd_monitor *monitor);

/**
 * Register @p fn for samples of the event in @p opts: a probe, which is created, the tracepoints
 * that a pattern matches, a group, or any other event. opts->inherit, opts->tracking and
 * opts->ring_pages are ignored; no stack is copied by default. All events of a monitor have one
 * clock: opts->use_clockid of the first one, before a run, decides for all, and later ones need not
 * set it. The events are disabled, unless the options of the monitor enable them. @p id_ret may be
 * NULL; the id is never 0. Errors: USAGE; OS with the kernel's reason; NOMEM.
 */
struct pd_error *pd_monitor_register(struct pd_monitor *monitor, const struct pd_capture_opts *opts,
	pd_on_sample *fn, void *ctx, uint32_t *id_ret) pd_must_check;

/**
 * Close the events of @p id and remove their probe. Samples that were not passed on yet are
 * dropped. Errors: USAGE if @p id is unknown; OS if the probe cannot be removed.
 */
struct pd_error *pd_monitor_unregister(struct pd_monitor *monitor, uint32_t id) pd_must_check;

/** Enable or disable the events of @p id. Errors: USAGE if @p id is unknown. */
struct pd_error *pd_monitor_enable(
	struct pd_monitor *monitor, uint32_t id, bool is_enabled) pd_must_check;

/** Enable or disable the events of all ids. Errors: OS. */
struct pd_error *pd_monitor_enable_all(struct pd_monitor *monitor, bool is_enabled) pd_must_check;

/**
 * Replace the filter of the tracepoints of @p id. @p filter NULL: none. Samples that were made
 * before are still passed on; what happens in the moment of the change may have no sample. After an
 * error the previous filter stays. Errors: USAGE if @p id is unknown or an event is not a
 * tracepoint; OS if the kernel rejects the filter or all processes have exited; NOMEM.
 */
struct pd_error *pd_monitor_set_filter(
	struct pd_monitor *monitor, uint32_t id, const char *filter) pd_must_check;

/**
 * Pass samples to their callbacks, in order of time, until pd_monitor_stop(), and then those that
 * were made before it. A sample is passed on at most a quarter of a second after it was made.
 * Errors: those of the callbacks; USAGE if it runs already, on another thread or because a
 * callback calls it; OS; NOMEM.
 */
struct pd_error *pd_monitor_run(struct pd_monitor *monitor) pd_must_check;

/**
 * Do pd_monitor_run() for @p milliseconds, or until pd_monitor_stop(). Errors: those of
 * pd_monitor_run().
 */
struct pd_error *pd_monitor_run_for(
	struct pd_monitor *monitor, unsigned milliseconds) pd_must_check;

/**
 * Do one round of pd_monitor_run(), for programs with a loop of their own: wait until a ring buffer
 * is a quarter full, a signal arrives, or @p milliseconds have passed, and pass on the samples that
 * were read by the round before. Errors: those of pd_monitor_run().
 */
struct pd_error *pd_monitor_poll(struct pd_monitor *monitor, int milliseconds) pd_must_check;

/**
 * Descriptor for poll(2), borrowed, for programs that wait for other things, too: readable when a
 * ring buffer is a quarter full or the monitor was stopped. Call pd_monitor_poll() with 0 then. A
 * slow event fills no quarter for a long time, so do it every now and then anyway.
 */
int pd_monitor_fd(const struct pd_monitor *monitor);

/**
 * Pass on all samples that were made so far, without waiting. Errors: those of pd_monitor_run().
 */
struct pd_error *pd_monitor_flush(struct pd_monitor *monitor) pd_must_check;

/**
 * End the pd_monitor_run(), _run_for() or _poll() that is running. If none is, the next run passes
 * on what there is and ends, so a signal before the run is not lost; a poll forgets it. May be
 * called from callbacks, any thread and signal handlers.
 */
void pd_monitor_stop(struct pd_monitor *monitor);

/** Number of samples that were lost so far because ring buffers were full. */
uint64_t pd_monitor_n_lost(const struct pd_monitor *monitor);

PD_DECLS_END

/* Not needed here, but programs that record profiles have included only this header so far. */
#include <pdconv/profiler.h>

#endif
