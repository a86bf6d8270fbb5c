/**
 * @file Walkers, one for each worker and size of programs, and the walks of a batch.
 */
#ifndef PD_OUTPUT_WALKERS_H
#define PD_OUTPUT_WALKERS_H

#include <stdbool.h>
#include <stddef.h>

#include <pdconv/error.h>
#include <pdconv/file.h>

#include "base/pool.h"
#include "output/batch.h"
#include "output/binaries.h"
#include "output/chain.h"
#include "unwind/unwind.h"

struct out_walkers;

/**
 * Walkers for the stacks of @p file, which are of @p arch, for the workers of @p pool. All are
 * borrowed and outlive the result. Errors: no memory, and UNSUPPORTED.
 */
struct pd_error *out_walkers_create(const struct pd_file *file, const struct pd_arch *arch,
	const struct unw_opts *opts, struct out_binaries *binaries, struct pd_pool *pool,
	struct out_walkers **ret) pd_must_check;
void out_walkers_destroy(struct out_walkers *walkers);

/** How many there are: out_item.walker is less. */
size_t out_walkers_n(const struct out_walkers *walkers);

/**
 * Whether @p sample, of a machine of @p arch, has a user stack that can be walked. NULL: it has
 * not.
 */
bool out_walkers_can_walk(const struct pd_arch *arch, const struct pd_sample *sample);

/** What to walk of @p item, a sample of @p file; the address space is still missing. Borrows from both. */
struct unw_input out_walk_input(const struct pd_file *file, const struct out_item *item);

/**
 * Begin to walk the items of @p batch, which must not change before out_walkers_finish, nor may the
 * binaries that they are in. One batch at a time.
 */
void out_walkers_start(struct out_walkers *walkers, struct out_batch *batch);
/**
 * All walks that were begun are done: out_item.stack, or err, and walker. @p frames learns what they
 * found. Errors: no memory.
 */
struct pd_error *out_walkers_finish(
	struct out_walkers *walkers, struct out_frames *frames) pd_must_check;

#endif
