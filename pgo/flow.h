/**
 * @file Flow: which branches of each binary were taken, and which code ran between them.
 *
 * Optimizers take such counts by virtual address. They come from the branch stacks of a profile, or
 * from its samples if it has none.
 */
#ifndef PD_PGO_FLOW_H
#define PD_PGO_FLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/error.h>
#include <pdconv/vec.h>

#include "base/containers/intern.h"
#include "profile/profile.h"

/** Stands for the address of an end of a branch that is in other code. */
#define PGO_ELSEWHERE UINT64_MAX

/** A branch that was taken. At least one end is in the image. */
struct pgo_branch {
	uint64_t from;
	uint64_t to;
	uint64_t n;
	uint64_t mispredicted;
	/** A frame at each end. */
	struct prof_frame_id from_frame;
	struct prof_frame_id to_frame;
};

/** Code that ran from its first instruction to its last one, a branch that was taken. */
struct pgo_run {
	uint64_t start;
	uint64_t last;
	/** The branch to the first instruction is in another function. */
	bool is_entry;
	uint64_t n;
};

/** Samples at an instruction. */
struct pgo_hit {
	uint64_t addr;
	uint64_t n;
};

/** Code with one location: addresses from start up to, but not including, end. */
struct pgo_code {
	uint64_t start;
	uint64_t end;
	struct prof_code_id id;
};

/** Runs that cannot be: the branch stack was damaged, or is of code that changed meanwhile. */
struct pgo_misfits {
	/** They end before they start. */
	uint64_t n_inverted;
	/** They are longer than a run is likely to be. */
	uint64_t n_overlong;
	/** They end in another binary, or where nothing is mapped. */
	uint64_t n_outside;
};

/** The flow of a binary. Lists are sorted, and their elements differ by more than counts. */
struct pgo_image {
	/** One of the binaries of the profile with this build id. */
	struct prof_binary_id binary;
	PD_VEC(struct pgo_branch) branches;
	PD_VEC(struct pgo_run) runs;
	PD_VEC(struct pgo_hit) hits;
	/** Where the misfits start. */
	PD_VEC(struct pgo_hit) unfit;
	/** Code of its functions without overlaps, if the profile has it. */
	PD_VEC(struct pgo_code) code;
	struct pgo_misfits misfits;
	/** Branches after which no run is known: the newest one of each branch stack. */
	uint64_t n_newest;
};

/** Counts that no image has. */
struct pgo_left_out {
	/** Branches that lead to no image, and samples in none. */
	uint64_t n_branches;
	uint64_t n_hits;
	/** Branches out of the kernel to user code, which goes on where it was interrupted. */
	uint64_t n_kernel_exits;
};

struct pgo_flow {
	const struct profile *profile;
	/** File names without suffix, by image: "nested.1f2e3d". */
	struct base_intern names;
	PD_VEC(struct pgo_image) images;
	/** Index of the image by binary; PROF_NONE: it has none. */
	uint32_t *image_of;
	/** There are branch stacks, and no hits. */
	bool has_branches;
	struct pgo_left_out left_out;
};

/**
 * Collect the flow of @p profile, which is borrowed. Samples are those of @p event, if that is any.
 * Binaries with one build id and one file name are one image. Without their file, of generated code
 * and of what is not a file, there is none. Must be freed after an error, too. Errors: NOMEM.
 */
struct pd_error *pgo_flow_create(const struct profile *profile, struct prof_event_id event,
	struct pgo_flow *ret) pd_must_check;
void pgo_flow_deinit(struct pgo_flow *flow);

/** Return the image that a frame is in; PROF_NONE: it is in none. */
uint32_t pgo_image_at(const struct pgo_flow *flow, struct prof_frame_id id);

/** Return the name of image @p i, borrowed. */
const char *pgo_image_name(const struct pgo_flow *flow, size_t i);

#endif
