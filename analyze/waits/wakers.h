/** @file Wakers: which threads and functions end the waits of which functions. */
#ifndef PD_ANALYZE_WAKERS_H
#define PD_ANALYZE_WAKERS_H

#include <stdbool.h>

#include <pdconv/error.h>
#include <pdconv/vec.h>

#include "analyze/symbols.h"
#include "analyze/waits/wait_places.h"
#include "profile/profile.h"

/** Waits in one function that one function of threads of one name ended. */
struct ana_waker {
	enum ana_wait_kind kind;
	/** Function that waits: as in struct ana_wait. */
	uint32_t place;
	/** enum prof_woken_by */
	uint32_t woken_by;
	/** With PROF_WOKEN_BY_INTERRUPT: its name; otherwise "". */
	struct prof_string_id interrupt;
	/** Name of the waker, and its function like place; only with PROF_WOKEN_BY_SAMPLE. */
	struct prof_string_id comm;
	uint32_t waker_place;
	/** Number of waits, and their time in ns. */
	uint64_t n;
	uint64_t ns;
};

struct ana_wakers {
	/** Those that ended the longest waits first. */
	PD_VEC(struct ana_waker) list;
	/** Sum of all waits with a known end. */
	uint64_t ns;
};

/** Whether a wakeup ended the waits: a thread that was preempted could run all the time. */
static inline bool ana_is_ended_by_waker(const struct prof_wait *wait)
{
	return wait->n && wait->state != PROF_WAIT_RUNNABLE;
}

/** Whether it is known of any wait what ended it. */
bool ana_has_wakers(const struct profile *profile);

/**
 * Count the waits of @p profile by what ended them. The list is empty if no wakeups were recorded.
 * Errors: NOMEM.
 */
struct pd_error *ana_wakers_count(const struct profile *profile, const struct ana_symbols *symbols,
	struct ana_wakers *ret) pd_must_check;
void ana_wakers_deinit(struct ana_wakers *wakers);

#endif
