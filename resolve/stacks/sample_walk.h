/**
 * @file Unwinding the captured stack of one sample.
 */
#ifndef PD_RESOLVE_STACKS_SAMPLE_WALK_H
#define PD_RESOLVE_STACKS_SAMPLE_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/error.h>
#include <pdconv/sample.h>

#include "parse/space/space.h"
#include "resolve/binaries/binaries.h"
#include "unwind/unwind.h"

/** A machine may run programs of two word sizes. */
enum { RESOLVE_N_ABIS = 2 };

/** Walkers of one worker: a walker has a cache of frames, which is used without a lock. */
struct resolve_walk {
	/** Borrowed. */
	const struct pd_arch *arch;
	struct resolve_binaries *binaries;
	/** For arch, and for programs of the other word size, or NULL. */
	struct unw_walker *walkers[RESOLVE_N_ABIS];
};

/** Set up @p walk, in which the borrowed members are set. Errors: NOMEM, UNSUPPORTED. */
struct pd_error *resolve_walk_init(
	struct resolve_walk *walk, const struct unw_opts *opts) pd_must_check;
void resolve_walk_deinit(struct resolve_walk *walk);

/** Whether @p sample has a user stack that can be unwound on @p arch (NULL: no). */
bool resolve_has_walk(const struct pd_arch *arch, const struct pd_sample *sample);
/** Like resolve_has_walk(), and whether the stack belongs to the mappings in @p space. */
bool resolve_can_walk(const struct pd_arch *arch, const struct parse_space *space,
	const struct pd_sample *sample, uint16_t cpumode);

/** Return the input of the unwinder, without the address space. It borrows from the sample. */
struct unw_input resolve_walk_input(const struct pd_sample *sample);

/**
 * Unwind @p sample, which has a stack that can be unwound, in the mappings @p maps. *@p which_ret
 * is the index of the walker that the frames in @p ret are of. After an error, frames of that
 * walker may be those of an address that was not found. Errors: NOMEM.
 */
struct pd_error *resolve_walk_sample(struct resolve_walk *walk, const struct pd_sample *sample,
	struct parse_maps *maps, struct unw_stack *ret, size_t *which_ret) pd_must_check;

#endif
