/*
 * Stored profiles: one is refused, or it can be filtered and written. Input: a piece with choices,
 * and the profile.
 */
#include <stdlib.h>

#include "profile/store.h"
#include "tests/fuzz/profiles.h"

void fuzz_target_store(struct fuzz_input *in)
{
	struct fuzz_input choices = fuzz_piece(in);
	struct profile *profile;
	uint8_t *bytes = fuzz_copy(in);
	struct pd_error *err = prof_store_decode(bytes, in->size, &profile);

	if (!err && profile) {
		fuzz_write_profile(&choices, profile);
		fuzz_filter_profile(&choices, profile);
		fuzz_write_profile(&choices, profile);
		prof_destroy(profile);
	}
	pd_error_destroy(err);
	free(bytes);
}
