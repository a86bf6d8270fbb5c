/**
 * @file Collector: decodes SAMPLE records to items of a batch, and finds their events, threads and
 * the mappings at that time.
 */
#ifndef PD_RESOLVE_COLLECTOR_H
#define PD_RESOLVE_COLLECTOR_H

#include <pdconv/error.h>
#include <pdconv/file.h>
#include <pdconv/group_read.h>
#include <pdconv/record.h>

#include "ledger/intervals.h"
#include "resolve/batch/batch.h"
#include "resolve/batch/choices.h"
#include "resolve/batch/filter.h"
#include "resolve/binaries/jits.h"
#include "profile/profile.h"
#include "resolve/facts/recording_facts.h"
#include "ledger/ledger.h"
#include "resolve/batch/switches.h"
#include "parse/space/space.h"

/** A sample that waits for a CALLCHAIN_DEFERRED record of its thread. */
struct resolve_waiting {
	struct resolve_item item;
	uint64_t cookie;
	/** The record has arrived or is no longer expected. */
	bool is_ready;
};

enum { RESOLVE_N_KNOWN_THREADS = 64 };

/** Id of a thread in the profile, valid while its name is comm. */
struct resolve_known_thread {
	const struct parse_thread *thread;
	const char *comm;
	struct prof_thread_id id;
};

struct resolve_collector {
	/** Borrowed. Events and features of the file may grow while it is read. */
	const struct pd_file *file;
	struct profile *profile;
	struct parse_space *space;
	struct resolve_jits *jits;
	struct resolve_facts *facts;
	/** Samples to include. */
	const struct resolve_filter *filter;
	/** Architecture of the recording; NULL if user stacks are not to be unwound. */
	const struct pd_arch *arch;
	/** List records without a row in profile.uncounted. */
	bool keeps_uncounted;
	/** Samples need the mappings of data: resolve_item.all_maps; or resolve_item.cgroup. */
	bool keeps_data;
	bool keeps_cgroup;
	/** Has taken the record, and decoded it if need be; NULL: nothing follows the scheduler. */
	struct led_sched_events *sched;
	/** Waits to follow; NULL if they are not requested. They require `sched`. */
	struct resolve_switches *switches;
	/** Intervals that samples begin and end; NULL if they are not requested. */
	struct led_intervals *intervals;
	/** Counts the threads that run, and has taken the record; NULL: this is not requested. */
	struct ledger *ledger;
	struct pd_counters counters;
	/** Properties of samples that the filter leaves out. */
	struct resolve_choices choices;
	/** Direct-mapped cache of recently used threads. */
	struct resolve_known_thread threads[RESOLVE_N_KNOWN_THREADS];
	/**
	 * Samples that wait for their user call chain, oldest first, and how many of them are
	 * ready.
	 */
	PD_VEC(struct resolve_waiting) waiting;
	size_t n_ready;
};

void resolve_collector_deinit(struct resolve_collector *collector);

/**
 * Append the SAMPLE @p rec to @p batch, which is not full. A sample that counts for no event or
 * cannot be decoded is counted in the statistics of the profile instead. A sample whose user call
 * chain is recorded later waits for it. Errors: NOMEM.
 */
struct pd_error *resolve_collect(struct resolve_collector *collector, const struct pd_record *rec,
	struct resolve_batch *batch) pd_must_check;

/** Add @p thread to the profile under its present name. Errors: NOMEM. */
struct pd_error *resolve_collector_thread(struct resolve_collector *collector,
	const struct parse_thread *thread, struct prof_thread_id *ret) pd_must_check;

/** Note in the statistics that the SAMPLE @p rec was read, which is not collected. */
void resolve_collector_count(struct resolve_collector *collector, const struct pd_record *rec);

/**
 * Give the call chain of the CALLCHAIN_DEFERRED @p rec to the samples that wait for it. Samples of
 * the same thread that wait for another record become ready without one, because that record was
 * lost.
 */
void resolve_collect_deferred(struct resolve_collector *collector, const struct pd_record *rec);

/** End of the recording: make all waiting samples ready. */
void resolve_collect_end(struct resolve_collector *collector);

/** Move ready samples to @p batch, which is not full. Return true if some did not fit. */
bool resolve_collect_ready(
	struct resolve_collector *collector, struct resolve_batch *batch) pd_must_check;

#endif
