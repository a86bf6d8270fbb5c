/**
 * @file Names of functions as people give them: the whole name, or what they remember of it.
 *
 * All of these stand for "ns::Index<int>::add(int)": "ns::Index<int>::add", "ns::Index::add",
 * "Index::add", "ns::add", "add", "ns::Index<...>::add", and "/Ind.*add/". A name is first
 * compared in the closest way: it is up to the caller to take only the names that are closest.
 */
#ifndef PD_BASE_NAME_MATCH_H
#define PD_BASE_NAME_MATCH_H

#include <pdconv/error.h>

/** How close a name is to the one that was given, closest first. */
enum base_closeness {
	/** Equal texts. */
	BASE_NAME_SAME,
	/** Equal but for arguments of templates, parameters, and the type that is returned. */
	BASE_NAME_INSTANCE,
	/** The last part is the same, and those before it that were given are there. */
	BASE_NAME_PARTS,
	/** Dots in the given name stand for what has been left out, as base_name_fit() does. */
	BASE_NAME_SHORTENED,
	/** The regular expression that was given matches. */
	BASE_NAME_PATTERN,
	BASE_NAME_OTHER,
};

/** A name that was given. */
struct base_wanted_name;

/**
 * Prepare comparisons with @p text, which is copied: a name, or "/REGEX/". Errors: USAGE, it is not
 * a regular expression; NOMEM.
 */
struct pd_error *base_wanted_name_create(
	const char *text, struct base_wanted_name **ret) pd_must_check;
void base_wanted_name_destroy(struct base_wanted_name *wanted);

/** Compare @p name with the one that was given. Not thread-safe for the same one. */
enum base_closeness base_wanted_name_compare(
	const struct base_wanted_name *wanted, const char *name);

/**
 * How unlike @p name is: 0 if it contains the given name, or is contained in it; otherwise the
 * number of typing errors between their last parts; SIZE_MAX if they are too many to be any.
 */
size_t base_wanted_name_distance(const struct base_wanted_name *wanted, const char *name);

/** The last part of @p name: "add" of "ns::Index<int>::add(int)". It has *@p len_ret bytes. */
const char *base_last_part(const char *name, size_t *len_ret);

#endif
