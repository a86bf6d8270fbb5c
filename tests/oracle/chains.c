/*
 * Print the call chain of every sample for comparison with perf script. usage: chains FILE
 *
 * For each sample prints a line "TID TIME_NS END SOURCE", then a line "ADDRESS BINARY" for each
 * frame. ADDRESS is that of perf 6.1: for user frames the file offset, for unwound ones inside the
 * call instruction; for kernel frames the recorded address.
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
		uint64_t addr = chain->pcs[i];

		if (!prof_is_none(frame->binary))
			binary = profile_binary(profile, frame->binary);
		if (binary && !binary->is_kernel) {
			addr = frame->addr - binary->start + binary->offset;
			/* perf shows return addresses in recorded chains unchanged. */
			addr += !was_unwound && i > chain->n_system;
		} else if (!binary && was_unwound && i >= chain->n_system) {
			addr = frame->addr;
		}
		fprintf(out, "%" PRIx64 " %s\n", addr,
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
