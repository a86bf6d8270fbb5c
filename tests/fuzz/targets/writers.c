/*
 * Profiles of any shape to every format; they are also stored and read again. Input: choices, and
 * the calls that build the profile.
 */
#include <stdlib.h>
#include <string.h>

#include "profile/store.h"
#include "tests/fuzz/built_profile.h"
#include "tests/fuzz/profiles.h"

/* A profile that was stored and read again is stored as the same bytes. */
static void check_store(const struct profile *profile)
{
	size_t size = prof_store_size(profile);
	uint8_t *bytes = malloc(size), *again = malloc(size);
	struct profile *copy;

	if (!bytes || !again)
		abort();
	prof_store_encode(profile, bytes);
	struct pd_error *err = prof_store_decode(bytes, size, &copy);
	if (!err) {
		if (!copy || prof_store_size(copy) != size)
			__builtin_trap();
		prof_store_encode(copy, again);
		if (memcmp(bytes, again, size))
			__builtin_trap();
		prof_destroy(copy);
	}
	pd_error_destroy(err);
	free(bytes);
	free(again);
}

void fuzz_target_writers(struct fuzz_input *in)
{
	struct fuzz_input choices = fuzz_take(in, 64);
	struct profile *profile = fuzz_build_profile(in);

	check_store(profile);
	fuzz_write_profile(&choices, profile);
	fuzz_filter_profile(&choices, profile);
	fuzz_write_profile(&choices, profile);
	prof_destroy(profile);
}
