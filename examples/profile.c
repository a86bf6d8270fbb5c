/*
 * Profile a process or the machine for some seconds.
 *
 * usage: profile PID|all SECONDS OUT.pb.gz [PERF.DATA]
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pdconv/pdconv.h>

static struct pd_error *profile(
	const struct pd_profiler_opts *opts, unsigned seconds, const char *path)
{
	struct pd_profiler_result result;
	struct pd_profiler *profiler;
	struct pd_error *err = pd_profiler_start(opts, &profiler);

	if (err)
		return err;
	FILE *out = fopen(path, "wb");
	if (!out) {
		pd_profiler_destroy(profiler);
		return pd_error_os(path, "cannot be written");
	}
	sleep(seconds);
	err = pd_profiler_stop(profiler, pd_write_to_stream, out, &result);
	pd_profiler_destroy(profiler);
	if (fclose(out) != 0 && !err)
		err = pd_error_os(path, "cannot be written");
	if (!err)
		printf("%" PRIu64 " samples in %.1f s, lost %" PRIu64 "\n", result.n_samples,
			result.seconds, result.n_lost);
	return err;
}

int main(int argc, char **argv)
{
	const struct pd_tag tag = { "example", "profile" };
	struct pd_profiler_opts opts = PD_DEFAULTS;

	if (argc < 4)
		return 2;
	opts.pid = strcmp(argv[1], "all") == 0 ? 0 : atoi(argv[1]);
	opts.tags = &tag;
	opts.n_tags = 1;
	opts.recording = argc > 4 ? argv[4] : NULL;
	struct pd_error *err = profile(&opts, (unsigned)atoi(argv[2]), argv[3]);
	return pd_error_print(err, stderr);
}
