/*
 * Print the call chain of every sample for comparison with perf script. usage: chains FILE
 *
 * For each sample prints a line "TID TIME_NS END SOURCE", then a line "ADDRESS OFFSET BINARY" for
 * each frame: the address in the process, and the offset in the file, for user frames in files; else
 * the address again. Unwound return addresses are inside the call instruction, recorded ones after it.
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "resolve/resolve.h"

static void print_chain(void *ctx, const struct profile *profile, const struct pd_sample *sample,
	const struct resolve_chain *chain)
{
	FILE *out = ctx;
	bool was_unwound = chain->source == PROF_STACK_UNWOUND;

	fprintf(out, "%" PRId32 " %" PRIu64 " %d %d\n", (int32_t)sample->tid, sample->time,
		chain->end, chain->source);
	for (size_t i = 0; i < chain->n; i++) {
		const struct prof_frame *frame = profile_frame(profile, chain->frames[i]);
		const struct prof_binary *binary = NULL;
		bool is_return = i > chain->n_system;
		uint64_t addr = chain->pcs[i], offset = addr;

		if (!prof_is_none(frame->binary))
			binary = profile_binary(profile, frame->binary);
		if (binary && !binary->is_kernel)
			offset = frame->addr - binary->start + binary->offset +
				 (is_return && !was_unwound);
		else if (!binary && was_unwound && i >= chain->n_system)
			offset = frame->addr;
		/* Mappings begin at pages, so the offset shows if the frame is one byte before. */
		if (was_unwound && (addr - offset) & 1)
			addr--;
		fprintf(out, "%" PRIx64 " %" PRIx64 " %s\n", addr, offset,
			binary ? profile_string(profile, binary->name) : "[unknown]");
	}
}

int main(int argc, char **argv)
{
	struct resolve_opts opts = {
		.on_sample = print_chain, .ctx = stdout, .no_names = true, .no_truncated = true
	};
	struct pd_file *file = NULL;
	struct profile *profile = NULL;

	if (argc != 2)
		return 2;
	struct pd_error *err = pd_file_open(argv[1], NULL, &file);
	if (!err)
		err = resolve_profile(file, &opts, &profile);
	if (err) {
		_cleanup_free_ char *text = pd_error_string(err);
		fprintf(stderr, "chains: %s\n", text);
		pd_error_destroy(err);
	}
	profile_destroy(profile);
	pd_file_close(file);
	return err ? 1 : 0;
}
