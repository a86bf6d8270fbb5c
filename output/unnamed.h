/**
 * @file Frames without a name, and why.
 */
#ifndef PD_OUTPUT_UNNAMED_H
#define PD_OUTPUT_UNNAMED_H

#include <stdint.h>
#include <stdio.h>

#include <pdconv/error.h>

#include "output/profile.h"
#include "output/unnamed_defs.h"

enum out_unnamed_why {
#define OUT_UNNAMED_ENUM(name, text, advice) OUT_UNNAMED_##name,
	OUT_UNNAMED(OUT_UNNAMED_ENUM)
#undef OUT_UNNAMED_ENUM
		OUT_N_UNNAMED,
};

/** Frames of all samples: one that is in the stacks of ten samples is ten. */
struct out_unnamed {
	uint64_t n_frames;
	uint64_t n[OUT_N_UNNAMED];
	/** Of those, by binary: as many as the profile has. */
	PD_VEC(uint64_t) by_binary;
};

/** Count the frames of @p profile, which has been named. Errors: no memory. */
struct pd_error *out_unnamed_count(
	const struct profile *profile, struct out_unnamed *ret) pd_must_check;
void out_unnamed_deinit(struct out_unnamed *unnamed);

/** For people: the share of each reason, and the binaries with most. */
void out_unnamed_write(
	const struct profile *profile, const struct out_unnamed *unnamed, FILE *out);

#endif
