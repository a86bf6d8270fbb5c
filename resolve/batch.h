/**
 * @file Samples on their way from the reader to the profile, a batch at a time: collected in the
 * order of the recording, walked by all workers, entered in the same order.
 */
#ifndef PD_RESOLVE_BATCH_H
#define PD_RESOLVE_BATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/error.h>
#include <pdconv/record.h>
#include <pdconv/sample.h>
#include <pdconv/vec.h>

#include "parse/space.h"
#include "profile/ids.h"
#include "unwind/unwind.h"

enum { RESOLVE_BATCH = 1024 };

/** An event of the profile, and how much of it a sample stands for. */
struct resolve_count {
	struct prof_event_id event;
	uint64_t period;
};

/** A frame that another sample had. */
struct resolve_rest {
	uint64_t pc;
	uint64_t sp;
	struct prof_frame_id frame;
	/** pc is behind a call. */
	bool is_return;
};

struct resolve_item {
	/** Number of its event in the file, or PD_EVENT_UNATTRIBUTED. */
	uint32_t event;
	struct pd_sample sample;
	uint16_t cpumode;
	/** What it counts for. */
	PD_VEC(struct resolve_count) counts;
	struct prof_thread_id thread;
	/** What was mapped when it was taken. */
	struct pd_maps *maps;
	struct pd_maps *kernel_maps;
	/** What sample is borrowed from. */
	struct pd_record rec;
	/** It has calls in branch records, see resolve/lbr.h. */
	bool has_calls;
	/** User call chain that came later, u64 each, and what that is borrowed from. */
	struct pd_view deferred;
	struct pd_record deferred_rec;
	/** The walk, if there is something to walk: who did it, and what came of it. */
	bool has_walk;
	size_t walker;
	struct unw_stack stack;
	/**
	 * What a neighbour had behind the stack's last frame, and whether that reaches the root.
	 */
	PD_VEC(struct resolve_rest) rest;
	bool rest_is_whole;
	struct pd_error *err;
};

struct resolve_batch {
	/** Room for RESOLVE_BATCH; the first n are in use. */
	struct resolve_item *items;
	size_t n;
};

struct pd_error *resolve_batch_init(struct resolve_batch *batch) pd_must_check;
void resolve_batch_deinit(struct resolve_batch *batch);

static inline bool resolve_batch_is_full(const struct resolve_batch *batch)
{
	return batch->n == RESOLVE_BATCH;
}

/** Let go of what @p item refers to; its lists keep their room. */
void resolve_item_release(struct resolve_item *item);
void resolve_item_deinit(struct resolve_item *item);

/** Let go of all items. */
void resolve_batch_clear(struct resolve_batch *batch);

#endif
