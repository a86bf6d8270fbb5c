/**
 * @file Worker threads that share out numbered pieces of work.
 */
#ifndef PD_BASE_POOL_H
#define PD_BASE_POOL_H

#include <stddef.h>

#include <pdconv/error.h>

struct pd_pool;

/**
 * Does piece @p item on behalf of worker @p worker (0 to n_workers - 1): two pieces of one worker
 * never run at the same time, so a worker may have state of its own.
 */
typedef void pd_pool_fn(void *ctx, size_t worker, size_t item);

/** @p n_workers counts the calling thread; 0 means one for each processor of this machine. */
struct pd_error *pd_pool_create(size_t n_workers, struct pd_pool **ret) pd_must_check;
void pd_pool_destroy(struct pd_pool *pool);

size_t pd_pool_n_workers(const struct pd_pool *pool);

/**
 * Let the other workers begin with the pieces 0 to @p n_items - 1, in any order. One such job at a
 * time: pd_pool_finish comes before the next.
 */
void pd_pool_start(struct pd_pool *pool, size_t n_items, pd_pool_fn *fn, void *ctx);
/** Do those pieces that nobody has taken, and return when all are done. */
void pd_pool_finish(struct pd_pool *pool);

/** Both in one. */
void pd_pool_run(struct pd_pool *pool, size_t n_items, pd_pool_fn *fn, void *ctx);

#endif
