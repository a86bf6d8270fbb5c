/**
 * @file Language runtimes of the sampled processes.
 */
#ifndef PD_RESOLVE_RUNTIMES_H
#define PD_RESOLVE_RUNTIMES_H

#include <pdconv/error.h>

#include "parse/space.h"
#include "profile/profile.h"

/**
 * Add the runtimes that the processes with samples have mapped in @p space to profile->runtimes.
 * All records have been applied to @p space. Errors: no memory.
 */
struct pd_error *resolve_note_runtimes(
	struct profile *profile, struct pd_space *space) pd_must_check;

#endif
