/* Folded stacks as text, written in a format. */
#include <stdlib.h>

#include "resolve/folded_text.h"
#include "tests/fuzz/profiles.h"

void fuzz_target_folded_text(struct fuzz_input *in)
{
	struct fuzz_input choices = *in;
	char *text = fuzz_text(in);
	FILE *file = in->size ? fmemopen(text, in->size, "r") : NULL;
	struct profile *profile;

	if (file) {
		struct pd_error *err = resolve_folded_text(file, "input", NULL, &profile);

		if (!err) {
			fuzz_write_profile(&choices, profile);
			prof_destroy(profile);
		}
		pd_error_destroy(err);
		fclose(file);
	}
	free(text);
}
