/**
 * @file Profiles that are built by calls that an input lists.
 */
#ifndef PD_TESTS_FUZZ_BUILT_PROFILE_H
#define PD_TESTS_FUZZ_BUILT_PROFILE_H

#include "profile/profile.h"
#include "tests/fuzz/fuzz.h"

/**
 * Build a profile with what is left of @p in, which becomes empty: a list of calls that add
 * strings, binaries, functions, frames with their lines, stacks, threads, events, tags, samples,
 * rows with their details, notes and waits. Whatever the calls are, the profile is a sound one.
 * Free it with prof_destroy().
 */
struct profile *fuzz_build_profile(struct fuzz_input *in);

#endif
