/**
 * @file Times that threads spend off the CPU, from the tracepoints of the scheduler.
 *
 * sched:sched_switch is sampled in the thread that leaves the CPU, with the stack at which it
 * waits, and names the thread that comes next. So a wait begins with a sample of one thread, and
 * ends with one of another thread. sched:sched_wakeup has the time from which the thread could run.
 */
#ifndef PD_RESOLVE_SWITCHES_H
#define PD_RESOLVE_SWITCHES_H

#include <pdconv/error.h>
#include <pdconv/vec.h>

#include "base/containers/intern.h"
#include "base/containers/map.h"
#include "ledger/interrupts.h"
#include "profile/profile.h"

/** A wait, from leaving the CPU until running again. Times are in ns. */
struct resolve_wait {
	uint64_t start;
	/** Time of the wakeup; 0: none was recorded. */
	uint64_t woken;
	/** End; 0: not known. */
	uint64_t end;
	/** Time for which a ledger has the thread as blocked. */
	uint64_t blocked;
	/** Sample at which it began. Refers to nothing before it is added, or if it is left out. */
	struct prof_sample_id sample;
	/** Sample of the wakeup, likewise. */
	struct prof_sample_id waker;
	/** enum prof_wait_state, enum prof_woken_by */
	uint32_t state;
	uint32_t woken_by;
	/** With PROF_WOKEN_BY_INTERRUPT: its number. */
	uint32_t interrupt;
};

/** Waits that a sample begins and ends: indexes, or RESOLVE_NO_WAIT. */
struct resolve_wait_ends {
	uint32_t begins;
	/** The sample is the wakeup that ends the wait. */
	uint32_t wakes;
};

/** Zero-initialize, except for the first member. */
struct resolve_switches {
	/** The present record, and the interrupt in which it is. Borrowed. */
	const struct led_interrupts *interrupts;
	PD_VEC(struct resolve_wait) waits;
	/** Index + 1 in waits of the last wait of each thread, by thread id; 0 if it runs. */
	struct base_map open;
	/** Waits that ended, and those whose end is missing although the thread ran again. */
	uint64_t n_ended;
	uint64_t n_missed;
};

/** In place of the index of a wait. */
#define RESOLVE_NO_WAIT UINT32_MAX
#define RESOLVE_NO_WAITS ((struct resolve_wait_ends){ RESOLVE_NO_WAIT, RESOLVE_NO_WAIT })

/**
 * Follow the present sample, which was decoded. All samples are passed in the order of time, also
 * those that are left out of the profile. Errors: NOMEM.
 */
struct pd_error *resolve_switches_follow(
	struct resolve_switches *switches, struct resolve_wait_ends *ret) pd_must_check;

/** The waits @p ends, of resolve_switches_follow(), begin and end at @p sample. */
void resolve_switches_link(struct resolve_switches *switches, struct resolve_wait_ends ends,
	struct prof_sample_id sample);

/**
 * A ledger has the thread @p tid as blocked for @p ns since @p since, in the wait that it is in.
 * @p ctx: struct resolve_switches.
 */
void resolve_switches_blocked(void *ctx, uint32_t tid, uint64_t since, uint64_t ns);

/**
 * Add the waits to @p profile. It gets only what a ledger has if most ends are missing: without -a,
 * perf records only when its own threads leave a CPU. @p interrupt_names are strings of the
 * profile, indexed by the number of an interrupt. Errors: NOMEM.
 */
struct pd_error *resolve_switches_finish(struct resolve_switches *switches,
	const struct prof_string_id *interrupt_names, struct profile *profile) pd_must_check;
void resolve_switches_deinit(struct resolve_switches *switches);

#endif
