/**
 * @file Why the kernel refused an event or a ring buffer, explained by what it checks
 * (perf_event_open(2)).
 */
#ifndef PD_CAPTURE_REFUSAL_H
#define PD_CAPTURE_REFUSAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <pdconv/error.h>

#include "capture/events/event_list.h"

/** Kind of an errno of perf_event_open. */
enum cap_refusal {
	CAP_NOT_REFUSED,	 /**< 0: the event opened. */
	CAP_REFUSED_UNSUPPORTED, /**< This machine or kernel has no such event: try another. */
	CAP_REFUSED_DENIED,	 /**< Not permitted: EACCES, EPERM. */
	CAP_REFUSED_GONE,	 /**< The process has exited: ESRCH. */
	CAP_REFUSED_OTHER,
};
enum cap_refusal cap_refusal(int errnum);

/** Limits of the kernel and of this process that events are checked against. */
struct cap_limits {
	/** kernel.perf_event_paranoid; 2, the kernel's default, if it cannot be read. */
	int paranoid;
	/** This process has CAP_PERFMON or CAP_SYS_ADMIN, so that paranoid does not apply. */
	bool is_capable;
	/** kernel.perf_event_max_sample_rate in Hz; 0: it cannot be read. */
	uint64_t max_sample_rate;
	/** kernel.perf_event_mlock_kb, in KiB for each CPU; 0: it cannot be read. */
	uint64_t mlock_kb;
	/** The soft RLIMIT_NOFILE; 0: it cannot be read. */
	uint64_t max_files;
	/**
	 * Registers that every kernel of this architecture samples, as bits of perf's numbers; 0:
	 * not known.
	 */
	uint64_t general_regs;
};
struct cap_limits cap_limits_read(void);

/** Whether @p limits permit events that count in the kernel. */
bool cap_limits_permit_kernel(const struct cap_limits *limits);

/** An event that did not open, and for whom. */
struct cap_refused {
	const struct cap_event *event;
	/** errno of perf_event_open. */
	int errnum;
	/** -1: all processes, or those of a control group. */
	pid_t pid;
	/** -1: all CPUs. */
	int cpu;
	/** It was opened as a member of a group, not as its leader. */
	bool is_group_member;
};

/** A PD_ERROR_OS: "cannot open event 'NAME' on CPU 3: STRERROR: REASON". */
struct pd_error *cap_refusal_error(
	const struct cap_refused *refused, const struct cap_limits *limits) pd_must_check;

/** A PD_ERROR_OS: why mmap(2) of a ring buffer of @p bytes failed with @p errnum. */
struct pd_error *cap_mmap_error(
	size_t bytes, int errnum, const struct cap_limits *limits) pd_must_check;

#endif
