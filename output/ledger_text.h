/**
 * @file The ledger of a profile as people read it: the order of its rows, its sums, and notes on
 * how far it can be trusted. For the report and the page.
 */
#ifndef PD_OUTPUT_LEDGER_TEXT_H
#define PD_OUTPUT_LEDGER_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include <pdconv/error.h>
#include <pdconv/vec.h>

#include "profile/profile.h"

/** Sums of threads or of CPUs. */
struct out_ledger_sums {
	/** Times by enum prof_ledger_state or enum prof_ledger_use. */
	uint64_t ns[PROF_N_LEDGER_STATES];
	/** Sum of the lives of threads, or of the times of CPUs. */
	uint64_t whole;
	/** Difference between the wholes and the sums of their parts. */
	uint64_t residue;
};

struct out_ledger_sums out_ledger_sum_threads(const struct profile *profile);
struct out_ledger_sums out_ledger_sum_cpus(const struct profile *profile);

/** Names of enum prof_ledger_state and enum prof_ledger_use, and of what they add up to. */
extern const char *const out_ledger_states[PROF_N_LEDGER_STATES + 1];
extern const char *const out_ledger_uses[PROF_N_LEDGER_USES + 1];

/** In place of a waker: an interrupt of which nothing is known. */
#define OUT_LEDGER_INTERRUPT "[interrupt]"
/** In place of a waker that is not known. */
#define OUT_LEDGER_NOT_RECORDED "[not recorded]"
/** Warning about sums of events that were not all recorded. */
#define OUT_LEDGER_SAMPLED \
	"not all events of the scheduler were recorded: a frequency or a period was given for them"

/** Name of an interrupt of @p profile, which may be "". */
const char *out_ledger_interrupt(const struct profile *profile, struct prof_string_id name);

/** Return pointers to all threads, the most active ones first. Allocated; NULL: no memory. */
const struct prof_ledger_thread **out_ledger_sort_threads(const struct profile *profile);
/** Return pointers to all wakers, the longest waits first. Allocated; NULL: no memory. */
const struct prof_ledger_waker **out_ledger_sort_wakers(const struct profile *profile);

/** Return which part of a thread's life is in the recording: "to its end". Static storage. */
const char *out_ledger_span(const struct prof_ledger_thread *row);

/** Name of what had a CPU: @p thread if it was a thread. */
const char *out_ledger_instead(enum prof_instead kind, const char *thread);

/** Length of the recordings. */
struct out_ledger_length {
	/** Without times that are left out, in ns. */
	uint64_t ns;
	bool has_end;
};

struct out_ledger_length out_ledger_length(const struct profile *profile);

/** Records that the ledgers of a profile lack. */
struct out_ledger_lacks {
	/** Switches of threads and of CPUs that do not follow from those before. */
	uint64_t n_missing;
	uint64_t n_breaks;
	bool has_switches;
	bool lacks_wakes;
	bool has_other_numbers;
	bool is_sampled;
};

struct out_ledger_lacks out_ledger_lacks(const struct profile *profile);

/** A sentence with its name: "balances", "yes: 2 threads, to the nanosecond". */
struct out_ledger_note {
	/** Static storage. */
	const char *name;
	/** Owned. */
	char *text;
};

/** A zeroed one is empty. */
struct out_ledger_notes {
	PD_VEC(struct out_ledger_note) list;
};

/**
 * Say how long the recording is, what its sums are made of, what it lacks, and whether all accounts
 * balance. Errors: no memory.
 */
struct pd_error *out_ledger_notes_find(
	const struct profile *profile, struct out_ledger_notes *notes) pd_must_check;
void out_ledger_notes_deinit(struct out_ledger_notes *notes);

#endif
