/*
 * Change the filters of running events: filters PID EVENT FILTER [EVENT FILTER ...]. Each event, a
 * tracepoint or a probe of a function or of its returns, runs for a second with its filter and for a
 * second without:
 *
 *	filters 7 'syscalls:sys_enter_close' 'fd > 9' 'probe:/lib/libz.so.1:inflate%return r=$retval' 'r != 0'
 */
#include <stdio.h>
#include <stdlib.h>

#include <pdconv/pdconv.h>

enum { MOST_EVENTS = 32 };
static uint32_t ids[MOST_EVENTS];
static unsigned long n_samples[MOST_EVENTS];

static struct pd_error *count(void *ctx, const struct pd_monitor_sample *monitored)
{
	(void)monitored;
	++*(unsigned long *)ctx;
	return NULL;
}

/* Run for a second, and print the number of samples of each event so far. */
static struct pd_error *run(struct pd_monitor *monitor, int n, char **words, bool has_filters)
{
	struct pd_error *err = pd_monitor_run_for(monitor, 1000);

	for (int i = 0; !err && i < n; i++)
		printf("%lu %s, %s\n", n_samples[i], words[2 * i],
			has_filters ? words[2 * i + 1] : "all");
	return err;
}

int main(int argc, char **argv)
{
	struct pd_monitor_opts whom = PD_DEFAULTS;
	struct pd_capture_opts opts = PD_DEFAULTS;
	struct pd_monitor *monitor = NULL;
	const int n = (argc - 2) / 2;

	if (n < 1 || n > MOST_EVENTS)
		return 2;
	whom.pid = atoi(argv[1]);
	whom.is_enabled = true;
	struct pd_error *err = pd_monitor_create(&whom, &monitor);
	for (int i = 0; !err && i < n; i++) {
		opts.event = argv[2 + 2 * i];
		opts.filter = argv[3 + 2 * i];
		err = pd_monitor_register(monitor, &opts, count, &n_samples[i], &ids[i]);
	}
	if (!err)
		err = run(monitor, n, argv + 2, true);
	for (int i = 0; !err && i < n; i++)
		err = pd_monitor_set_filter(monitor, ids[i], NULL);
	if (!err)
		err = run(monitor, n, argv + 2, false);
	pd_monitor_destroy(monitor);
	return pd_error_print(err, stderr);
}
