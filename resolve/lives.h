/**
 * @file Tasks (processes and threads) that lived shorter than the sampling period.
 *
 * The events of a recorded program are inherited by its tasks. In each new task the counter starts
 * with a whole period (inherit_event() in kernel/events/core.c), so a task that ends earlier has no
 * samples. Events that count on a CPU, whatever runs there, have no such bias.
 */
#ifndef PD_RESOLVE_LIVES_H
#define PD_RESOLVE_LIVES_H

#include <pdconv/error.h>
#include <pdconv/record.h>
#include <pdconv/vec.h>

#include "base/containers/map.h"
#include "profile/profile.h"

/** A task that began and ended during the recording. */
struct resolve_life {
	/** pid << 32 | tid */
	uint64_t task;
	/** In ns. */
	uint64_t length;
};

/** A zeroed struct is empty. */
struct resolve_lives {
	/** Time of birth in ns + 1, by pid << 32 | tid. 0: not known. */
	struct base_map births;
	PD_VEC(struct resolve_life) ended;
};

/**
 * Note when a task begins or ends, if @p rec is FORK or EXIT. @p sid_bytes is the size of the
 * record's trailer. Errors: NOMEM.
 */
struct pd_error *resolve_lives_take_record(
	struct resolve_lives *lives, const struct pd_record *rec, size_t sid_bytes) pd_must_check;

/** Count short lives and their samples as stats.short_lives of @p profile. Errors: NOMEM. */
struct pd_error *resolve_lives_finish(
	const struct resolve_lives *lives, struct profile *profile) pd_must_check;
void resolve_lives_deinit(struct resolve_lives *lives);

#endif
