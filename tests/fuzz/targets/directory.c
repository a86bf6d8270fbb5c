/*
 * Read a directory of perf record --threads. Input: three pieces, the files data, data.0 and
 * data.1.
 */
#include "tests/fuzz/recording.h"

void fuzz_target_directory(struct fuzz_input *in)
{
	static const char *const names[] = { "data", "data.0", "data.1" };
	struct pd_file *file;

	for (size_t i = 0; i < 3; i++) {
		struct fuzz_input piece = fuzz_piece(in);

		fuzz_write(names[i], piece.bytes, piece.size);
	}
	struct pd_error *err = pd_file_open(fuzz_dir(), NULL, &file);
	if (!err) {
		fuzz_read(file, PD_ORDER_TIME);
		pd_file_close(file);
	}
	pd_error_destroy(err);
}
