/*
 * Command lines: one argument on each line of the input. They are parsed, with filters, times,
 * sizes, sort keys and fields, but nothing is run.
 */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "api/profile_read.h"
#include "cmd/options/options.h"
#include "tests/fuzz/fuzz.h"

enum { MAX_ARGS = 16 };

/* getopt() remembers where it was in the arguments before. */
static void reset_getopt(void)
{
	char empty[] = "", *none[] = { empty, NULL };

	optind = 0;
	(void)getopt(1, none, "");
}

/* Check the options as before a recording is read. */
static void prepare(const struct cmd_options *options)
{
	const struct api_origin origin = { .name = "perf.data" };
	struct pd_profile *profile;
	struct pd_error *err = api_profile_plan(
		&options->profile, options->format, PD_PARTS_OF_FORMAT, &origin, &profile);

	if (!err)
		pd_profile_destroy(profile);
	pd_error_destroy(err);
}

void fuzz_target_options(struct fuzz_input *in)
{
	char *text = fuzz_text(in), *rest = text, *argv[MAX_ARGS + 2] = { "pdconv" };
	struct cmd_options options;
	int argc = 1;

	/* Repetitions of repetitions take the C library's regcomp() any amount of memory. */
	if (strchr(text, '{')) {
		free(text);
		return;
	}
	reset_getopt();
	while (rest && argc <= MAX_ARGS)
		argv[argc++] = strsep(&rest, "\n");
	struct pd_error *err = cmd_options_parse(argc, argv, &options);
	if (!err)
		prepare(&options);
	pd_error_destroy(err);
	cmd_options_deinit(&options);
	free(text);
}
