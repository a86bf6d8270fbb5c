/**
 * @file Completing stacks that were cut, from the stack of the same thread a moment before or
 * after.
 *
 * A frame is the same activation of a function if its address and its stack pointer are the same;
 * so, likely, are its callers. It is likely, not certain: the thread may have returned and come
 * again to the same depth on another way. So it is done on demand only, and the place is marked.
 *
 * Of calls in branch records, a call is the same if its place and its target are the same.
 */
#ifndef PD_RESOLVE_STITCHER_H
#define PD_RESOLVE_STITCHER_H

#include <pdconv/error.h>
#include <pdconv/file.h>

#include "resolve/batch.h"
#include "resolve/frames.h"

/** Remembers the last stack of each thread. */
struct resolve_stitcher;

/** @p file and @p frames are borrowed. */
struct pd_error *resolve_stitcher_create(const struct pd_file *file, struct resolve_frames *frames,
	struct resolve_stitcher **ret) pd_must_check;
void resolve_stitcher_destroy(struct resolve_stitcher *stitcher);

/**
 * Find resolve_item.rest of the items of @p batch that were cut: among the samples before them, of
 * this batch and those before it, or else after them in this batch. Errors: no memory.
 */
struct pd_error *resolve_stitch(
	struct resolve_stitcher *stitcher, struct resolve_batch *batch) pd_must_check;

#endif
