/**
 * @file Pipeline: the batches between the thread that reads and the profile.
 *
 *     fill ──► count ──► walk ──► learn ──► join ──► add
 *
 * The thread that reads fills batches, each of which passes all stages, one after the other. A
 * stage takes batches in the order of the recording, one at a time, so what it changes has one
 * writer:
 *
 *     count   rows of the tally                 walk    the walkers' frames, all threads at once
 *     learn   a copy of these frames            join    binaries and frames of the profile
 *     add     stacks, tags, samples and rows of the profile
 *
 * Workers take whatever stage has a batch and is idle, and so does the thread that reads when no
 * batch is left to fill. While frames are learnt, nothing is unwound, because a walker may forget
 * them, and nothing is joined.
 */
#ifndef PD_RESOLVE_PIPELINE_H
#define PD_RESOLVE_PIPELINE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include <pdconv/error.h>

#include "base/pool.h"
#include "resolve/batch/assembler.h"
#include "resolve/batch/batch.h"
#include "resolve/batch/joiner.h"
#include "resolve/stacks/frames.h"
#include "resolve/batch/tally.h"
#include "resolve/batch/walkers.h"

enum resolve_stage {
	RESOLVE_COUNT,
	RESOLVE_WALK,
	RESOLVE_LEARN,
	RESOLVE_JOIN,
	RESOLVE_ADD,
	RESOLVE_N_STAGES,
};

enum { RESOLVE_PIPELINE_BATCHES = 4 };

struct resolve_pipeline {
	/** Borrowed, as are the following. */
	struct base_pool *pool;
	struct resolve_walkers *walkers;
	struct resolve_frames *frames;
	struct resolve_joiner *joiner;
	struct resolve_assembler *assembler;
	struct resolve_tally *tally;
	/** See resolve_assembler_is_independent(). */
	bool is_independent;
	/** Bytes of records that fill a batch. */
	size_t most_bytes;
	/** Batch that is being filled. */
	struct resolve_batch *filling;
	/** Time of the last switch, as of base_clock_now(). */
	double switched_at;

	/* The following are private. */

	struct resolve_batch batches[RESOLVE_PIPELINE_BATCHES];
	bool is_set_up;
	/** Guards all that follows. */
	pthread_mutex_t lock;
	/** For idle workers, and for the thread that reads. */
	pthread_cond_t has_work;
	pthread_cond_t has_changed;
	size_t n_idle;
	/** Batch i, in the order of the recording, is queue[i % RESOLVE_PIPELINE_BATCHES]. */
	struct resolve_batch *queue[RESOLVE_PIPELINE_BATCHES];
	size_t n_filled;
	/** Batches that have passed each stage, and threads that are busy in it. */
	size_t n_passed[RESOLVE_N_STAGES];
	size_t n_busy[RESOLVE_N_STAGES];
	/** More threads may walk. */
	bool has_walks;
	/** Batches to fill. The one that was used last is taken first. */
	struct resolve_batch *free[RESOLVE_PIPELINE_BATCHES];
	size_t n_free;
	/** The error of the oldest batch, and its number. No stage begins after one. */
	struct pd_error *err;
	size_t err_batch;
	bool has_failed;
	bool is_ending;
};

/** Set up @p pipeline, in which all members that are not private are set. Errors: NOMEM. */
struct pd_error *resolve_pipeline_init(struct resolve_pipeline *pipeline) pd_must_check;
/** Batches that have not passed all stages are dropped. */
void resolve_pipeline_deinit(struct resolve_pipeline *pipeline);

/** Fill the next batch, and pass on what is full. Errors: those of the stages. */
struct pd_error *resolve_pipeline_switch(struct resolve_pipeline *pipeline) pd_must_check;

/** Wait until no worker has anything to do. Errors: those of the stages. */
struct pd_error *resolve_pipeline_wait(struct resolve_pipeline *pipeline) pd_must_check;

/** No batch follows the one that is being filled: add all. Errors: those of the stages. */
struct pd_error *resolve_pipeline_end(struct resolve_pipeline *pipeline) pd_must_check;

#endif
