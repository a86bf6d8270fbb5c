/**
 * @file Walkers, one for each worker and size of programs, and the walks of a batch.
 */
#ifndef PD_RESOLVE_WALKERS_H
#define PD_RESOLVE_WALKERS_H

#include <stdbool.h>
#include <stddef.h>

#include <pdconv/error.h>
#include <pdconv/file.h>

#include "base/pool.h"
#include "resolve/batch.h"
#include "resolve/binaries.h"
#include "resolve/frames.h"
#include "unwind/unwind.h"

struct resolve_walkers;

/**
 * Walkers for the stacks of @p file, which are of @p arch, for the workers of @p pool. All are
 * borrowed and outlive the result. Errors: no memory, and UNSUPPORTED.
 */
struct pd_error *resolve_walkers_create(const struct pd_file *file, const struct pd_arch *arch,
	const struct unw_opts *opts, struct resolve_binaries *binaries, struct pd_pool *pool,
	struct resolve_walkers **ret) pd_must_check;
void resolve_walkers_destroy(struct resolve_walkers *walkers);

/** How many there are: resolve_item.walker is less. */
size_t resolve_walkers_n(const struct resolve_walkers *walkers);

/**
 * Whether @p sample, of a machine of @p arch, has a user stack that can be walked. NULL: it has
 * not.
 */
bool resolve_walkers_can_walk(const struct pd_arch *arch, const struct pd_sample *sample);

/**
 * What to walk of @p item, a sample of @p file; the address space is still missing. Borrows from
 * both.
 */
struct unw_input resolve_walk_input(const struct resolve_item *item);

/**
 * Begin to walk the items of @p batch, which must not change before resolve_walkers_finish, nor may
 * the binaries that they are in. One batch at a time.
 */
void resolve_walkers_start(struct resolve_walkers *walkers, struct resolve_batch *batch);
/**
 * All walks that were begun are done: resolve_item.stack, or err, and walker. @p frames learns what
 * they found. Errors: no memory.
 */
struct pd_error *resolve_walkers_finish(
	struct resolve_walkers *walkers, struct resolve_frames *frames) pd_must_check;

#endif
