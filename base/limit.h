/**
 * @file The bounds of base/limit_defs.h as constants: PD_LIMIT_FRAMES and so on, and which of them
 * were reached.
 *
 * Code that reads binaries stops or leaves something out at a bound, often far below the code that
 * knows which file that is. So like errno, bounds are noted in the thread, by base_limit_reach().
 * The code that knows the file opens a scope, and reports at its end what was noted in it.
 */
#ifndef PD_BASE_LIMIT_H
#define PD_BASE_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/limit_defs.h"

/*
 * A program for tests has lower bounds: PD_LOW_LIMITS is a header that defines PD_LOW_<name> for
 * some rows, as a comma and the value.
 */
#ifdef PD_LOW_LIMITS
#include PD_LOW_LIMITS
#endif
#define PD_LIMIT_SECOND(first, second, ...) second
#define PD_LIMIT_CHOOSE(...) PD_LIMIT_SECOND(__VA_ARGS__)
#define PD_LIMIT_VALUE(name, value) PD_LIMIT_CHOOSE(PD_LOW_##name, value, 0)

#define PD_LIMIT_ENUM(name, value, ...) PD_LIMIT_##name = PD_LIMIT_VALUE(name, value),
#define PD_LIMIT_NONE(name, ...)
enum { PD_LIMITS(PD_LIMIT_ENUM, PD_LIMIT_NONE) };
#undef PD_LIMIT_ENUM

#define PD_LIMIT_WIDE(name, value, ...) \
	static const uint64_t PD_LIMIT_##name = PD_LIMIT_VALUE(name, value);
PD_LIMITS(PD_LIMIT_NONE, PD_LIMIT_WIDE)
#undef PD_LIMIT_WIDE
#undef PD_LIMIT_NONE

/** Rows of the table. */
enum base_limit_id {
#define PD_LIMIT_ROW(name, ...) PD_LIMIT_ID_##name,
	PD_LIMITS(PD_LIMIT_ROW, PD_LIMIT_ROW)
#undef PD_LIMIT_ROW
		PD_N_LIMITS,
};

/** Name of the limit, as in doc/limits.md. Static storage. */
const char *base_limit_name(enum base_limit_id id);
/**
 * Text for people: what the limit bounds, and what happens beyond it. Static storage, the same
 * address for the same limit.
 */
const char *base_limit_text(enum base_limit_id id);

/** Set of limits; zeroed it is empty. */
struct base_limit_set {
	uint64_t bits[(PD_N_LIMITS + 63) / 64];
};

static inline bool base_limit_set_has(const struct base_limit_set *set, enum base_limit_id id)
{
	return set->bits[id / 64] >> (id % 64) & 1;
}

bool base_limit_set_is_empty(const struct base_limit_set *set);

/** Note that this thread has reached the limit @p id. Returns true, for use in conditions. */
bool base_limit_reach(enum base_limit_id id);
/** Whether this thread has reached a limit in the innermost scope. */
bool base_limit_is_reached(void);
/** The limits that this thread has reached in the innermost scope. */
struct base_limit_set base_limit_reached(void);

/**
 * Declare a scope, which ends with the block: what was noted before does not belong to it, and what
 * is noted in it is forgotten at its end, so that no caller reports it for another file.
 */
#define PD_LIMIT_SCOPE() \
	_cleanup_(base_limit_leave) __attribute__((unused)) struct base_limit_set outer_limits = \
		base_limit_enter()
/** For PD_LIMIT_SCOPE(): begin with an empty set. Returns the set of the scope around. */
struct base_limit_set base_limit_enter(void);
/** For PD_LIMIT_SCOPE(): restore the set of the scope around. */
void base_limit_leave(const struct base_limit_set *outer);

#endif
