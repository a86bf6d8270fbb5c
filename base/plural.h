/**
 * @file Endings of words in messages with numbers: "1 stack ends", "2 stacks end".
 */
#ifndef PD_BASE_PLURAL_H
#define PD_BASE_PLURAL_H

#include <stdint.h>

/** Return the ending of a noun after the number @p n: "s", or "" for 1. */
static inline const char *base_plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

/** Return the ending of a verb whose subject is @p n things: "", or "s" for 1. */
static inline const char *base_singular(uint64_t n)
{
	return n == 1 ? "s" : "";
}

#endif
