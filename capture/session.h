/**
 * @file A session: the events that are asked for, for which target, and how they are opened: on
 * every CPU, of every thread, writing to one ring buffer per CPU. Whatever reads events begins with
 * one: a recording, a monitor, a set of readers.
 *
 *	cap_session_init(&session);
 *	... set its target and sampling ...
 *	cap_session_add_events(&session, "cpu-clock");
 *	cap_session_prepare(&session);
 *	cap_session_open(&session);		see capture/session_open.h
 *	... read its rings ...
 *	cap_session_deinit(&session);
 */
#ifndef PD_CAPTURE_SESSION_H
#define PD_CAPTURE_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/error.h>
#include <pdconv/events.h>
#include <pdconv/group_read.h>
#include <pdconv/vec.h>

#include "capture/events/event_list.h"
#include "capture/events/probe.h"
#include "capture/open.h"
#include "capture/ring.h"
#include "capture/sampling.h"
#include "capture/stack_level.h"
#include "capture/target.h"

/** An event and its instances: it is opened for each CPU, thread and stack level. */
struct cap_opened {
	/**
	 * The event; borrowed. Opening it removes the flags of its attr that this kernel does not
	 * know, and excludes the kernel if this process is not permitted to profile it.
	 */
	struct cap_event *event;
	/** The kernel was excluded, because profiling it is not permitted. */
	bool is_user_only;
	/** The event is a member of a group, or leads one. */
	bool is_in_group;
	/** It was opened as cpu-clock instead of cycles, which this machine does not have. */
	bool is_clock;
	/**
	 * Descriptors, -1 where an instance is not open: for each thread, each CPU, and each stack
	 * level, in this nesting. An event without user stacks has one level.
	 */
	PD_VEC(int) fds;
	/** Ids of all instances, as samples have them. */
	PD_VEC(uint64_t) ids;
};

/** Most events of a group. */
enum { CAP_MAX_COUNTERS = 64 };

struct cap_cpu_ring {
	int cpu;
	struct cap_ring ring;
	/** Descriptor of the event that the ring was mapped through. */
	int fd;
	/** Lost samples that the LOST records read from the ring have reported. */
	uint64_t n_reported_lost;
};

/** Descriptors of BPF programs that do the same for events of different kinds. */
struct cap_programs {
	/** Events that overflow, tracepoints, and tracepoints that are probes. */
	int sample;
	int tracepoint;
	int probe;
};

/** Event that a program is attached to, for all events of a tracepoint. */
struct cap_carrier {
	/** Id of the tracepoint. */
	uint64_t config;
	int fd;
};

struct cap_session {
	/** Target, and how events are sampled: set by the caller. */
	struct cap_target target;
	struct cap_sampling sampling;
	struct cap_events events;
	/** Probes that were defined for this session; NULL: none. */
	struct cap_probes *probes;
	/**
	 * No events were asked for, so the default event is in use. Its strings belong to the
	 * events.
	 */
	bool is_default;
	struct cap_default default_event;
	/** The events, with their instances while the session is open. */
	PD_VEC(struct cap_opened) opened;
	PD_VEC(struct cap_carrier) carriers;
	/** Rings of the CPUs on which an event was opened. */
	PD_VEC(struct cap_cpu_ring) rings;
	/**
	 * Another session whose rings the events write to; NULL: the session has its own. Borrowed.
	 */
	struct cap_session *output;
	/** An exited thread and an offline CPU are errors, and are not skipped. */
	bool is_strict;
	/** BPF programs that run before each sample is written; NULL: none. Borrowed. */
	const struct cap_programs *programs;
	/** Open all events on the first stack level only. */
	bool has_one_level;
	/** Stack level that is enabled (capture/stack_level.h). */
	size_t level;
	/**
	 * The events are enabled, or the exec of the command enables them (enable_on_exec). Set
	 * before opening: events of threads are enabled at once.
	 */
	bool is_enabled;
	/** CPUs that went offline before their events were opened. */
	size_t n_offline;
	/** Threads that exited before their events were opened. */
	size_t n_gone;
	/** Lost samples as events counted them that have been closed. */
	uint64_t n_lost_closed;
};

/** Initialise a session without events or target. Call the deinit even if later steps fail. */
void cap_session_init(struct cap_session *session);
/** Close the session, remove its probes and free what it owns. */
void cap_session_deinit(struct cap_session *session);

/**
 * Append the events of @p words: in the syntax of capture/events/event_list.h, or one probe,
 * "probe:" and a definition as in capture/events/probe.h, which is defined in the kernel now.
 * Errors: USAGE; the probe cannot be defined.
 */
struct pd_error *cap_session_add_events(
	struct cap_session *session, const char *words) pd_must_check;

/**
 * Append the default event for the target: hardware cycles, or cpu-clock where there are none.
 * default_event says which. Errors: neither opens.
 */
struct pd_error *cap_session_add_default(struct cap_session *session) pd_must_check;

/** Apply the sampling options to all events, and list them to be opened. Call it once. */
struct pd_error *cap_session_prepare(struct cap_session *session) pd_must_check;

/**
 * Remove the probes that were added to the kernel, once the session has been closed. Otherwise
 * cap_session_deinit() does that.
 */
void cap_session_remove_probes(struct cap_session *session);

/** Append the open events, with their ids, to @p events. Errors: NOMEM. */
struct pd_error *cap_session_list_events(
	const struct cap_session *session, struct pd_events *events) pd_must_check;

/**
 * Close all events and rings. Afterwards the session still shows how each event was opened. A
 * zeroed session is fine.
 */
void cap_session_close(struct cap_session *session);

/** Enable or disable all events on the current stack level. Errors: OS. */
struct pd_error *cap_session_enable(struct cap_session *session, bool is_enabled) pd_must_check;

/** Switch to stack level @p level. Errors: OS. */
struct pd_error *cap_session_set_level(struct cap_session *session, size_t level) pd_must_check;

/**
 * Switch again from @p old_level to the present one, for children that were created during the
 * first switch. Errors: OS.
 */
struct pd_error *cap_session_confirm_level(
	struct cap_session *session, size_t old_level) pd_must_check;

/**
 * Samples lost because a ring was full, as the events count them themselves since Linux 6.0; 0 on
 * older kernels. LOST records have the same number, but the kernel writes one only before the next
 * record that fits.
 */
uint64_t cap_session_n_lost(const struct cap_session *session);

/** Samples that instance @p fd of event @p i has lost; 0 if the event does not count them. */
uint64_t cap_session_count_lost(const struct cap_session *session, size_t i, int fd);

/** Counters that were read from a descriptor. */
struct cap_counters {
	/** Views of @ref words. */
	struct pd_read_values read;
	uint64_t words[3 + 3 * CAP_MAX_COUNTERS];
};

/**
 * Read the counters of the event or group @p fd, whose attr.read_format is @p format. False if that
 * fails, or the group has more than CAP_MAX_COUNTERS events.
 */
bool cap_counters_read(int fd, uint64_t format, struct cap_counters *ret) pd_must_check;

/**
 * Index of the event through whose descriptors the counters of event @p i are read: its leader if
 * that reads the group as a whole, otherwise @p i.
 */
size_t cap_session_counter_of(const struct cap_session *session, size_t i);
/**
 * Whether the event @p fd has hung up, which it does for good once its thread and all threads that
 * inherited it have exited; true for -1.
 */
bool cap_has_hung_up(int fd);

/**
 * Number of stack levels of @p event. Members of a group have one leader, so they cannot be on
 * another level than the leader.
 */
size_t cap_session_n_levels(const struct cap_session *session, const struct cap_opened *event);
/** Whether some event is open on more than one stack level. */
bool cap_session_has_levels(const struct cap_session *session);

#endif
