/**
 * @file From SAMPLE records to items of a batch: decoded, attributed to their events and threads, and
 * with what was mapped at that moment.
 */
#ifndef PD_OUTPUT_COLLECT_H
#define PD_OUTPUT_COLLECT_H

#include <pdconv/error.h>
#include <pdconv/file.h>
#include <pdconv/group_read.h>
#include <pdconv/record.h>

#include "output/batch.h"
#include "output/filter.h"
#include "output/jit.h"
#include "output/profile.h"
#include "output/source.h"
#include "parse/space.h"

/** A sample that waits for a CALLCHAIN_DEFERRED of its thread. */
struct out_waiting {
	struct out_item item;
	uint64_t cookie;
	/** It has come, or is not to be expected any more. */
	bool is_ready;
};

enum { OUT_N_KNOWN_THREADS = 64 };

/** A thread's number in the profile as long as it is called comm. */
struct out_known_thread {
	const struct pd_thread *thread;
	const char *comm;
	uint32_t id;
};

struct out_collector {
	/** Borrowed. Events and features of the file may grow while it is read. */
	const struct pd_file *file;
	struct profile *profile;
	struct pd_space *space;
	struct out_jits *jits;
	struct out_source *source;
	/** NULL: all samples are wanted. */
	const struct out_filter *filter;
	/** Of the recording; NULL if user stacks are not to be walked. */
	const struct pd_arch *arch;
	/** Records that stand for nothing are noted: profile.uncounted. */
	bool keeps_uncounted;
	struct pd_counters counters;
	/** Threads that were entered lately, each in the one place that it can have. */
	struct out_known_thread threads[OUT_N_KNOWN_THREADS];
	/** Samples whose user call chain comes later, oldest first; how many of them are ready. */
	PD_VEC(struct out_waiting) waiting;
	size_t n_ready;
};

void out_collector_deinit(struct out_collector *collector);

/**
 * Append the SAMPLE @p rec to @p batch, which is not full. One that stands for nothing, or cannot be
 * read, is counted in the profile's stats instead; one whose user call chain comes later waits for it.
 * Errors: no memory.
 */
struct pd_error *out_collect(struct out_collector *collector, const struct pd_record *rec,
	struct out_batch *batch) pd_must_check;

/**
 * The CALLCHAIN_DEFERRED @p rec: the samples that wait for it are ready, and those that waited for
 * another one of its thread, which did not come.
 */
void out_collect_deferred(struct out_collector *collector, const struct pd_record *rec);

/** Nothing more will come: all that wait are ready. */
void out_collect_end(struct out_collector *collector);

/** Move samples that are ready to @p batch, which is not full; true if that left no room for more. */
bool out_collect_ready(struct out_collector *collector, struct out_batch *batch) pd_must_check;

#endif
