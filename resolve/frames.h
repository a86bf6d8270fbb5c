/**
 * @file Call chains of samples as frame numbers of a profile.
 *
 * Kernel part and recorded user part come from CALLCHAIN; a user part that was unwound comes as the
 * walker's frames. Each place is looked up in the maps once and then remembered.
 */
#ifndef PD_RESOLVE_FRAMES_H
#define PD_RESOLVE_FRAMES_H

#include <pdconv/error.h>

#include "resolve/binaries.h"
#include "parse/callchain.h"
#include "profile/profile.h"

struct resolve_frames;

/**
 * All arguments are borrowed and outlive the result. @p n_walkers: how many will hand in frames.
 */
struct pd_error *resolve_frames_create(struct profile *profile, struct resolve_binaries *binaries,
	size_t n_walkers, struct resolve_frames **ret) pd_must_check;
void resolve_frames_destroy(struct resolve_frames *frames);

/** All frames have been entered, and nobody walks any more: set the ranges of the binaries. */
void resolve_frames_finish(struct resolve_frames *frames);

/**
 * The frame of @p link, which is in @p maps if its context has any. @p flags: PROF_FRAME_JOINED or
 * 0.
 */
struct pd_error *resolve_frames_at(struct resolve_frames *frames, const struct pd_maps *maps,
	const struct pd_callchain_link *link, uint32_t flags,
	struct prof_frame_id *ret) pd_must_check;

/** The frame that stands for nothing but @p flag, PROF_FRAME_TRUNCATED or _STITCHED. */
struct pd_error *resolve_frames_mark(
	struct resolve_frames *frames, uint32_t flag, struct prof_frame_id *ret) pd_must_check;

/**
 * Take over what the walker number @p index has found since the last time, so that it may go on, or
 * forget, while its frames are entered. Numbers that the walker had forgotten the last time go.
 */
struct pd_error *resolve_frames_learn(
	struct resolve_frames *frames, size_t index, const struct unw_walker *walker) pd_must_check;

/**
 * The frames @p ids of the walker number @p index, which have been learnt; @p ret has n elements.
 */
struct pd_error *resolve_frames_walked(struct resolve_frames *frames, size_t index,
	const uint32_t *ids, size_t n, struct prof_frame_id *ret) pd_must_check;
/** The process address of one, and whether that is behind a call. */
uint64_t resolve_frames_walked_pc(
	const struct resolve_frames *frames, size_t index, uint32_t id, bool *is_return_ret);

#endif
