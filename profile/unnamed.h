/**
 * @file Statistics of frames without a name, by reason.
 */
#ifndef PD_PROFILE_UNNAMED_H
#define PD_PROFILE_UNNAMED_H

#include <stdint.h>
#include <stdio.h>

#include <pdconv/error.h>

#include "profile/profile.h"
#include "profile/unnamed_defs.h"

enum prof_unnamed_why {
#define PROF_UNNAMED_ENUM(name, ...) PROF_UNNAMED_##name,
	PROF_UNNAMED(PROF_UNNAMED_ENUM)
#undef PROF_UNNAMED_ENUM
		PROF_N_UNNAMED,
};

/**
 * Numbers of frames in the stacks of all samples: a frame in the stacks of ten samples counts ten
 * times.
 */
struct prof_unnamed {
	uint64_t n_frames;
	uint64_t n[PROF_N_UNNAMED];
	/** Samples with a frame that has no name, by reason. */
	uint64_t samples[PROF_N_UNNAMED];
	/** Frames without a name, indexed by binary id. */
	PD_VEC(uint64_t) by_binary;
	/** Files and kernels that have frames, but no frame with a name. */
	size_t n_bare_binaries;
};

/** Count the frames of @p profile, whose frames have been named. Errors: no memory. */
struct pd_error *prof_unnamed_count(
	const struct profile *profile, struct prof_unnamed *ret) pd_must_check;
void prof_unnamed_deinit(struct prof_unnamed *unnamed);

/**
 * Whether @p binary is the vdso of another machine and has less than 1 % of the frames: nothing can
 * be done about its names, and they do not matter.
 */
bool prof_unnamed_is_cold_vdso(
	const struct profile *profile, const struct prof_unnamed *unnamed, size_t binary);

/** Number of frames without a name, for whatever reason. */
uint64_t prof_unnamed_sum(const struct prof_unnamed *unnamed);

/** Name of a reason in lower case: "no_file". Static storage. */
const char *prof_unnamed_key(enum prof_unnamed_why why);
/** Description of a reason: "binary not found". Static storage. */
const char *prof_unnamed_text(enum prof_unnamed_why why);

/** Write the share of each reason and the binaries with most unnamed frames to @p out. */
void prof_unnamed_write(
	const struct profile *profile, const struct prof_unnamed *unnamed, FILE *out);

#endif
