/**
 * @file Processes whose mappings are told when they turn out to have samples.
 *
 * What a recording of the machine says of a process must come before its samples, but the mappings of
 * all that only sleep are of no use. Readers take records of time 0, as synthesised ones are, before all
 * others that have not left their window (parse/order.h); so it is early enough in the round of the
 * first sample.
 */
#ifndef PD_CAPTURE_POSTPONED_H
#define PD_CAPTURE_POSTPONED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/error.h>
#include <pdconv/vec.h>

#include "base/map.h"

/** Zeroed: none are. */
struct cap_postponed {
	/** By number; 1: it has been seen. */
	struct pd_map pids;
	/** In that order, and how many of them have been taken. */
	PD_VEC(uint32_t) seen;
	size_t n_taken;
};

void cap_postponed_deinit(struct cap_postponed *postponed);

/** The mappings of @p pid are not told yet. Errors: no memory. */
struct pd_error *cap_postponed_add(struct cap_postponed *postponed, uint32_t pid) pd_must_check;

/** Something came of @p pid, which may be any process: a sample, or a child. */
void cap_postponed_note(struct cap_postponed *postponed, uint32_t pid);

/** The next whose mappings are to be told now; false if there is none. */
bool cap_postponed_take(struct cap_postponed *postponed, uint32_t *ret);

/** How many were never seen. */
size_t cap_postponed_n_unseen(const struct cap_postponed *postponed);

#endif
