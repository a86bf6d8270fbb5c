/**
 * @file Wakers by sample: which thread ended the wait that began with a sample, and where it was.
 */
#ifndef PD_ANALYZE_SAMPLE_WAKERS_H
#define PD_ANALYZE_SAMPLE_WAKERS_H

#include <stdbool.h>
#include <stdint.h>

#include <pdconv/error.h>

#include "analyze/symbols.h"
#include "profile/profile.h"

/** Knowledge of the end of a wait. */
enum ana_wait_end {
	/** The sample is not that of a wait. */
	ANA_NO_WAIT,
	ANA_WAIT_END_UNKNOWN,
	ANA_WAIT_END_BY_INTERRUPT,
	ANA_WAIT_END_BY_THREAD,
};

struct ana_sample_waker {
	enum ana_wait_end end;
	/** Refers to nothing unless a thread ended the wait. */
	struct prof_thread_id thread;
	/** Name of the interrupt that ended it; "": none did, or it is not known. */
	struct prof_string_id interrupt;
	/** Symbol of the function of the program in which it was; PROF_NONE: not known. */
	uint32_t symbol;
};

/** A zeroed one is empty. */
struct ana_sample_wakers {
	struct ana_symbols symbols;
	/** Indexed by sample. Owned. */
	struct ana_sample_waker *list;
};

/** Whether @p profile has a phase that a recorded wakeup ended. */
bool ana_has_sample_wakers(const struct profile *profile);

/**
 * Find the wakers of @p profile, which has phases and samples that are kept apart by time. Errors:
 * NOMEM.
 */
struct pd_error *ana_sample_wakers_create(
	const struct profile *profile, struct ana_sample_wakers *ret) pd_must_check;
void ana_sample_wakers_deinit(struct ana_sample_wakers *wakers);

#endif
