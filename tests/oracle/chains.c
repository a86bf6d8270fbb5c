/*
 * chains FILE: the call chain of every sample as perf script prints it, for comparison.
 *
 * A line "TID TIME_NS END SOURCE", then one line a frame: "ADDRESS BINARY", where ADDRESS is what
 * perf 6.1 shows: the vaddr inside the instruction for frames unwound in user space, the recorded
 * address for others.
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "output/build.h"

static void print_chain(void *ctx, const struct profile *profile, const struct pd_sample *sample,
	const struct out_chain *chain)
{
	FILE *out = ctx;

	fprintf(out, "%" PRId32 " %" PRIu64 " %d %d\n", (int32_t)sample->tid, sample->time,
		chain->end, chain->source);
	for (size_t i = 0; i < chain->n; i++) {
		const struct prof_frame *frame = profile_frame(profile, chain->frames[i]);
		const char *name = "[unknown]";

		if (frame->binary != PROF_NONE)
			name = profile_string(
				profile, profile->binaries.data[frame->binary].name);
		fprintf(out, "%" PRIx64 " %s\n",
			i < chain->n_kernel ? chain->pcs[i] : frame->addr, name);
	}
}

int main(int argc, char **argv)
{
	struct out_opts opts = { .on_sample = print_chain, .ctx = stdout, .no_names = true };
	struct pd_file *file = NULL;
	struct profile *profile = NULL;

	if (argc != 2)
		return 2;
	struct pd_error *err = pd_file_open(argv[1], NULL, &file);
	if (!err)
		err = out_build(file, &opts, &profile);
	if (err) {
		_cleanup_free_ char *text = pd_error_string(err);
		fprintf(stderr, "chains: %s\n", text);
		pd_error_destroy(err);
	}
	profile_destroy(profile);
	pd_file_close(file);
	return err ? 1 : 0;
}
