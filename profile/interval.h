/**
 * @file Intervals: times from one event to another one, such as a system call from its beginning to
 * its end. A profile has them only if requested.
 */
#ifndef PD_PROFILE_INTERVAL_H
#define PD_PROFILE_INTERVAL_H

#include <stdint.h>

#include "profile/ids.h"

/** Intervals of one name, and how many are incomplete. */
struct prof_interval_kind {
	struct prof_string_id name;
	/** They are of the threads in which they began: 0 or 1. Interrupts belong to none. */
	uint32_t is_of_threads;
	/**
	 * Number of beginnings without an end, and of ends without a beginning. Intervals that do
	 * not nest begin again in n_restarted cases, such as a request that the device refused.
	 */
	uint64_t n_unended;
	uint64_t n_unbegun;
	uint64_t n_restarted;
};

/** An interval, in the order in which they end. */
struct prof_interval {
	uint64_t begin_ns;
	uint64_t ns;
	/** Its name among those of its kind, e.g. "read"; none: the kind has no names. */
	struct prof_string_id label;
	/** None: see is_of_threads. */
	struct prof_thread_id thread;
	/** Stack at which it began; none: it was not recorded. */
	struct prof_stack_id stack;
	/** Index in profile.interval_kinds. */
	uint16_t kind;
	/** Its end reports an error: 0 or 1. */
	uint16_t has_failed;
};

#endif
