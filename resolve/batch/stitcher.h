/**
 * @file Stitcher: completes truncated stacks from other stacks of the same thread shortly before or
 * after.
 *
 * Two frames are assumed to be the same activation of a function if their return address and stack
 * pointer are the same, and then their callers are the same, too. This is likely but not certain:
 * the thread may have returned and reached the same depth through other calls. So stitching is
 * optional, and the join is marked. It is refused if complete stacks of the recording have other
 * callers, or such that change too often: see resolve/batch/witness.h.
 *
 * A stack can also end at a leaf: a signal handler on an alternate stack interrupted it, or its
 * frame is larger than the captured part. Its return address is not known then, only its function
 * and its caller's stack pointer. Other calls lead to the same two more often, so such a stack is
 * completed only if both the stack before and the stack after it have that frame, and agree on all
 * callers.
 *
 * Calls in branch records are the same if both their address and their target are the same.
 */
#ifndef PD_RESOLVE_STITCHER_H
#define PD_RESOLVE_STITCHER_H

#include <pdconv/error.h>
#include <pdconv/file.h>

#include "resolve/batch/batch.h"
#include "resolve/stacks/frames.h"
#include "resolve/batch/witness.h"

/** Remembers the last stack of each thread. */
struct resolve_stitcher;

/** @p file, @p frames and @p witness are borrowed. */
struct pd_error *resolve_stitcher_create(const struct pd_file *file, struct resolve_frames *frames,
	struct resolve_witness *witness, struct resolve_stitcher **ret) pd_must_check;
void resolve_stitcher_destroy(struct resolve_stitcher *stitcher);

/**
 * Set resolve_item.rest of truncated items of @p batch: from samples before them in this or earlier
 * batches, or else from samples after them in this batch. An item that ends at a leaf needs both.
 * Errors: NOMEM.
 */
struct pd_error *resolve_stitch(
	struct resolve_stitcher *stitcher, struct resolve_batch *batch) pd_must_check;

/** Only add the complete stacks of @p batch to the witness. Errors: NOMEM. */
struct pd_error *resolve_stitcher_survey(
	struct resolve_stitcher *stitcher, struct resolve_batch *batch) pd_must_check;

#endif
