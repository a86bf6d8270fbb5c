/**
 * @file Thread pool that runs a function for each of a number of items. Its threads belong to the
 * operation of the thread that creates it: see base/cancel.h.
 */
#ifndef PD_BASE_POOL_H
#define PD_BASE_POOL_H

#include <stddef.h>

#include <pdconv/error.h>

struct base_pool;

/**
 * Process item @p item as worker @p worker (0 to n_workers - 1). Calls with the same worker never
 * overlap, so each worker may have its own state.
 */
typedef void base_pool_fn(void *ctx, size_t worker, size_t item);

/** Create a pool. @p n_workers includes the calling thread; 0 means one per available processor. */
struct pd_error *base_pool_create(size_t n_workers, struct base_pool **ret) pd_must_check;
/** Like base_pool_create(), but with @p most workers at most, 1 or more. */
struct pd_error *base_pool_create_up_to(
	size_t n_workers, size_t most, struct base_pool **ret) pd_must_check;
void base_pool_destroy(struct base_pool *pool);

size_t base_pool_n_workers(const struct base_pool *pool);

/**
 * Let the other workers start on items 0 to @p n_items - 1, in any order. base_pool_finish() must
 * be called before the next start.
 */
void base_pool_start(struct base_pool *pool, size_t n_items, base_pool_fn *fn, void *ctx);
/** Process the items that no worker has taken yet, and return when all are done. */
void base_pool_finish(struct base_pool *pool);

/** Process all items: base_pool_start() and base_pool_finish() in one call. */
void base_pool_run(struct base_pool *pool, size_t n_items, base_pool_fn *fn, void *ctx);

#endif
