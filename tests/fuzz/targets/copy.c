/*
 * Copy a recording in either byte order, as a file or as a stream. What was copied can be opened,
 * and copied back.
 */
#include <stdlib.h>

#include <pdconv/copy.h>

#include "tests/fuzz/recording.h"

/* Copy to memory. Returns NULL if that failed. */
static char *copy(const struct fuzz_input *in, const struct pd_copy_opts *opts, size_t *size_ret)
{
	struct pd_file *file = fuzz_open(in);
	struct pd_copy_result result;
	char *text = NULL;

	if (!file)
		return NULL;
	FILE *out = open_memstream(&text, size_ret);
	if (!out)
		abort();
	struct pd_error *err = pd_copy(file, out, "copy", opts, &result);
	pd_file_close(file);
	fclose(out);
	if (err) {
		free(text);
		text = NULL;
	}
	pd_error_destroy(err);
	return text;
}

static void copy_there_and_back(struct fuzz_input *in, bool swap, bool is_pipe)
{
	struct pd_copy_opts opts = { .swap = swap, .is_pipe = is_pipe };
	struct fuzz_input copied;
	char *there = copy(in, &opts, &copied.size);

	if (!there)
		return;
	copied.bytes = (const uint8_t *)there;
	struct pd_file *file = fuzz_open(&copied);
	if (!file)
		__builtin_trap();
	pd_file_close(file);
	opts.swap = !swap;
	free(copy(&copied, &opts, &copied.size));
	free(there);
}

void fuzz_target_copy(struct fuzz_input *in)
{
	size_t kind = fuzz_pick(in, 4);

	copy_there_and_back(in, kind & 1, kind & 2);
}
