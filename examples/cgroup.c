/*
 * Watch a cgroup for some seconds: cgroup PATH SECONDS. Prints the processes and names that come and
 * go, and in the end the samples of each CPU.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <pdconv/pdconv.h>

enum { MOST_CPUS = 1024 };
static uint64_t n_samples[MOST_CPUS];

static struct pd_error *on_record(void *ctx, const struct pd_monitor_record *monitored)
{
	const union pd_body *body = monitored->body;

	(void)ctx;
	if (monitored->record->type == PD_RECORD_FORK)
		printf("%" PRIu32 " forked %" PRIu32 "\n", body->fork.ppid, body->fork.pid);
	if (monitored->record->type == PD_RECORD_COMM)
		printf("%" PRIu32 " is %s\n", body->comm.pid, body->comm.comm.s);
	if (monitored->record->type == PD_RECORD_EXIT)
		printf("%" PRIu32 " exited\n", body->exit.pid);
	if (monitored->record->type == PD_RECORD_LOST)
		printf("%" PRIu64 " records were lost\n", body->lost.lost);
	return NULL;
}

static struct pd_error *on_sample(void *ctx, const struct pd_monitor_sample *monitored)
{
	(void)ctx;
	n_samples[monitored->sample->cpu % MOST_CPUS]++;
	return NULL;
}

static struct pd_error *watch(struct pd_monitor *monitor, int seconds)
{
	struct pd_capture_opts opts;
	time_t end = time(NULL) + seconds;
	uint32_t id;

	memset(&opts, 0, sizeof(opts));
	opts.event = "cpu-clock";
	opts.frequency = 99;
	struct pd_error *err = pd_monitor_register(monitor, &opts, on_sample, NULL, &id);
	if (!err)
		err = pd_monitor_enable(monitor, id, true);
	while (!err && time(NULL) <= end)
		err = pd_monitor_poll(monitor, 100);
	return err ? err : pd_monitor_flush(monitor);
}

int main(int argc, char **argv)
{
	struct pd_monitor_opts opts;
	struct pd_monitor *monitor = NULL;

	if (argc < 3)
		return 2;
	const char *const path = argv[1];
	memset(&opts, 0, sizeof(opts));
	opts.cgroups = &path;
	opts.n_cgroups = 1;
	opts.on_record = on_record;
	struct pd_error *err = pd_monitor_create(&opts, &monitor);
	if (!err)
		err = watch(monitor, atoi(argv[2]));
	pd_monitor_destroy(monitor);
	for (int i = 0; !err && i < MOST_CPUS; i++) {
		if (n_samples[i])
			printf("CPU %d: %" PRIu64 " samples\n", i, n_samples[i]);
	}
	if (!err)
		return 0;
	fprintf(stderr, "%s\n", err->message);
	pd_error_destroy(err);
	return 1;
}
