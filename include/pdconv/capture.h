/**
 * @file Recording: samples as the kernel makes them, in this program.
 *
 * Four things, from the small to the large:
 *
 *	struct pd_perf_reader	one event of one thread or CPU: a descriptor to poll, record by record
 *	struct pd_perf_set	such an event on every CPU
 *	struct pd_monitor	many events that come and go, tracepoints and probes above all: each
 *				sample goes to a function, with its fields by name, in the order of time
 *	struct pd_profiler	a process or the machine for a while: pprof, and a perf.data if wanted
 *
 * What may be recorded is for the kernel to say: kernel.perf_event_paranoid, CAP_PERFMON; errors name
 * what is missing. Each of the four belongs to one thread at a time, but for what is said of stopping.
 * A recording that is to go to a file is what the program is for: pdconv record.
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

/** What is sampled, and what samples hold. Zero it and set what matters; all is borrowed. */
struct pd_capture_opts {
	/**
	 * An event as `pdconv record -e` has it: "cpu-clock", "cycles:u", "sched:sched_switch",
	 * "probe:PATH:FUNCTION n=%di". NULL: hardware cycles, or where there are none, cpu-clock.
	 */
	const char *event;
	/** Of a tracepoint, an expression as the kernel takes it: "prev_pid == 7". NULL: all happen. */
	const char *filter;
	/**
	 * Samples a second; or else one every so many events. Neither: each time for tracepoints and
	 * the like, 999 a second for others.
	 */
	uint64_t frequency;
	uint64_t period;
	/**
	 * Bytes of the stack of user space, with its general registers, for unwinding: made a multiple
	 * of 8, at most 65,528. The call chain is the kernel's side then. 0: none.
	 */
	uint32_t stack_bytes;
	/** Call chains by frame pointers, where stack_bytes is 0. */
	bool callchain;
	/** No call chains of the kernel's side. */
	bool no_kernel_chain;
	/** Only what happens in user space. */
	bool user_only;
	/** Threads and processes that are made later, too; not with any CPU (-1). */
	bool inherit;
	/** Records of mappings, names, forks and ends of processes, too. */
	bool tracking;
	/** Of each ring buffer, a power of two; 0: 128, of root with stacks 1024. */
	size_t ring_pages;
};

/**
 * Takes a record. It is borrowed during the call; @p sample is decoded if it is a SAMPLE, else NULL. An
 * error ends the reading, and is returned there.
 */
typedef struct pd_error *pd_on_record(
	void *ctx, const struct pd_record *rec, const struct pd_sample *sample);

/* One event. */

struct pd_perf_reader;

/**
 * Open an event of thread @p tid (0: the calling one, -1: all) on CPU @p cpu (-1: any; not for all
 * threads). It does not count yet. Errors: USAGE; OS, why it does not open.
 */
struct pd_error *pd_perf_reader_open(const struct pd_capture_opts *opts, pid_t tid, int cpu,
	struct pd_perf_reader **ret) pd_must_check;
/** NULL is fine. Not for a reader of a set. */
void pd_perf_reader_close(struct pd_perf_reader *reader);

/** Let it count, or stop it. */
struct pd_error *pd_perf_reader_enable(
	struct pd_perf_reader *reader, bool is_enabled) pd_must_check;

/** For poll(2): readable when a quarter of the ring is full, hung up when the thread has ended. Borrowed. */
int pd_perf_reader_fd(const struct pd_perf_reader *reader);
/** -1: any. */
int pd_perf_reader_cpu(const struct pd_perf_reader *reader);

/**
 * Hand the next record of the ring to @p fn; @p has_ret says whether there was one. Samples that were
 * lost are told by LOST records. Errors: those of fn, and the record counts as read.
 */
struct pd_error *pd_perf_reader_next(
	struct pd_perf_reader *reader, pd_on_record *fn, void *ctx, bool *has_ret) pd_must_check;

/**
 * The one event, as it was opened: less may be recorded than was asked for, its name says so. For
 * pd_events_decode. Valid until the reader is closed.
 */
const struct pd_events *pd_perf_reader_events(const struct pd_perf_reader *reader);

/* The event on every CPU. */

struct pd_perf_set;

/**
 * Open an event on each CPU that is online: of process @p pid with all of its threads (0: the calling
 * one, -1: everything). CPUs that are taken away meanwhile are skipped. It does not count yet. Errors:
 * as above, and nothing stays open.
 */
struct pd_error *pd_perf_set_open(
	const struct pd_capture_opts *opts, pid_t pid, struct pd_perf_set **ret) pd_must_check;
/** NULL is fine. */
void pd_perf_set_close(struct pd_perf_set *set);

/** Let all count, or stop them. */
struct pd_error *pd_perf_set_enable(struct pd_perf_set *set, bool is_enabled) pd_must_check;

/** Its readers, one for each CPU that was there. They belong to the set. */
size_t pd_perf_set_n(const struct pd_perf_set *set);
struct pd_perf_reader *pd_perf_set_reader(struct pd_perf_set *set, size_t i);
/** CPUs that were skipped. */
size_t pd_perf_set_n_offline(const struct pd_perf_set *set);

/* Events that come and go. */

struct pd_monitor;

struct pd_monitor_opts {
	/** Whose events; no process and no group: everybody's. With their threads, and what they make. */
	const pid_t *pids;
	size_t n_pids;
	/** Names of control groups, below where these are mounted. */
	const char *const *cgroups;
	size_t n_cgroups;
	/** Of each CPU's ring, which all events share, a power of two; 0: 128. */
	size_t ring_pages;
};

/** A sample of a monitored event. All is borrowed during the call. */
struct pd_monitor_sample {
	/** As pd_monitor_register gave it. */
	uint32_t id;
	/** One word may stand for several events: which of them. */
	const struct pd_event *event;
	const struct pd_record *record;
	const struct pd_sample *sample;
	/** Of a tracepoint or probe: for pd_trace_find and pd_trace_next. Of others, or where it is not
	 * known what fields there are: has none. */
	struct pd_trace_values fields;
};

/** Takes a sample. It may register, unregister, enable, and stop. An error ends pd_monitor_run. */
typedef struct pd_error *pd_on_sample(void *ctx, const struct pd_monitor_sample *sample);

/** Errors: no such process or group; rings cannot be made. */
struct pd_error *pd_monitor_create(
	const struct pd_monitor_opts *opts, struct pd_monitor **ret) pd_must_check;
/** What is registered is unregistered. NULL is fine. */
void pd_monitor_destroy(struct pd_monitor *monitor);

/**
 * Have @p fn called for each sample of the events of @p opts: of a probe, which is made for it, of the
 * tracepoints that a pattern matches, or of any other. Its inherit and ring_pages do not matter. They
 * do not count yet. @p id_ret is never 0. Errors: USAGE; why they do not open.
 */
struct pd_error *pd_monitor_register(struct pd_monitor *monitor, const struct pd_capture_opts *opts,
	pd_on_sample *fn, void *ctx, uint32_t *id_ret) pd_must_check;

/**
 * Close the events of @p id, and remove their probe. Samples that were not handed over are dropped.
 * Errors: USAGE, there is none; the probe cannot be removed.
 */
struct pd_error *pd_monitor_unregister(struct pd_monitor *monitor, uint32_t id) pd_must_check;

/** Let the events of @p id count, or stop them. Errors: USAGE, there is none. */
struct pd_error *pd_monitor_enable(
	struct pd_monitor *monitor, uint32_t id, bool is_enabled) pd_must_check;

/**
 * Hand over samples, in the order of time, until pd_monitor_stop; and those that were made until then. A
 * sample comes a quarter of a second after it was made, at most. Errors: those of the functions that
 * are called.
 */
struct pd_error *pd_monitor_run(struct pd_monitor *monitor) pd_must_check;

/** End pd_monitor_run, the next one if none goes on. From any thread, or a signal's handler. */
void pd_monitor_stop(struct pd_monitor *monitor);

/** Samples that were lost so far, for rings were full. */
uint64_t pd_monitor_n_lost(const struct pd_monitor *monitor);

/* CPU profiles. */

struct pd_profiler;

struct pd_tag {
	const char *key;
	const char *value;
};

struct pd_profiler_opts {
	/**
	 * What is sampled. Without stacks of either kind: stack_bytes is 8192. inherit is always meant
	 * where there is a process.
	 */
	struct pd_capture_opts capture;
	/** A process; 0: all of the machine. */
	pid_t pid;
	/** Labels of all samples; the recording has them too. Keys have no '=', and nothing is empty. */
	const struct pd_tag *tags;
	size_t n_tags;
	/** Frames of the kernel are left out; what was sampled there counts for who called it. */
	bool no_kernel;
	/** Where the recording goes, a perf.data; NULL: it is kept nowhere. */
	const char *recording;
	/** Threads that unwind and name in the end; 0: one for each processor. */
	size_t jobs;
};

/** What came of it. */
struct pd_profiler_result {
	uint64_t n_samples;
	uint64_t n_lost;
	/** Seconds from the first to the last sample. */
	double seconds;
	/** Samples with less of the stack than was asked for, lest samples were lost. */
	uint64_t n_shortened;
};

/** Takes the next @p size bytes of what is written. An error ends the writing. */
typedef struct pd_error *pd_on_bytes(void *ctx, const void *bytes, size_t size);

/**
 * Begin to record, on a thread of its own, on which no signals arrive. It counts when this returns.
 * @p opts are copied but for the path of the recording and the texts of events, which are borrowed until
 * the end. Errors: USAGE; why it cannot be recorded.
 */
struct pd_error *pd_profiler_start(
	const struct pd_profiler_opts *opts, struct pd_profiler **ret) pd_must_check;

/**
 * End the recording, or wait for nothing if the process has ended, and write a pprof profile, gzip'ed,
 * to @p fn. @p ret may be NULL. Once only, then destroy it. Errors: those of recording, reading and fn.
 */
struct pd_error *pd_profiler_stop(struct pd_profiler *profiler, pd_on_bytes *fn, void *ctx,
	struct pd_profiler_result *ret) pd_must_check;

/** A recording that was not stopped ends, and becomes no profile. NULL is fine. */
void pd_profiler_destroy(struct pd_profiler *profiler);

PD_DECLS_END

#endif
