/**
 * @file Memory of the BPF program for pages of tables (bpf/maps.h): slabs that the recorder maps,
 * so that it writes tables without system calls.
 *
 * A slab is added to a map of maps. The program sees it at once, but the call takes 20 ms, because
 * the kernel waits for all programs that run. So a separate thread makes the call.
 */
#ifndef PD_CAPTURE_BPF_TABLE_POOL_H
#define PD_CAPTURE_BPF_TABLE_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/error.h>

#include "bpf/maps.h"

struct cap_pool;

/** Number of slabs for @p bytes of pages. */
size_t cap_pool_slabs(uint64_t bytes);

/**
 * Create a pool of @p bytes, at most, whose slabs are added to the map @p slabs. Pages exist once
 * they are reserved. Errors: NOMEM, OS.
 */
struct pd_error *cap_pool_create(int slabs, uint64_t bytes, struct cap_pool **ret) pd_must_check;
void cap_pool_destroy(struct cap_pool *pool);

/** Number of pages that may be in use at the same time. */
size_t cap_pool_capacity(const struct cap_pool *pool);

/**
 * Add slabs until @p n pages are free, or all slabs exist. May be called on any thread. Without
 * memory for them, fewer are free.
 */
void cap_pool_reserve(struct cap_pool *pool, size_t n);

/** Take @p n pages. Returns false if fewer are free. */
bool cap_pool_take(struct cap_pool *pool, size_t n, uint32_t *numbers_ret);
union bw_page *cap_pool_page(const struct cap_pool *pool, uint32_t number);

/**
 * Return pages to which no table refers any more. A program that runs may still read them, so they
 * are free after the next cap_pool_settle() only. Without memory to note them, they are lost.
 */
void cap_pool_return(struct cap_pool *pool, const uint32_t *numbers, size_t n);
/** Wait for all programs that run, which takes 20 ms, and free the pages that were returned. */
void cap_pool_settle(struct cap_pool *pool);

#endif
