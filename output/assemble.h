/**
 * @file From walked items to samples of the profile: kernel part and user part joined into one stack.
 */
#ifndef PD_OUTPUT_ASSEMBLE_H
#define PD_OUTPUT_ASSEMBLE_H

#include <pdconv/error.h>
#include <pdconv/file.h>
#include <pdconv/vec.h>

#include "output/batch.h"
#include "output/build.h"
#include "parse/callchain.h"
#include "output/chain.h"
#include "output/profile.h"
#include "output/source.h"
#include "output/stitch.h"

struct out_assembler {
	/** All borrowed. */
	const struct pd_file *file;
	const struct out_opts *opts;
	struct profile *profile;
	struct out_source *source;
	struct out_frames *frames;
	/** Made when it is needed; not borrowed. */
	struct out_stitcher *stitcher;
	/** Of branch records; UINT64_MAX before it is asked for. */
	uint64_t lbr_depth;
	/** Of the sample at hand, as it was recorded. */
	struct pd_callchain links;
	/** Of the stack that is being put together: frame numbers, and process addresses if wanted. */
	PD_VEC(uint32_t) chain;
	PD_VEC(uint64_t) pcs;
	/** The same of its user part, if that was unwound and is wanted: see struct prof_row. */
	PD_VEC(uint64_t) user;
};

void out_assembler_deinit(struct out_assembler *assembler);

/** Enter the items of @p batch, in their order. Errors: no memory. */
struct pd_error *out_assemble(
	struct out_assembler *assembler, struct out_batch *batch) pd_must_check;

#endif
