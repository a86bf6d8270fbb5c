/*
 * Change the filters of running events: filters PID EVENT FILTER [EVENT FILTER ...]. Each event, a
 * tracepoint or a probe of a function or of its returns, runs for a second with its filter and for a
 * second without:
 *
 *	filters 7 'syscalls:sys_enter_close' 'fd > 9' 'probe:/lib/libz.so.1:inflate%return r=$retval' 'r != 0'
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <pdconv/pdconv.h>

enum { MOST_EVENTS = 32 };
static struct {
	uint32_t id;
	uint64_t n_samples;
} events[MOST_EVENTS];

static struct pd_error *count(void *ctx, const struct pd_monitor_sample *monitored)
{
	(void)monitored;
	++*(uint64_t *)ctx;
	return NULL;
}

/* Pass samples on for a second, and print the sums. */
static struct pd_error *run(struct pd_monitor *monitor, int n, char **words, bool has_filters)
{
	struct pd_error *err = NULL;
	time_t end = time(NULL) + 1;

	while (!err && time(NULL) <= end)
		err = pd_monitor_poll(monitor, 50);
	for (int i = 0; !err && i < n; i++)
		printf("%" PRIu64 " %s, %s\n", events[i].n_samples, words[2 * i],
			has_filters ? words[2 * i + 1] : "all");
	return err;
}

static struct pd_error *watch(struct pd_monitor *monitor, int n, char **words)
{
	struct pd_capture_opts opts;
	struct pd_error *err = NULL;

	memset(&opts, 0, sizeof(opts));
	for (int i = 0; !err && i < n; i++) {
		opts.event = words[2 * i];
		opts.filter = words[2 * i + 1];
		err = pd_monitor_register(
			monitor, &opts, count, &events[i].n_samples, &events[i].id);
	}
	if (!err)
		err = pd_monitor_enable_all(monitor, true);
	if (!err)
		err = run(monitor, n, words, true);
	for (int i = 0; !err && i < n; i++)
		err = pd_monitor_set_filter(monitor, events[i].id, NULL);
	return err ? err : run(monitor, n, words, false);
}

int main(int argc, char **argv)
{
	struct pd_monitor_opts whom;
	struct pd_monitor *monitor = NULL;
	int n = (argc - 2) / 2;

	if (n < 1 || n > MOST_EVENTS)
		return 2;
	const pid_t pid = atoi(argv[1]);
	memset(&whom, 0, sizeof(whom));
	whom.pids = &pid;
	whom.n_pids = 1;
	struct pd_error *err = pd_monitor_create(&whom, &monitor);
	if (!err)
		err = watch(monitor, n, argv + 2);
	pd_monitor_destroy(monitor);
	if (!err)
		return 0;
	fprintf(stderr, "%s\n", err->message);
	pd_error_destroy(err);
	return 1;
}
