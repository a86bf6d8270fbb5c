/**
 * @file From SAMPLE records to items of a batch: decoded, attributed to their events and threads,
 * and with what was mapped at that moment.
 */
#ifndef PD_RESOLVE_COLLECTOR_H
#define PD_RESOLVE_COLLECTOR_H

#include <pdconv/error.h>
#include <pdconv/file.h>
#include <pdconv/group_read.h>
#include <pdconv/record.h>

#include "resolve/batch.h"
#include "resolve/filter.h"
#include "resolve/jit.h"
#include "profile/profile.h"
#include "resolve/source.h"
#include "parse/space.h"

/** A sample that waits for a CALLCHAIN_DEFERRED of its thread. */
struct resolve_waiting {
	struct resolve_item item;
	uint64_t cookie;
	/** It has come, or is not to be expected any more. */
	bool is_ready;
};

enum { RESOLVE_N_KNOWN_THREADS = 64 };

/** A thread's number in the profile as long as it is called comm. */
struct resolve_known_thread {
	const struct pd_thread *thread;
	const char *comm;
	struct prof_thread_id id;
};

struct resolve_collector {
	/** Borrowed. Events and features of the file may grow while it is read. */
	const struct pd_file *file;
	struct profile *profile;
	struct pd_space *space;
	struct resolve_jits *jits;
	struct resolve_source *source;
	/** NULL: all samples are wanted. */
	const struct resolve_filter *filter;
	/** Of the recording; NULL if user stacks are not to be walked. */
	const struct pd_arch *arch;
	/** Records that stand for nothing are noted: profile.uncounted. */
	bool keeps_uncounted;
	struct pd_counters counters;
	/** Threads that were entered lately, each in the one place that it can have. */
	struct resolve_known_thread threads[RESOLVE_N_KNOWN_THREADS];
	/** Samples whose user call chain comes later, oldest first; how many of them are ready. */
	PD_VEC(struct resolve_waiting) waiting;
	size_t n_ready;
};

void resolve_collector_deinit(struct resolve_collector *collector);

/**
 * Append the SAMPLE @p rec to @p batch, which is not full. One that stands for nothing, or cannot
 * be read, is counted in the profile's stats instead; one whose user call chain comes later waits
 * for it. Errors: no memory.
 */
struct pd_error *resolve_collect(struct resolve_collector *collector, const struct pd_record *rec,
	struct resolve_batch *batch) pd_must_check;

/**
 * The CALLCHAIN_DEFERRED @p rec: the samples that wait for it are ready, and those that waited for
 * another one of its thread, which did not come.
 */
void resolve_collect_deferred(struct resolve_collector *collector, const struct pd_record *rec);

/** Nothing more will come: all that wait are ready. */
void resolve_collect_end(struct resolve_collector *collector);

/**
 * Move samples that are ready to @p batch, which is not full; true if that left no room for more.
 */
bool resolve_collect_ready(
	struct resolve_collector *collector, struct resolve_batch *batch) pd_must_check;

#endif
