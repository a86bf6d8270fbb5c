/*
 * Read a recording from a pipe, in which nothing can be read twice. It may also be a file, which is
 * copied, and either may be compressed as a whole.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/fuzz/recording.h"

void fuzz_target_stream(struct fuzz_input *in)
{
	struct pd_file *file;
	int ends[2];

	/* Copies of files are written there. */
	setenv("TMPDIR", fuzz_dir(), 1);
	/* A pipe holds 64 KiB, so a larger input would block. */
	struct fuzz_input bytes = fuzz_take(in, 65536);
	if (pipe2(ends, O_CLOEXEC) ||
		write(ends[1], bytes.bytes, bytes.size) != (ssize_t)bytes.size)
		abort();
	close(ends[1]);
	struct pd_error *err = pd_file_open_fd(ends[0], "fuzz", NULL, &file);
	if (!err) {
		fuzz_read(file, PD_ORDER_TIME);
		pd_file_close(file);
	}
	pd_error_destroy(err);
	close(ends[0]);
}
