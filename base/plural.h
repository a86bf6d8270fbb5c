/**
 * @file Endings of words in messages with numbers: "1 stack ends", "2 stacks end".
 */
#ifndef PD_BASE_PLURAL_H
#define PD_BASE_PLURAL_H

#include <stdint.h>
#include <string.h>

/** Return the ending of a noun after the number @p n: "s", or "" for 1. */
static inline const char *base_plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

/** Return the ending of a @p noun that stands for @p n things: "", "s", or "es" after an s. */
static inline const char *base_plural_of(const char *noun, uint64_t n)
{
	size_t len = strlen(noun);

	if (n == 1)
		return "";
	return len && noun[len - 1] == 's' ? "es" : "s";
}

/** Return the ending of a verb whose subject is @p n things: "", or "s" for 1. */
static inline const char *base_singular(uint64_t n)
{
	return n == 1 ? "s" : "";
}

#endif
