/*
 * Print each occurrence of an event with its fields until SIGINT or SIGTERM: watch PID|all EVENT
 * [FILTER].
 */
#include <inttypes.h>
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

static struct pd_error *print_sample(void *ctx, const struct pd_monitor_sample *monitored)
{
	const struct pd_sample *sample = monitored->sample;

	(void)ctx;
	printf("%" PRIu64 ".%09" PRIu64 " %" PRIu32 "/%" PRIu32 " %s ", sample->time / 1000000000,
		sample->time % 1000000000, sample->pid, sample->tid, monitored->event->name);
	if (monitored->fields.tracepoint)
		pd_trace_write(&monitored->fields, stdout);
	printf("\n");
	return NULL;
}

static struct pd_error *watch(struct pd_monitor *monitor, const struct pd_capture_opts *opts)
{
	uint32_t id;
	struct pd_error *err = pd_monitor_register(monitor, opts, print_sample, NULL, &id);

	if (!err)
		err = pd_monitor_enable(monitor, id, true);
	if (err)
		return err;
	signal(SIGINT, stop);
	signal(SIGTERM, stop);
	fprintf(stderr, "watching\n");
	while (!err && !is_stopped)
		err = pd_monitor_poll(monitor, 100);
	if (!err)
		err = pd_monitor_flush(monitor);
	if (pd_monitor_n_lost(monitor))
		fprintf(stderr, "%" PRIu64 " were lost\n", pd_monitor_n_lost(monitor));
	return err;
}

int main(int argc, char **argv)
{
	struct pd_monitor_opts whom;
	struct pd_capture_opts opts;
	struct pd_monitor *monitor = NULL;

	if (argc < 3)
		return 2;
	const pid_t pid = atoi(argv[1]);
	memset(&whom, 0, sizeof(whom));
	memset(&opts, 0, sizeof(opts));
	whom.pids = &pid;
	whom.n_pids = strcmp(argv[1], "all") != 0;
	opts.event = argv[2];
	opts.filter = argc > 3 ? argv[3] : NULL;
	struct pd_error *err = pd_monitor_create(&whom, &monitor);
	if (!err)
		err = watch(monitor, &opts);
	pd_monitor_destroy(monitor);
	if (!err)
		return 0;
	char *text = pd_error_string(err);
	fprintf(stderr, "%s\n", text ? text : "out of memory");
	free(text);
	pd_error_destroy(err);
	return 1;
}
