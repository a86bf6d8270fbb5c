/* Convert a recording: replay, unwind, name, write. Sums are conserved. */
#include "tests/fuzz/recording.h"

void fuzz_target_convert(struct fuzz_input *in)
{
	struct pd_file *file = fuzz_open(in);

	if (!file)
		return;
	fuzz_convert(file, "script");
	pd_file_close(file);
}
