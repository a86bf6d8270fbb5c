/**
 * @file Walkers: unwind the stacks of a batch, with one walker for each worker and word size.
 */
#ifndef PD_RESOLVE_WALKERS_H
#define PD_RESOLVE_WALKERS_H

#include <stdbool.h>
#include <stddef.h>

#include <pdconv/error.h>
#include <pdconv/file.h>

#include "resolve/batch/batch.h"
#include "resolve/binaries/binaries.h"
#include "resolve/stacks/frames.h"
#include "resolve/stacks/sample_walk.h"

struct resolve_walkers;

/**
 * Create walkers of @p n_workers workers for stacks of @p arch. Arguments are borrowed and outlive
 * the result. Errors: NOMEM, UNSUPPORTED.
 */
struct pd_error *resolve_walkers_create(const struct pd_arch *arch, const struct unw_opts *opts,
	struct resolve_binaries *binaries, size_t n_workers,
	struct resolve_walkers **ret) pd_must_check;
void resolve_walkers_destroy(struct resolve_walkers *walkers);

/** Return the number of walkers. resolve_item.walker is less than that. */
size_t resolve_walkers_n(const struct resolve_walkers *walkers);

/** Set up the unwinding of @p batch. Returns whether any of its items has a stack. */
bool resolve_walkers_begin(struct resolve_walkers *walkers, struct resolve_batch *batch);
/**
 * Unwind stacks of the batch as worker @p worker, until none is left that no worker has begun. This
 * sets stack (or err) and walker of the items. Neither the items nor their binaries may change
 * meanwhile.
 */
void resolve_walkers_walk(struct resolve_walkers *walkers, size_t worker);
/**
 * All workers have returned: let @p frames learn the frames that were found. Errors: NOMEM, and the
 * first one of the items.
 */
struct pd_error *resolve_walkers_learn(
	struct resolve_walkers *walkers, struct resolve_frames *frames) pd_must_check;

#endif
