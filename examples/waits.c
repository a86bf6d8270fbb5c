/*
 * Print where processes wait, as folded stacks with the nanoseconds of their waits: once a second,
 * each time for all of the time until then. usage: waits SECONDS PID...
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <pdconv/pdconv.h>

static struct pd_error *watch(struct pd_profiler *profiler, int seconds, int n_pids, char **pids)
{
	struct pd_error *err = NULL;

	for (int i = 1; !err && i < n_pids; i++)
		err = pd_profiler_add_pid(profiler, atoi(pids[i]));
	for (int i = 1; !err && i <= seconds; i++) {
		sleep(1);
		printf("# after %d s\n", i);
		err = pd_profiler_snapshot(profiler, "folded", pd_write_to_stream, stdout, NULL);
	}
	return err;
}

int main(int argc, char **argv)
{
	static const char *const events[] = { "offcpu-time" };
	struct pd_profiler_opts opts = PD_DEFAULTS;
	struct pd_profiler *profiler;

	if (argc < 3)
		return 2;
	/* The profiler samples CPU time as well, which is left out of the profile. */
	opts.offcpu = true;
	opts.pid = atoi(argv[2]);
	opts.profile.filter.events = events;
	opts.profile.filter.n_events = 1;
	struct pd_error *err = pd_profiler_start(&opts, &profiler);
	if (!err) {
		err = watch(profiler, atoi(argv[1]), argc - 2, argv + 2);
		pd_profiler_destroy(profiler);
	}
	return pd_error_print(err, stderr);
}
