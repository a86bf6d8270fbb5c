/**
 * @file Options with room for members of later versions of the library, which is zero until then.
 */
#ifndef PD_BASE_RESERVED_H
#define PD_BASE_RESERVED_H

#include <stddef.h>
#include <stdint.h>

#include <pdconv/error.h>

#include "base/array.h"

/**
 * Refuse a struct of options, called @p name, in whose @p n words of room something is set: the
 * program was compiled with the headers of a later version, or has not zeroed the struct. Errors:
 * USAGE.
 */
static inline struct pd_error *base_reserved_check(
	const char *name, const uint64_t *words, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (words[i])
			return pd_error_create(PD_ERROR_USAGE, NULL,
				"%s has a member that this version of the library does not know, or "
				"was not zeroed",
				name);
	}
	return NULL;
}

/** base_reserved_check() of the struct that @p opts points to. */
#define PD_CHECK_RESERVED(name, opts) \
	base_reserved_check(name, (opts)->reserved, PD_ARRAY_LEN((opts)->reserved))

#endif
