/**
 * @file Turns: the batches between the thread that reads and the profile.
 *
 *     oldest ──► adding │ adding │ full │ full │ filling │ empty
 *                                         newest: the workers unwind it
 *
 * One thread fills a batch. Meanwhile, the workers unwind the newest full batch, and one of them
 * adds older ones to the profile. The newest is never added before the next one is full, so texts
 * of batches, and those that the reading thread adds, have the same order for any number of
 * workers.
 */
#ifndef PD_RESOLVE_TURNS_H
#define PD_RESOLVE_TURNS_H

#include <stdbool.h>
#include <stddef.h>

#include <pdconv/error.h>

#include "resolve/assembler.h"
#include "resolve/batch.h"
#include "resolve/frames.h"
#include "resolve/walkers.h"

enum {
	/** Batches that are added in one run. */
	RESOLVE_TURNS_RUN = 4,
	/** Those that are being added, as many full ones, and the one that is being filled. */
	RESOLVE_TURNS_BATCHES = 2 * RESOLVE_TURNS_RUN + 1,
};

struct resolve_turns {
	/** Borrowed, as are the following. */
	struct resolve_walkers *walkers;
	struct resolve_frames *frames;
	struct resolve_assembler *assembler;
	/** A worker adds batches; otherwise, the reading thread does. */
	bool adds_in_parallel;
	/**
	 * Number of full batches that wait, besides the newest, until they are added in one run.
	 * Both threads then wait less for each other. 0: unwinding or adding begins as soon as a
	 * batch is full.
	 */
	size_t run;
	/** A ring, of which the first n_batches are in use. */
	struct resolve_batch batches[RESOLVE_TURNS_BATCHES];
	size_t n_batches;
	size_t oldest;
	/** Batches that are being added, and full ones that follow them. */
	size_t n_adding;
	size_t n_full;
	/** Batch that is being filled. */
	struct resolve_batch *filling;
	/** Time of the last switch, as of pd_clock_now(). */
	double switched_at;
	/** Result of the worker that adds. */
	struct pd_error *adding_err;
};

/**
 * Set up @p turns, in which the borrowed members and adds_in_parallel are set. If samples may have
 * stacks to unwind (@p has_walks), no full batch waits. Errors: no memory.
 */
struct pd_error *resolve_turns_init(struct resolve_turns *turns, bool has_walks) pd_must_check;
/** The walkers are at rest. */
void resolve_turns_deinit(struct resolve_turns *turns);

/** Fill the next batch, because @ref filling is full. Errors: those of adding. */
struct pd_error *resolve_turns_next(struct resolve_turns *turns) pd_must_check;

/** Like resolve_turns_next(), but start on all full batches now. */
struct pd_error *resolve_turns_switch(struct resolve_turns *turns) pd_must_check;

/** Wait until the workers have nothing to do. Errors: those of unwinding and adding. */
struct pd_error *resolve_turns_wait(struct resolve_turns *turns) pd_must_check;

/**
 * Add every batch that precedes the newest full one, so that the reading thread may add to the
 * profile. Errors as above.
 */
struct pd_error *resolve_turns_catch_up(struct resolve_turns *turns) pd_must_check;

#endif
