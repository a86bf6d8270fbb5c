/**
 * @file Events that are open: on every CPU, of every thread, writing to one ring buffer a CPU.
 */
#ifndef PD_CAPTURE_SESSION_H
#define PD_CAPTURE_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/attr.h>
#include <pdconv/error.h>
#include <pdconv/vec.h>

#include "capture/ring.h"
#include "capture/target.h"

/** An event as the kernel is to be asked for it, and what became of that. */
struct cap_session_event {
	/** All of it set; what this kernel does not know is taken away when it is opened. */
	struct pd_attr attr;
	/** As perf would call it; borrowed. */
	const char *name;
	/** Of a tracepoint, or NULL; borrowed. */
	const char *filter;
	/** Number of the event that leads its group; its own: none does. */
	size_t leader;
	/** Of each instance: its descriptor and its id, by CPU and thread; -1: not open. */
	PD_VEC(int) fds;
	PD_VEC(uint64_t) ids;
};

struct cap_cpu_ring {
	int cpu;
	struct cap_ring ring;
	/** The event that it was mapped by. */
	int fd;
};

struct cap_session {
	PD_VEC(struct cap_session_event) events;
	/** Of the CPUs on which something could be opened. */
	PD_VEC(struct cap_cpu_ring) rings;
	/** CPUs that are not there (any more). */
	size_t n_offline;
	/** Threads that ended before they could be looked at. */
	size_t n_gone;
};

/** Open all @p events of a session that is zeroed but for them, disabled, with @p pages each CPU's ring. */
struct pd_error *cap_session_open(
	struct cap_session *session, const struct cap_target *target, size_t pages) pd_must_check;
/** Close all. A zeroed one is fine. */
void cap_session_close(struct cap_session *session);

/** Let all events count, or stop them. Errors: OS. */
struct pd_error *cap_session_enable(struct cap_session *session, bool is_enabled) pd_must_check;

#endif
