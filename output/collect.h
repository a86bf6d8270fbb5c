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
#include "output/profile.h"
#include "output/source.h"
#include "parse/space.h"

struct out_collector {
	/** Borrowed. Events and features of the file may grow while it is read. */
	const struct pd_file *file;
	struct profile *profile;
	struct pd_space *space;
	struct out_source *source;
	/** Whether user stacks are to be walked at all. */
	bool walks;
	struct pd_counters counters;
	/** The last thread entered, and what it was called then. */
	const struct pd_thread *last_thread;
	const char *last_comm;
	uint32_t last_thread_id;
};

void out_collector_deinit(struct out_collector *collector);

/**
 * Append the SAMPLE @p rec to @p batch, which is not full. One that stands for nothing, or cannot be
 * read, is counted in the profile's stats instead. Errors: no memory.
 */
struct pd_error *out_collect(struct out_collector *collector, const struct pd_record *rec,
	struct out_batch *batch) pd_must_check;

#endif
