/**
 * @file Waits: what threads do when they are not on a CPU, where, and what for.
 *
 * A wait is a sample of an event that is taken when a thread leaves its CPU.
 */
#ifndef PD_ANALYZE_WAITS_H
#define PD_ANALYZE_WAITS_H

#include <pdconv/error.h>
#include <pdconv/vec.h>

#include "analyze/symbols.h"
#include "analyze/waits/wait_places.h"
#include "profile/profile.h"

/** Waits for one kind of thing in one function. */
struct ana_wait {
	enum ana_wait_kind kind;
	/** Symbol of the function; PROF_NONE: no function of the program is in the stack. */
	uint32_t place;
	/** Number of waits, and their amount in the unit of struct ana_waits. */
	uint64_t n;
	uint64_t amount;
	/** Part of the amount in which the threads could have run: see prof_wait.delay_ns. */
	uint64_t delay;
	/** Amount on the CPU, in this function and in what it called. */
	uint64_t on_cpu;
};

/** Threads of one name. */
struct ana_waiter {
	struct prof_string_id comm;
	uint64_t on_cpu;
	uint64_t n[ANA_N_WAIT_KINDS];
	uint64_t amounts[ANA_N_WAIT_KINDS];
	/** Part of the amounts in which the threads could have run. */
	uint64_t delay;
};

struct ana_waits {
	/** Event of the waits. */
	struct prof_event_id event;
	/** Event that samples threads on the CPU; refers to nothing if there is none. */
	struct prof_event_id on_cpu;
	/** Amounts are times in ns. Otherwise they are numbers of waits: the event has no times. */
	bool has_times;
	/** Sum of the amounts. */
	uint64_t amount;
	/** Times in which threads could have run were recorded. */
	bool has_delays;
	/** The longest waits, and the threads that waited longest, first. */
	PD_VEC(struct ana_wait) list;
	PD_VEC(struct ana_waiter) threads;
};

/**
 * Return the event of @p profile whose samples are waits, or none: offcpu-time if it has samples,
 * else sched:sched_switch. Samples of the latter have no times, but profile.waits may.
 */
struct prof_event_id ana_wait_event(const struct profile *profile);

/**
 * Return the event that counts what threads did between their @p waits, or none: the first one that
 * counts time or cycles.
 */
struct prof_event_id ana_wait_on_cpu(const struct profile *profile, struct prof_event_id waits);

/** Whether the samples of @p event are waits with their times: its name is offcpu-time. */
bool ana_wait_has_time(const struct profile *profile, struct prof_event_id event);

/** Count the waits of @p profile, which has an event of waits. Errors: NOMEM. */
struct pd_error *ana_waits_count(const struct profile *profile, const struct ana_symbols *symbols,
	struct ana_waits *ret) pd_must_check;
void ana_waits_deinit(struct ana_waits *waits);

#endif
