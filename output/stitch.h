/**
 * @file Completing stacks that were cut, from the stack of the same thread a moment before or after.
 *
 * A frame is the same activation of a function if its address and its stack pointer are the same;
 * so, likely, are its callers. It is likely, not certain: the thread may have returned and come again
 * to the same depth on another way. So it is done on demand only, and the place is marked.
 *
 * Of calls in branch records, a call is the same if its place and its target are the same.
 */
#ifndef PD_OUTPUT_STITCH_H
#define PD_OUTPUT_STITCH_H

#include <pdconv/error.h>
#include <pdconv/file.h>

#include "output/batch.h"
#include "output/chain.h"

/** Remembers the last stack of each thread. */
struct out_stitcher;

/** @p file and @p frames are borrowed. */
struct pd_error *out_stitcher_create(const struct pd_file *file, struct out_frames *frames,
	struct out_stitcher **ret) pd_must_check;
void out_stitcher_destroy(struct out_stitcher *stitcher);

/**
 * Find out_item.rest of the items of @p batch that were cut: among the samples before them, of this
 * batch and those before it, or else after them in this batch. Errors: no memory.
 */
struct pd_error *out_stitch(struct out_stitcher *stitcher, struct out_batch *batch) pd_must_check;

#endif
