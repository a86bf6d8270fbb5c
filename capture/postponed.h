/**
 * @file Processes whose mappings are synthesised only if they have samples.
 *
 * The mappings of a process must be known before its samples, but those of the many processes that
 * only sleep are never needed, and reading them delays the recording. Synthesised records have time
 * 0, and readers sort records by time within a round (parse/order.h), so it is early enough to
 * write them in the round of the first sample.
 */
#ifndef PD_CAPTURE_POSTPONED_H
#define PD_CAPTURE_POSTPONED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/error.h>
#include <pdconv/vec.h>

#include "base/map.h"

/** The set of postponed processes. A zeroed one is empty. */
struct cap_postponed {
	/** Process id to 1 if the process has been seen in the rings, else to 0. */
	struct pd_map pids;
	/** Processes in the order in which they were seen; the first n_taken have been taken. */
	PD_VEC(uint32_t) seen;
	size_t n_taken;
};

/** Empty the set. */
void cap_postponed_deinit(struct cap_postponed *postponed);

/** Postpone the mappings of @p pid. Errors: no memory. */
struct pd_error *cap_postponed_add(struct cap_postponed *postponed, uint32_t pid) pd_must_check;

/** Note that the process @p pid, postponed or not, had a sample or a child. */
void cap_postponed_note(struct cap_postponed *postponed, uint32_t pid);

/** Take the next process whose mappings are needed now; false if there is none. */
bool cap_postponed_take(struct cap_postponed *postponed, uint32_t *ret);

/** Count the processes that were never seen. */
size_t cap_postponed_n_unseen(const struct cap_postponed *postponed);

#endif
