/* Write a recording again with its stacks unwound, plain or compressed. */
#include <stdlib.h>

#include "output/formats.h"
#include "tests/fuzz/recording.h"

static void write_copy(const struct fuzz_input *in, const struct profile *profile, int level)
{
	const struct out_format *format = out_format_find("perfdata");
	struct out_write_opts opts = { .event = prof_no_event(), .jobs = 1 };
	struct pd_file *again = fuzz_open(in);
	char *text = NULL;
	size_t size;

	if (!again)
		return;
	FILE *out = open_memstream(&text, &size);
	if (!out)
		abort();
	opts.perfdata.file = again;
	opts.format.perfdata.level = level;
	opts.format.perfdata.keep_stacks = level;
	pd_error_destroy(format->write(profile, &opts, out));
	fclose(out);
	free(text);
	pd_file_close(again);
}

void fuzz_target_rewrite(struct fuzz_input *in)
{
	const struct out_format *format = out_format_find("perfdata");
	const struct out_write_opts write_opts = { .event = prof_no_event(), .jobs = 1 };
	struct resolve_opts opts = fuzz_resolve_opts();
	struct pd_file *file = fuzz_open(in);
	struct profile *profile;

	if (!file)
		return;
	struct pd_error *err = format->prepare(&write_opts, &opts.request);
	if (!err)
		err = resolve_profile(file, &opts, &profile);
	if (!err) {
		write_copy(in, profile, (int)fuzz_pick(in, 2));
		prof_destroy(profile);
	}
	pd_error_destroy(err);
	pd_file_close(file);
}
