/**
 * @file Walkers: unwind the stacks of a batch, with one walker for each worker and word size.
 */
#ifndef PD_RESOLVE_WALKERS_H
#define PD_RESOLVE_WALKERS_H

#include <stdbool.h>
#include <stddef.h>

#include <pdconv/error.h>
#include <pdconv/file.h>

#include "base/pool.h"
#include "resolve/batch.h"
#include "resolve/binaries/binaries.h"
#include "resolve/stacks/frames.h"
#include "resolve/stacks/sample_walk.h"

struct resolve_walkers;

/**
 * Create walkers for stacks of @p arch, those of each worker of @p pool. Arguments are borrowed and
 * outlive the result. Errors: NOMEM, UNSUPPORTED.
 */
struct pd_error *resolve_walkers_create(const struct pd_arch *arch, const struct unw_opts *opts,
	struct resolve_binaries *binaries, struct base_pool *pool,
	struct resolve_walkers **ret) pd_must_check;
void resolve_walkers_destroy(struct resolve_walkers *walkers);

/** Return the number of walkers. resolve_item.walker is less than that. */
size_t resolve_walkers_n(const struct resolve_walkers *walkers);

/** Other work for workers. */
struct resolve_task {
	void (*fn)(void *ctx);
	void *ctx;
};

enum { RESOLVE_MAX_TASKS = 3 };

/**
 * Start on @p n_tasks tasks, at most RESOLVE_MAX_TASKS, and to unwind the items of @p batch.
 * Neither the items nor their binaries may change before resolve_walkers_finish(). One batch at a
 * time.
 */
void resolve_walkers_start(struct resolve_walkers *walkers, struct resolve_batch *batch,
	const struct resolve_task *tasks, size_t n_tasks);
/**
 * Wait until the tasks and all unwinds have ended, which sets stack (or err) and walker of the
 * items. @p frames learns the frames that were found. Errors: NOMEM.
 */
struct pd_error *resolve_walkers_finish(
	struct resolve_walkers *walkers, struct resolve_frames *frames) pd_must_check;

#endif
