/**
 * @file From walked items to samples of the profile: kernel part and user part joined into one
 * stack.
 */
#ifndef PD_RESOLVE_ASSEMBLER_H
#define PD_RESOLVE_ASSEMBLER_H

#include <pdconv/error.h>
#include <pdconv/file.h>
#include <pdconv/vec.h>

#include "resolve/batch.h"
#include "resolve/resolve.h"
#include "parse/callchain.h"
#include "resolve/frames.h"
#include "profile/profile.h"
#include "resolve/source.h"
#include "resolve/stitcher.h"

struct resolve_assembler {
	/** All borrowed. */
	const struct pd_file *file;
	const struct resolve_opts *opts;
	struct profile *profile;
	struct resolve_source *source;
	struct resolve_frames *frames;
	/** Made when it is needed; not borrowed. */
	struct resolve_stitcher *stitcher;
	/** Of branch records; UINT64_MAX before it is asked for. */
	uint64_t lbr_depth;
	/** Of the sample at hand, as it was recorded. */
	struct pd_callchain links;
	/**
	 * Of the stack that is being put together: frame numbers, and process addresses if wanted.
	 */
	PD_VEC(struct prof_frame_id) chain;
	PD_VEC(uint64_t) pcs;
	/** The same of its user part, if that was unwound and is wanted: see struct prof_row. */
	PD_VEC(uint64_t) user;
};

void resolve_assembler_deinit(struct resolve_assembler *assembler);

/** Enter the items of @p batch, in their order. Errors: no memory. */
struct pd_error *resolve_assemble(
	struct resolve_assembler *assembler, struct resolve_batch *batch) pd_must_check;

#endif
