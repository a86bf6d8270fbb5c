/*
 * Record on CPUs of which one is offline, through each interface: offline CPU. Prints what became
 * of it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <pdconv/pdconv.h>

#include "capture/capture_opts.h"

static const struct pd_capture_opts clock_samples = {
	.event = "cpu-clock", .frequency = 499, .stack_bytes = PD_STACK_NONE
};

/* A session for CPU 0 and an offline one, as if it went offline after CPUs were listed. */
static struct pd_error *open_session(int cpu)
{
	struct cap_session session;

	cap_session_init(&session);
	session.target.is_system_wide = true;
	bool ok = pd_vec_push(&session.target.cpus, 0) && pd_vec_push(&session.target.cpus, cpu);
	struct pd_error *err = ok ? cap_capture_opts_open(&clock_samples, &session) : &pd_enomem;
	if (!err)
		printf("session: %zu rings, %zu offline\n", session.rings.n, session.n_offline);
	cap_session_deinit(&session);
	return err;
}

static struct pd_error *open_reader(int cpu)
{
	struct pd_perf_reader *reader = NULL;
	struct pd_error *err = pd_perf_reader_open(&clock_samples, -1, cpu, &reader);

	if (!err)
		return pd_error_create(PD_ERROR_OS, NULL, "CPU %d is not offline", cpu);
	printf("reader: %s%s\n", err->code == PD_ERROR_OS ? "" : "not OS: ", err->message);
	pd_error_destroy(err);
	return NULL;
}

static struct pd_error *open_set(void)
{
	struct pd_perf_set *set;
	struct pd_error *err = pd_perf_set_open(&clock_samples, -1, &set);

	if (err)
		return err;
	printf("set: %zu readers\n", pd_perf_set_n(set));
	pd_perf_set_close(set);
	return NULL;
}

static struct pd_error *count(void *ctx, const struct pd_monitor_sample *sample)
{
	(void)sample;
	++*(size_t *)ctx;
	return NULL;
}

static struct pd_error *monitor(void)
{
	const struct pd_monitor_opts opts = { .is_enabled = true };
	struct pd_monitor *monitor;
	size_t n = 0;
	struct pd_error *err = pd_monitor_create(&opts, &monitor);

	if (err)
		return err;
	err = pd_monitor_register(monitor, &clock_samples, count, &n, NULL);
	if (!err)
		err = pd_monitor_run_for(monitor, 200);
	pd_monitor_destroy(monitor);
	if (!err)
		printf("monitor: %s samples\n", n ? "has" : "no");
	return err;
}

static struct pd_error *profile(uint32_t cpu)
{
	const struct pd_number_range cpus = { 0, cpu };
	const struct pd_profiler_opts opts = { .cpus = &cpus, .n_cpus = 1 };
	struct pd_profiler_result result;
	struct pd_profiler *profiler;
	struct pd_error *err = pd_profiler_start(&opts, &profiler);

	if (err)
		return err;
	usleep(200000);
	err = pd_profiler_stop(profiler, NULL, NULL, &result);
	pd_profiler_destroy(profiler);
	if (!err)
		printf("profiler: %s samples\n", result.n_samples ? "has" : "no");
	return err;
}

int main(int argc, char **argv)
{
	int cpu = argc > 1 ? atoi(argv[1]) : 1;
	struct pd_error *err = open_session(cpu);

	if (!err)
		err = open_reader(cpu);
	if (!err)
		err = open_set();
	if (!err)
		err = monitor();
	if (!err)
		err = profile((uint32_t)cpu);
	return pd_error_print(err, stderr);
}
