/**
 * @file Joiner: joins kernel part and user part of each sample to one stack, whose frames it adds
 * to the profile. Stacks and samples are added by the assembler.
 *
 * The joiner changes binaries, frames and edges of the profile, and texts and details of rows, and
 * the assembler everything else. So one may work on a batch while the other works on the batch
 * before it.
 */
#ifndef PD_RESOLVE_JOINER_H
#define PD_RESOLVE_JOINER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/error.h>
#include <pdconv/file.h>
#include <pdconv/vec.h>

#include "parse/open_file.h"
#include "profile/ahead.h"
#include "profile/profile.h"
#include "resolve/batch/batch.h"
#include "resolve/batch/resolve_opts.h"
#include "resolve/stacks/frames.h"
#include "resolve/stacks/stack.h"
#include "resolve/batch/stitcher.h"
#include "resolve/batch/traces.h"

struct resolve_joiner {
	/** All borrowed. */
	const struct pd_file *file;
	const struct resolve_opts *opts;
	struct profile *profile;
	struct resolve_frames *frames;
	/** Evidence of complete stacks for the stitcher. */
	struct resolve_witness *witness;
	/** Only the witness is wanted, and nothing is added to the profile. */
	bool is_survey;
	/** Created on first use. Owned. */
	struct resolve_stitcher *stitcher;
	/** Number of branch records of the processor; UINT64_MAX before it is looked up. */
	uint64_t lbr_depth;
	/** Samples that are joined next, and the items of those that are plain. */
	struct resolve_item *group[PROF_GROUP];
	size_t n;
	struct resolve_item plain_items[PROF_GROUP];
	/** Where their stacks go, and its frames before them. */
	struct resolve_joined *to;
	size_t first_frame;
	/** Parts of the current stack, and where its user part begins. */
	struct resolve_stack stack;
	size_t user_start;
	/** All frames are to be added from @ref prepared, when their group is complete. */
	bool is_preparing;
	PD_VEC(struct resolve_prepared_frame) prepared;
	/** Texts of tracepoints. */
	struct resolve_traces traces;
	/** Statistics that the profile gets at the end. */
	uint64_t n_frames;
	uint64_t n_fp_frames;
	uint64_t n_stitched;
};

void resolve_joiner_deinit(struct resolve_joiner *joiner);

/**
 * Set batch->joined to the stacks of all samples of @p batch that are not counted, in the order in
 * which the assembler adds them. Errors: NOMEM.
 */
struct pd_error *resolve_join(
	struct resolve_joiner *joiner, struct resolve_batch *batch) pd_must_check;

/** No batch follows: complete the statistics. */
void resolve_joiner_end(struct resolve_joiner *joiner);

#endif
