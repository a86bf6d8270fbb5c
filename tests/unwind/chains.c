/*
 * chains [--stitch] FILE: the call chain of every sample, address by address, for comparison with the
 * truth. With --stitch stacks are completed from others.
 *
 * For each sample a line "S TIME_NS END": END is the reason why the unwind ended, as named in
 * pdconv/unwind_end_defs.h, or "-" if the sample was not unwound here. Then one line per frame: the
 * process address where execution is or will return to, followed by "fp" if the frame was found by
 * the frame pointer only. A line "0 stitched" comes before frames of another sample.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "resolve/resolve.h"

static void print_chain(void *ctx, const struct profile *profile, const struct pd_sample *sample,
	const struct resolve_chain *chain)
{
	FILE *out = ctx;

	fprintf(out, "S %" PRIu64 " %s\n", sample->time,
		chain->origin == PROF_STACK_UNWOUND ? pd_unwind_end_name(chain->end) : "-");
	for (size_t i = 0; i < chain->n; i++) {
		const struct prof_frame *frame = prof_frame(profile, chain->frames[i]);

		fprintf(out, "%" PRIx64 "%s\n", chain->pcs[i],
			frame->flags & PROF_FRAME_STITCHED ? " stitched"
			: frame->flags & PROF_FRAME_BY_FP  ? " fp"
							   : "");
	}
}

int main(int argc, char **argv)
{
	struct resolve_opts opts = {
		.on_sample = print_chain, .ctx = stdout, .no_names = true, .no_truncated = true
	};
	struct pd_file *file = NULL;
	struct profile *profile = NULL;

	opts.stitch = argc == 3 && strcmp(argv[1], "--stitch") == 0;
	if (argc != 2 + opts.stitch)
		return 2;
	struct pd_error *err = pd_file_open(argv[argc - 1], NULL, &file);
	if (!err)
		err = resolve_profile(file, &opts, &profile);
	if (err) {
		_cleanup_free_ char *text = pd_error_string(err);
		fprintf(stderr, "chains: %s\n", text);
		pd_error_destroy(err);
	}
	prof_destroy(profile);
	pd_file_close(file);
	return err ? 1 : 0;
}
