/* Count the contents of a recording and unwind its stacks; print both as text and as JSON. */
#include "inspect/info_json.h"
#include "inspect/info_text.h"
#include "inspect/recording_info.h"
#include "tests/fuzz/recording.h"

void fuzz_target_info(struct fuzz_input *in)
{
	const struct resolve_opts opts = fuzz_resolve_opts();
	struct pd_file *file = fuzz_open(in);
	struct inspect_info info;

	if (!file)
		return;
	struct pd_error *err = inspect_info_collect(file, &opts, &info);
	if (!err) {
		inspect_info_text(&info, INSPECT_INFO_NO_LIMIT, fuzz_nowhere());
		inspect_info_json(&info, INSPECT_INFO_NO_LIMIT, fuzz_nowhere());
		inspect_info_deinit(&info);
	}
	pd_error_destroy(err);
	pd_file_close(file);
}
