/* Print every field of a recording, as text or as JSON. */
#include "base/array.h"
#include "inspect/recording_dump.h"
#include "tests/fuzz/recording.h"

void fuzz_target_dump(struct fuzz_input *in)
{
	static const struct inspect_dump_opts kinds[] = { { .json = true }, { .by_field = true },
		{ .hex = true } };
	struct pd_file *file = fuzz_open(in);

	if (!file)
		return;
	pd_error_destroy(
		inspect_dump(file, &kinds[fuzz_pick(in, PD_ARRAY_LEN(kinds))], fuzz_nowhere()));
	pd_file_close(file);
}
