/**
 * @file Stacks of waits: where a thread was when it left its CPU, and where the thread was that
 * woke it.
 *
 * Both are samples at the moments at which a phase of a ledger begins and ends. Waits that were
 * sampled as a whole are found by their times.
 */
#ifndef PD_ANALYZE_PHASE_STACKS_H
#define PD_ANALYZE_PHASE_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/error.h>

#include "analyze/waits/wait_places.h"
#include "profile/profile.h"

/** Samples by what they were taken at. */
enum ana_moment_kind {
	/** A thread leaves its CPU. */
	ANA_MOMENT_SWITCH,
	/** A thread wakes another one. */
	ANA_MOMENT_WAKEUP,
	/** A wait is over; the period is its length. */
	ANA_MOMENT_WAIT,
	ANA_N_MOMENT_KINDS,
};

struct ana_moment {
	uint64_t time;
	uint32_t tid;
	enum ana_moment_kind kind;
	struct prof_sample_id sample;
	/** State of the thread after a switch, if it is known, else PROF_WAIT_SLEEPING. */
	enum prof_wait_state state;
};

/** A zeroed one is empty. */
struct ana_phase_stacks {
	const struct profile *profile;
	struct ana_wait_places places;
	/** In order of kind, thread and time. Owned. */
	struct ana_moment *moments;
	size_t n;
};

struct ana_phase_stack {
	/** Samples of the thread and of its waker; refer to nothing if there are none. */
	struct prof_sample_id waiter;
	struct prof_sample_id waker;
	/** Kind of the wait, if the stack or the state says anything. */
	enum ana_wait_kind kind;
	bool has_kind;
};

/** Whether any event of @p profile is of a kind of moments. */
bool ana_has_moments(const struct profile *profile);

/**
 * Find the samples of waits and wakeups in @p profile, whose samples are kept apart by time. Both
 * arguments are borrowed. Errors: NOMEM.
 */
struct pd_error *ana_phase_stacks_create(const struct profile *profile,
	const struct ana_symbols *symbols, struct ana_phase_stacks *ret) pd_must_check;
void ana_phase_stacks_deinit(struct ana_phase_stacks *stacks);

/** Find the samples of a phase in which a thread was off the CPU. */
struct ana_phase_stack ana_phase_stack_find(
	const struct ana_phase_stacks *stacks, const struct prof_ledger_phase *phase);

#endif
