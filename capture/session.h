/**
 * @file Events that are open: on every CPU, of every thread, writing to one ring buffer a CPU.
 */
#ifndef PD_CAPTURE_SESSION_H
#define PD_CAPTURE_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/error.h>
#include <pdconv/vec.h>

#include "capture/events.h"
#include "capture/ring.h"
#include "capture/stack_level.h"
#include "capture/target.h"

/** An event as the kernel is to be asked for it, and what became of that. */
struct cap_session_event {
	/**
	 * Borrowed. Its attr is all set; what this kernel does not know of it, or does not allow,
	 * is taken away when it is opened.
	 */
	struct cap_event *event;
	/** Of the kernel and all else only user space is seen, for more is not allowed. */
	bool is_user_only;
	/** It leads a group with members, or is one. */
	bool is_in_group;
	/** It was to be cycles, of which there are none here, and is cpu-clock. */
	bool is_clock;
	/**
	 * Of each instance: its descriptors, one for each level, by CPU and thread; -1: not open.
	 * Those of an event without captured stacks have the first only.
	 */
	PD_VEC(int) fds;
	/** Of all of them. */
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
	/** Whose rings are written to instead of its own; NULL: its own. Borrowed. */
	struct cap_session *output;
	/** All stacks have their full size, and no event more than one level. */
	bool has_one_level;
	/** Which of the levels counts. */
	size_t level;
	bool is_enabled;
	/** CPUs that are not there (any more). */
	size_t n_offline;
	/** Threads that ended before they could be looked at. */
	size_t n_gone;
};

/**
 * Open all @p events of a session that is zeroed but for them, disabled, with @p pages each CPU's
 * ring.
 */
struct pd_error *cap_session_open(
	struct cap_session *session, const struct cap_target *target, size_t pages) pd_must_check;
/** Close all. A zeroed one is fine. */
void cap_session_close(struct cap_session *session);

/** Let all events count, or stop them. Errors: OS. */
struct pd_error *cap_session_enable(struct cap_session *session, bool is_enabled) pd_must_check;

/** Events count already, from a program's start on. */
void cap_session_note_enabled(struct cap_session *session);

/** Capture as much of stacks as @p level says from now on. Errors: OS. */
struct pd_error *cap_session_set_level(struct cap_session *session, size_t level) pd_must_check;

/**
 * Samples that did not fit the rings until now, as the events themselves count them: since Linux
 * 6.0, else 0. LOST records tell the same, but only when something fits again.
 */
uint64_t cap_session_n_lost(const struct cap_session *session);

/** Some event captures stacks, of which there may be less. */
bool cap_session_has_levels(const struct cap_session *session);

#endif
