/**
 * @file What fuzz targets do with a profile.
 */
#ifndef PD_TESTS_FUZZ_PROFILES_H
#define PD_TESTS_FUZZ_PROFILES_H

#include "profile/profile.h"
#include "tests/fuzz/fuzz.h"

/**
 * Write @p profile in the format that the next byte of @p in selects, with options from the bytes
 * after it.
 */
void fuzz_write_profile(struct fuzz_input *in, const struct profile *profile);

/** Filter @p profile by the names of its frames, with patterns from @p in. */
void fuzz_filter_profile(struct fuzz_input *in, struct profile *profile);

#endif
