/**
 * @file Functions of a profile by the names that people give (base/names/name_match.h), and the
 * names that are like one that no function has.
 */
#ifndef PD_PROFILE_FUNCTION_SEARCH_H
#define PD_PROFILE_FUNCTION_SEARCH_H

#include <stdbool.h>
#include <stddef.h>

#include <pdconv/error.h>

#include "base/names/name_match.h"
#include "profile/profile.h"

/** The functions that a name stands for. Initialize with zeros. */
struct prof_found_functions {
	/** Flags by function id. */
	bool *is_found;
	/** Number of functions, and of different names among them. */
	size_t n;
	size_t n_names;
	/** How close their names are; BASE_NAME_OTHER if there are none. */
	enum base_closeness closeness;
};

/**
 * Find the functions whose names are closest to @p wanted: the name as it is shown, without its
 * label, as the linker knows it, or in the form of patterns. @p is_candidate has flags by function
 * id: others are not looked at; NULL: all are. Errors: USAGE, it is not a regular expression;
 * NOMEM.
 */
struct pd_error *prof_find_functions(const struct profile *profile, const char *wanted,
	const bool *is_candidate, struct prof_found_functions *ret) pd_must_check;
void prof_found_functions_deinit(struct prof_found_functions *found);

/**
 * List the names of the functions that were found, shortened, with the shares of the samples that
 * have them anywhere in their stacks: "ns::add (12.00 %), other::add (0.10 %), and 3 more".
 * Allocated. Errors: NOMEM.
 */
struct pd_error *prof_list_functions(const struct profile *profile,
	const struct prof_found_functions *found, char **ret) pd_must_check;

/**
 * Say which functions there are instead of @p wanted, which stands for none: "functions like it:
 * add (12.00 %)", or the hottest ones if no name is like it. Functions without samples are not
 * mentioned. Allocated; "" if there are none. Errors: USAGE, NOMEM.
 */
struct pd_error *prof_suggest_functions(
	const struct profile *profile, const char *wanted, char **ret) pd_must_check;

#endif
