/*
 * Print each occurrence of an event with its fields until SIGINT or SIGTERM: watch PID|all EVENT
 * [FILTER].
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pdconv/pdconv.h>

static volatile sig_atomic_t is_stopped;

static void stop(int number)
{
	(void)number;
	is_stopped = 1;
}

static struct pd_error *print_sample(void *ctx, const struct pd_monitor_sample *sample)
{
	(void)ctx;
	pd_monitor_sample_write(sample, stdout);
	printf("\n");
	return NULL;
}

int main(int argc, char **argv)
{
	struct pd_monitor_opts whom = PD_DEFAULTS;
	struct pd_capture_opts opts = PD_DEFAULTS;
	struct pd_monitor *monitor = NULL;

	if (argc < 3)
		return 2;
	whom.pid = strcmp(argv[1], "all") == 0 ? 0 : atoi(argv[1]);
	whom.is_enabled = true;
	opts.event = argv[2];
	opts.filter = argc > 3 ? argv[3] : NULL;
	signal(SIGINT, stop);
	signal(SIGTERM, stop);
	struct pd_error *err = pd_monitor_create(&whom, &monitor);
	if (!err)
		err = pd_monitor_register(monitor, &opts, print_sample, NULL, NULL);
	if (!err)
		fprintf(stderr, "watching\n");
	while (!err && !is_stopped)
		err = pd_monitor_poll(monitor, 100);
	if (!err)
		err = pd_monitor_flush(monitor);
	if (!err)
		fprintf(stderr, "%llu were lost\n", (unsigned long long)pd_monitor_n_lost(monitor));
	pd_monitor_destroy(monitor);
	return pd_error_print(err, stderr);
}
