#include "output/formats.h"

#include <string.h>

static const struct out_format formats[] = {
	{
		.name = "report",
		.suffix = ".txt",
		.has_one_event = true,
		.help = "a first look: totals, top functions, quality of the stacks",
		.write = out_write_report,
	},
	{
		.name = "pprof",
		.suffix = ".pb.gz",
		.is_binary = true,
		.help = "gzipped profile.proto, for `pprof` and `go tool pprof`",
		.write = out_write_pprof,
	},
	{
		.name = "folded",
		.suffix = ".folded",
		.has_one_event = true,
		.help = "one line a stack and its weight, for flamegraph.pl and others",
		.write = out_write_folded,
	},
	{
		.name = "script",
		.suffix = ".txt",
		.has_rows = true,
		.help = "each sample in time order, laid out as perf script does, with tracepoint fields",
		.write = out_write_script,
	},
};

enum { N_FORMATS = sizeof(formats) / sizeof(formats[0]) };

const struct out_format *out_formats(size_t *n_ret)
{
	*n_ret = N_FORMATS;
	return formats;
}

const struct out_format *out_format_find(const char *name)
{
	for (size_t i = 0; i < N_FORMATS; i++) {
		if (strcmp(formats[i].name, name) == 0)
			return &formats[i];
	}
	return NULL;
}

uint32_t out_event(const struct profile *profile, const struct out_write_opts *opts)
{
	if (opts->event != PROF_NONE)
		return opts->event;
	for (uint32_t i = 0; i < profile->events.n; i++) {
		if (profile->events.data[i].total.samples)
			return i;
	}
	return PROF_NONE;
}
