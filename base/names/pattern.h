/**
 * @file Regular expressions given by users: POSIX extended ones, with the extensions of the C
 * library (\b, \w and \s with glibc).
 */
#ifndef PD_BASE_PATTERN_H
#define PD_BASE_PATTERN_H

#include <stdbool.h>

#include <pdconv/error.h>

/** A compiled regular expression. */
struct base_pattern;

/** Compile @p text. Errors: USAGE, it is not a regular expression; NOMEM. */
struct pd_error *base_pattern_create(const char *text, struct base_pattern **ret) pd_must_check;
void base_pattern_destroy(struct base_pattern *pattern);

/** The regular expression as it was given; it lives as long as @p pattern. */
const char *base_pattern_text(const struct base_pattern *pattern);

/**
 * Whether @p pattern matches any part of @p text, or is one: names such as operator+ and
 * prog+0x1139 mean themselves, too. Not thread-safe for the same pattern.
 */
bool base_pattern_matches(const struct base_pattern *pattern, const char *text);

#endif
