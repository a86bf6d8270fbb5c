/**
 * @file Pipeline: the batches between the thread that reads and the profile.
 *
 *     adding ◄── counted and unwound ◄── filling
 *
 * One thread fills a batch. Meanwhile, the workers count and unwind the samples of the batch before
 * it, and one of them adds the one before that to the profile.
 */
#ifndef PD_RESOLVE_PIPELINE_H
#define PD_RESOLVE_PIPELINE_H

#include <stdbool.h>

#include <pdconv/error.h>

#include "resolve/assembler.h"
#include "resolve/batch.h"
#include "resolve/stacks/frames.h"
#include "resolve/walkers.h"

enum { RESOLVE_PIPELINE_BATCHES = 3 };

struct resolve_pipeline {
	/** Borrowed, as are the following. */
	struct resolve_walkers *walkers;
	struct resolve_frames *frames;
	struct resolve_assembler *assembler;
	struct resolve_tally *tally;
	/** A worker adds batches; otherwise, the reading thread does. */
	bool adds_in_parallel;
	struct resolve_batch batches[RESOLVE_PIPELINE_BATCHES];
	/** Those that are being added, and counted and unwound; NULL: none is. */
	struct resolve_batch *adding;
	struct resolve_batch *unwinding;
	/** Batch that is being filled. */
	struct resolve_batch *filling;
	/** Time of the last switch, as of base_clock_now(). */
	double switched_at;
	/** Result of the worker that adds. */
	struct pd_error *adding_err;
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
