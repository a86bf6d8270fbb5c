/**
 * @file Delays of runnable threads: how many are how long, and the longest ones.
 */
#ifndef PD_ANALYZE_DELAY_CLASSES_H
#define PD_ANALYZE_DELAY_CLASSES_H

#include <stddef.h>
#include <stdint.h>

#include <pdconv/error.h>

#include "profile/profile.h"

/** Delays of 2^i ns up to 2^(i + 1) ns. */
struct ana_delay_class {
	uint64_t n;
	uint64_t ns;
	/** Part of the time in which a CPU was idle. */
	uint64_t idle_ns;
};

enum { ANA_N_DELAY_CLASSES = 64 };

/** A zeroed one is empty. */
struct ana_delays {
	struct ana_delay_class classes[ANA_N_DELAY_CLASSES];
	struct ana_delay_class all;
	uint64_t n_after[PROF_N_DELAYS_AFTER];
	/** The longest, in profile.ledger_delays: indexes, the longest first. Owned. */
	uint32_t *longest;
	size_t n_longest;
};

/** Sort the delays of @p profile, and find the @p n longest. Errors: no memory. */
struct pd_error *ana_delays_count(
	const struct profile *profile, size_t n, struct ana_delays *ret) pd_must_check;
void ana_delays_deinit(struct ana_delays *delays);

#endif
