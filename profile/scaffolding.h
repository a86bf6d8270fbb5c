/**
 * @file Scaffolding: functions that only pass control on to code of the program, such as
 * std::__invoke. See profile/scaffolding_defs.h.
 */
#ifndef PD_PROFILE_SCAFFOLDING_H
#define PD_PROFILE_SCAFFOLDING_H

#include <stdbool.h>
#include <stddef.h>

#include "profile/profile.h"

/** A pattern of names, for tests and lists. Static storage. */
struct prof_scaffolding {
	const char *pattern;
	const char *language;
	const char *reason;
};

/** Return the table of all patterns, *@p n_ret entries. */
const struct prof_scaffolding *prof_scaffolding_table(size_t *n_ret);

/** Return whether the function @p name, demangled, is scaffolding. */
bool prof_is_scaffolding(const char *name);

/**
 * Return whether a function with these samples is scaffolding, and hardly works itself: less than a
 * tenth of its @p total is its own.
 */
bool prof_is_passing_on(
	const char *name, const struct prof_value *self, const struct prof_value *total);

#endif
