/**
 * @file Storing a profile as bytes, and using it again without building it.
 *
 * The bytes are a head with the numbers of elements, followed by the parts of the profile as they
 * are in memory. Only the same build of the program on the same kind of machine can read them: the
 * caller checks that. Interned bytes, which are most of a profile, are not copied
 * when it is read.
 */
#ifndef PD_PROFILE_STORE_H
#define PD_PROFILE_STORE_H

#include <stddef.h>
#include <stdint.h>

#include "profile/profile.h"

/** Number of bytes of @p profile when stored, a multiple of 8. */
size_t prof_store_size(const struct profile *profile);

/** Write @p profile to the prof_store_size() bytes at @p to, which are aligned to 8. */
void prof_store_encode(const struct profile *profile, uint8_t *to);

/**
 * Create a profile from @p bytes, which are aligned to 8, are borrowed, and outlive it. They may
 * come from anywhere: *ret is NULL if they are not those of a profile. Errors: NOMEM.
 */
struct pd_error *prof_store_decode(
	const uint8_t *bytes, size_t size, struct profile **ret) pd_must_check;

/**
 * Whether all ids in @p profile refer to something, and all values have their types. Samples are
 * not indexed yet.
 */
bool prof_store_is_sound(const struct profile *profile);

#endif
