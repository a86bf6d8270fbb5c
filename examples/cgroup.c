/*
 * Watch a cgroup for some seconds: cgroup PATH SECONDS. Prints the processes and names that come and
 * go, and in the end the samples of each CPU.
 */
#include <stdio.h>
#include <stdlib.h>

#include <pdconv/pdconv.h>

enum { MOST_CPUS = 1024 };
static unsigned n_samples[MOST_CPUS];

static struct pd_error *on_record(void *ctx, const struct pd_monitor_record *monitored)
{
	const union pd_body *body = monitored->body;

	(void)ctx;
	if (monitored->record->type == PD_RECORD_FORK)
		printf("%u forked %u\n", body->fork.ppid, body->fork.pid);
	if (monitored->record->type == PD_RECORD_COMM)
		printf("%u is %s\n", body->comm.pid, body->comm.comm.s);
	if (monitored->record->type == PD_RECORD_EXIT)
		printf("%u exited\n", body->exit.pid);
	if (monitored->record->type == PD_RECORD_LOST)
		printf("%llu records were lost\n", (unsigned long long)body->lost.lost);
	return NULL;
}

static struct pd_error *on_sample(void *ctx, const struct pd_monitor_sample *monitored)
{
	(void)ctx;
	n_samples[monitored->sample->cpu % MOST_CPUS]++;
	return NULL;
}

int main(int argc, char **argv)
{
	struct pd_monitor_opts opts = PD_DEFAULTS;
	struct pd_capture_opts clock = PD_DEFAULTS;
	struct pd_monitor *monitor = NULL;
	const char *path = argc > 1 ? argv[1] : "";

	opts.cgroups = &path;
	opts.n_cgroups = 1;
	opts.is_enabled = true;
	opts.on_record = on_record;
	clock.event = "cpu-clock";
	clock.frequency = 99;
	struct pd_error *err = pd_monitor_create(&opts, &monitor);
	if (!err)
		err = pd_monitor_register(monitor, &clock, on_sample, NULL, NULL);
	if (!err)
		err = pd_monitor_run_for(monitor, argc > 2 ? 1000 * (unsigned)atoi(argv[2]) : 1000);
	pd_monitor_destroy(monitor);
	for (int i = 0; !err && i < MOST_CPUS; i++) {
		if (n_samples[i])
			printf("CPU %d: %u samples\n", i, n_samples[i]);
	}
	return pd_error_print(err, stderr);
}
