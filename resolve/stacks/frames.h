/**
 * @file Frames: converts call chains of samples to frames of a profile.
 *
 * The kernel part and recorded user parts are entries of PERF_SAMPLE_CALLCHAIN, unwound user parts
 * are frames of a walker. Each address is looked up in the mappings once and then cached.
 */
#ifndef PD_RESOLVE_STACKS_FRAMES_H
#define PD_RESOLVE_STACKS_FRAMES_H

#include <pdconv/error.h>

#include "resolve/binaries/binaries.h"
#include "parse/callchain.h"
#include "profile/profile.h"

struct resolve_frames;

/**
 * Create frames of @p profile for @p n_walkers walkers. Arguments are borrowed and outlive the
 * result.
 */
struct pd_error *resolve_frames_create(struct profile *profile, struct resolve_binaries *binaries,
	size_t n_walkers, struct resolve_frames **ret) pd_must_check;
void resolve_frames_destroy(struct resolve_frames *frames);

/**
 * Complete the binaries of the profile with names and address ranges, after all frames were added
 * and all unwinds ended. Errors: NOMEM.
 */
struct pd_error *resolve_frames_finish(struct resolve_frames *frames) pd_must_check;

/**
 * Add the frame of the call chain entry @p link, which is looked up in @p maps. @p flags:
 * PROF_FRAME_JOINED or 0.
 */
struct pd_error *resolve_frames_at(struct resolve_frames *frames, const struct parse_maps *maps,
	const struct parse_callchain_link *link, uint32_t flags,
	struct prof_frame_id *ret) pd_must_check;

/** A frame to be added with others. Private. */
struct resolve_prepared_frame {
	/** Arguments of resolve_frames_at(). Borrowed. */
	const struct parse_maps *maps;
	struct parse_callchain_link link;
	uint32_t flags;
	/** Nothing is mapped at the address. */
	bool is_unknown;
	/** It has no place in the cache of frames. */
	bool is_uncached;
	/** The frame of the profile if it is known, else it is to be added. */
	struct prof_frame_id known;
	uint32_t hash;
	struct prof_frame frame;
};

/**
 * Start to load what resolve_frames_at() looks at first. @p ret is for
 * resolve_frames_add_prepared(), and borrows @p maps.
 */
void resolve_frames_prepare(struct resolve_frames *frames, const struct parse_maps *maps,
	const struct parse_callchain_link *link, uint32_t flags,
	struct resolve_prepared_frame *ret);
/**
 * Add @p n prepared frames in their order, like resolve_frames_at(), with overlapping cache misses.
 * @p ret has room for their ids.
 */
struct pd_error *resolve_frames_add_prepared(struct resolve_frames *frames,
	struct resolve_prepared_frame *prepared, size_t n, struct prof_frame_id *ret) pd_must_check;

/**
 * Add the frame that stands for data at the user address @p addr. Memory that is executable is
 * looked up in @p maps, other memory in @p all_maps.
 */
struct pd_error *resolve_frames_data(struct resolve_frames *frames, const struct parse_maps *maps,
	const struct parse_maps *all_maps, uint64_t addr, struct prof_frame_id *ret) pd_must_check;

/** Add the frame that represents the mark @p flag: PROF_FRAME_TRUNCATED or PROF_FRAME_STITCHED. */
struct pd_error *resolve_frames_mark(
	struct resolve_frames *frames, uint32_t flag, struct prof_frame_id *ret) pd_must_check;

/**
 * Copy the frames that walker @p index found since the last call, so that it may find more or
 * forget them while these are added to the profile. Frames that it had forgotten at the last call
 * are dropped.
 */
struct pd_error *resolve_frames_learn(
	struct resolve_frames *frames, size_t index, const struct unw_walker *walker) pd_must_check;

/**
 * Add the frames @p ids of walker @p index, which have been learnt. @p ret has room for @p n ids.
 */
struct pd_error *resolve_frames_walked(struct resolve_frames *frames, size_t index,
	const uint32_t *ids, size_t n, struct prof_frame_id *ret) pd_must_check;
/** Return frame @p id of walker @p index. The pointer is valid until frames are learnt. */
const struct unw_frame *resolve_frames_walked_frame(
	const struct resolve_frames *frames, size_t index, uint32_t id);
/**
 * Return the process address of frame @p id of walker @p index, and whether it is a return address.
 */
uint64_t resolve_frames_walked_pc(
	const struct resolve_frames *frames, size_t index, uint32_t id, bool *is_return_ret);

#endif
