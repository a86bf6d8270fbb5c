/**
 * @file Pipeline: the batches between the thread that reads and the profile.
 *
 *     adding ◄── joining ◄── counting, unwinding ◄── filling
 *
 * One thread fills a batch. Meanwhile, the workers count and unwind the samples of the batch before
 * it, one of them joins the stacks of the batch before that, and one adds the samples of the oldest
 * batch to the profile.
 */
#ifndef PD_RESOLVE_PIPELINE_H
#define PD_RESOLVE_PIPELINE_H

#include <stdbool.h>

#include <pdconv/error.h>

#include "resolve/assembler.h"
#include "resolve/batch.h"
#include "resolve/joiner.h"
#include "resolve/stacks/frames.h"
#include "resolve/walkers.h"

enum { RESOLVE_PIPELINE_BATCHES = 4 };

struct resolve_pipeline {
	/** Borrowed, as are the following. */
	struct resolve_walkers *walkers;
	struct resolve_frames *frames;
	struct resolve_joiner *joiner;
	struct resolve_assembler *assembler;
	struct resolve_tally *tally;
	/** Workers join and add batches; otherwise, the reading thread does both at once. */
	bool adds_in_parallel;
	struct resolve_batch batches[RESOLVE_PIPELINE_BATCHES];
	/** Those that are being added, joined, and counted and unwound; NULL: none is. */
	struct resolve_batch *adding;
	struct resolve_batch *joining;
	struct resolve_batch *unwinding;
	/** Batch that is being filled. */
	struct resolve_batch *filling;
	/** Time of the last switch, as of base_clock_now(). */
	double switched_at;
	/** Results of the workers that add and join. */
	struct pd_error *adding_err;
	struct pd_error *joining_err;
};

/**
 * Set up @p pipeline, in which the borrowed members and adds_in_parallel are set. Errors: NOMEM.
 */
struct pd_error *resolve_pipeline_init(struct resolve_pipeline *pipeline) pd_must_check;
/** The walkers are at rest. */
void resolve_pipeline_deinit(struct resolve_pipeline *pipeline);

/** Fill the next batch, and start on what is full. Errors: those of unwinding and adding. */
struct pd_error *resolve_pipeline_switch(struct resolve_pipeline *pipeline) pd_must_check;

/** Wait until the workers have nothing to do. Errors: those of unwinding and adding. */
struct pd_error *resolve_pipeline_wait(struct resolve_pipeline *pipeline) pd_must_check;

#endif
