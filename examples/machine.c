/*
 * Profile the whole machine, from the kernel to the programs, and label each sample with its CPU,
 * its cgroup and what the machine is for. usage: machine SECONDS OUTPUT [FORMAT]
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <pdconv/pdconv.h>

static struct pd_error *profile(unsigned seconds, const char *path, const char *format)
{
	static const char *const labels[] = { "cpu", "cgroup" };
	const struct pd_tag tag = { "role", "example" };
	struct pd_profiler_opts opts = PD_DEFAULTS;
	struct pd_profiler_result result;
	struct pd_profiler *profiler;

	/* The kernel finds its own callers, and pdconv those of the program from a copied stack. */
	opts.capture.frequency = 199;
	opts.capture.stack_bytes = 16384;
	opts.tags = &tag;
	opts.n_tags = 1;
	opts.profile.labels = labels;
	opts.profile.n_labels = 2;
	struct pd_error *err = pd_profiler_start(&opts, &profiler);
	if (err)
		return err;
	sleep(seconds);
	err = pd_profiler_stop_to_file(profiler, format, path, &result);
	pd_profiler_destroy(profiler);
	if (!err)
		printf("%" PRIu64 " samples in %.1f s, lost %" PRIu64 "\n", result.n_samples,
			result.seconds, result.n_lost);
	return err;
}

int main(int argc, char **argv)
{
	if (argc < 3)
		return 2;
	struct pd_error *err =
		profile((unsigned)atoi(argv[1]), argv[2], argc > 3 ? argv[3] : "pprof");
	return pd_error_print(err, stderr);
}
