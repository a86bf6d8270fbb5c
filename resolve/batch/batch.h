/**
 * @file Batch: samples between reader and profile. They are collected in the order of the
 * recording, unwound by all workers, and added to the profile in the same order.
 *
 * A batch has everything that adding its samples needs: the mappings, threads and events of their
 * time. So the reader goes on meanwhile, and changes what is true later.
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

#include "base/system/huge.h"
#include "parse/open_file.h"
#include "parse/space/space.h"
#include "profile/ids.h"
#include "profile/profile.h"
#include "resolve/batch/switches.h"
#include "resolve/batch/tally_table.h"
#include "unwind/unwind.h"

enum {
	RESOLVE_BATCH = 1024,
	RESOLVE_BATCH_PLAIN = 4 * 1024,
	RESOLVE_BATCH_CONTEXTS = RESOLVE_BATCH,
	/** Bytes of records. Those of all batches are less than PD_FRAMER_KEPT_BYTES. */
	RESOLVE_BATCH_BYTES = 4 << 20,
};

/** An event, and the period that a sample has for it. */
struct resolve_count {
	struct prof_event_id event;
	uint64_t period;
};

/** A frame of a stack that the stitcher knows. */
struct resolve_known_frame {
	uint64_t pc;
	/** Stack pointer; for branch records the target of the call at pc. */
	uint64_t sp;
	/** Module of the frame; NULL for branch records, or if nothing is mapped at pc. */
	const struct unw_module *module;
	struct prof_frame_id frame;
	/** pc is a return address. */
	bool is_return;
};

struct resolve_item {
	/** Index of the event in the file, or PD_EVENT_UNATTRIBUTED. */
	uint32_t event;
	struct pd_sample sample;
	uint16_t cpumode;
	/** Events that the sample counts for. */
	PD_VEC(struct resolve_count) counts;
	struct prof_thread_id thread;
	/** Path of the control group; "" if it is not known or not wanted. */
	struct prof_string_id cgroup;
	/** Number of threads that were running; 0: not known or not wanted. */
	uint32_t parallelism;
	/** Waits that begin and end with the sample. */
	struct resolve_wait_ends waits;
	/** Number of the sample among those that begin intervals; LED_NO_BEGINNING: none. */
	uint32_t interval;
	/** Mappings at the time of the sample. Referenced. */
	struct parse_maps *maps;
	struct parse_maps *kernel_maps;
	/** Mappings of code and of data; NULL unless data addresses are wanted. */
	struct parse_maps *all_maps;
	/** Record that `sample` borrows from. Kept. */
	struct pd_record rec;
	/** The sample has calls in branch records, see resolve/stacks/lbr.h. */
	bool has_calls;
	/** User call chain that was recorded later, as u64, and the record that it borrows from. */
	struct pd_view deferred;
	struct pd_record deferred_rec;
	/** The sample has a captured stack to unwind. */
	bool has_walk;
	/** Index of the walker that unwound the stack, and the result. */
	size_t walker;
	struct unw_stack stack;
	/**
	 * Frames of a neighbouring sample after the last frame, and whether they reach the root.
	 */
	PD_VEC(struct resolve_known_frame) rest;
	bool rest_is_whole;
	/** The frames are in doubt until a sample after this one has them, too. */
	bool rest_is_doubtful;
	/** The sample is the first one of a row of the tally: see resolve/batch/tally.h. */
	bool is_tallied;
	struct pd_error *err;
};

/** Thread, event, processor mode and mappings that plain samples have in common. */
struct resolve_context {
	/** Index of the event in the file. */
	uint32_t event;
	uint32_t pid;
	uint32_t tid;
	uint16_t cpumode;
	struct prof_event_id event_id;
	struct prof_thread_id thread;
	/** Mappings of the process, and of the kernel. Referenced. */
	struct parse_maps *maps;
	struct parse_maps *kernel_maps;
	/** Set by resolve_tally_count(): its number among all contexts. */
	uint32_t number;
};

/**
 * A sample that consists of a few fields of fixed size and, at the end of its record, a call chain.
 * Most are equal to an earlier one, and only counted: see resolve/batch/tally.h.
 */
struct resolve_plain {
	/** Index in resolve_batch.contexts. */
	uint32_t context;
	/** UINT32_MAX: it was not sampled. */
	uint32_t cpu;
	uint64_t ip;
	uint64_t period;
	/** Entries of the call chain. */
	uint32_t n_links;
	/** Number of items of the batch that precede it. */
	uint32_t n_before;
	/** Kept. */
	struct pd_record rec;
};

/** The stack of a sample. Frames, addresses and user addresses begin where those before end. */
struct resolve_joined_stack {
	/** Ends in resolve_joined.frames, pcs and user. */
	size_t end;
	size_t pc_end;
	size_t user_end;
	/** Number of frames at the leaf that are in the kernel, a hypervisor or a guest. */
	size_t n_system;
	enum prof_stack_origin origin;
	/** Reason why the unwind ended; PD_N_UNWIND_ENDS if the stack was not unwound. */
	enum pd_unwind_end unwind_end;
	/** Text of the rows of the sample. */
	struct prof_trace_text_id trace;
	/** Index + 1 in resolve_joined.details; 0: rows of the sample have no details. */
	size_t detail;
};

/** Stacks as frames of the profile: what the joiner leaves to the assembler. */
struct resolve_joined {
	PD_VEC(struct resolve_joined_stack) stacks;
	PD_VEC(struct prof_frame_id) frames;
	/** Process addresses of the frames, if they are requested. */
	PD_VEC(uint64_t) pcs;
	/** User parts of stacks that were unwound for prof_row.chain, if chains are requested. */
	PD_VEC(uint64_t) user;
	PD_VEC(struct prof_detail) details;
};

struct resolve_batch {
	/**
	 * RESOLVE_BATCH items, of which the first n are in use. Batches that different threads use
	 * share no cache line.
	 */
	_Alignas(PD_CACHE_LINE) struct resolve_item *items;
	size_t n;
	/** Items that were ever filled: the first ones. The others are zero, and not in memory. */
	size_t n_touched;
	/** The first n_plain of RESOLVE_BATCH_PLAIN are in use: samples that are not decoded. */
	struct resolve_plain *plain;
	size_t n_plain;
	/** RESOLVE_BATCH_CONTEXTS, of which the first n_contexts are in use. */
	struct resolve_context *contexts;
	size_t n_contexts;
	/** Bytes of the records of all samples, and how many fill the batch. */
	size_t n_bytes;
	size_t most_bytes;

	/* The following are set by resolve_tally_count(). */

	/** The row of each plain sample; RESOLVE_TALLY_NO_ROW: it is not counted. */
	uint32_t *rows;
	/** Indexes of the plain samples that are new: the first ones of their rows, or without. */
	uint16_t *fresh;
	size_t n_fresh;
	/** A table that has become full before the batch; empty if none has. */
	struct resolve_tally_table full;

	/** Set by resolve_join(). */
	struct resolve_joined joined;
};

/** Set up a batch that @p most_bytes fill. Errors: NOMEM. */
struct pd_error *resolve_batch_init(struct resolve_batch *batch, size_t most_bytes) pd_must_check;
void resolve_batch_deinit(struct resolve_batch *batch);

static inline bool resolve_batch_is_full(const struct resolve_batch *batch)
{
	return batch->n == RESOLVE_BATCH || batch->n_plain == RESOLVE_BATCH_PLAIN ||
	       batch->n_contexts == RESOLVE_BATCH_CONTEXTS || batch->n_bytes >= batch->most_bytes;
}

static inline bool resolve_batch_is_empty(const struct resolve_batch *batch)
{
	return !batch->n && !batch->n_plain;
}

/** The item to fill next, which counts after resolve_batch_push(). There must be room. */
static inline struct resolve_item *resolve_batch_next(struct resolve_batch *batch)
{
	if (batch->n_touched <= batch->n)
		batch->n_touched = batch->n + 1;
	return &batch->items[batch->n];
}

/** Add the item that was filled. */
static inline void resolve_batch_push(struct resolve_batch *batch)
{
	batch->n_bytes += batch->items[batch->n++].rec.size;
}

/** Release what @p item refers to. Its lists keep their memory. */
void resolve_item_release(struct resolve_item *item);
void resolve_item_deinit(struct resolve_item *item);

/** Event of the item. Samples without a known event have the layout of the first event. */
static inline const struct pd_event *resolve_item_event(
	const struct pd_file *file, const struct resolve_item *item)
{
	uint32_t index = item->event == PD_EVENT_UNATTRIBUTED ? 0 : item->event;

	return &file->events.list.data[index];
}

/** Where @p stack of @p joined begins: the ends of the stack before it. */
static inline struct resolve_joined_stack resolve_joined_start(
	const struct resolve_joined *joined, const struct resolve_joined_stack *stack)
{
	return stack == joined->stacks.data ? (struct resolve_joined_stack){ 0 } : stack[-1];
}

/** Release all samples. */
void resolve_batch_clear(struct resolve_batch *batch);

#endif
