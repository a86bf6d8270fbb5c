/*
 * Define a probe, run a program, and print how often the probe was hit.
 *
 * usage: probe_count [--fail] PROBE PROGRAM [ARG ...]
 *
 * With --fail a second probe cannot be defined, and the first must be removed.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/perf_event.h>

#include "capture/events/probe.h"
#include "capture/open.h"

static int report(struct pd_error *err)
{
	char *text = pd_error_string(err);

	fprintf(stderr, "%s\n", text ? text : "no memory");
	free(text);
	pd_error_destroy(err);
	return 1;
}

static int run(int fd, char **argv)
{
	uint64_t count;
	pid_t pid = fork();

	if (!pid) {
		execv(argv[0], argv);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, NULL, 0) != pid || read(fd, &count, sizeof(count)) < 0)
		return 1;
	printf("%llu\n", (unsigned long long)count);
	return 0;
}

static int count(struct cap_event *event, char **argv)
{
	int fd;

	event->attr.flags |= (uint64_t)1 << PD_ATTR_inherit;
	struct pd_error *err = cap_event_open(event, 0, -1, -1, 0, &fd);
	if (err)
		return report(err);
	int status = run(fd, argv);
	close(fd);
	return status;
}

static int probe_and_count(struct cap_probes *probes, bool fails, char **argv)
{
	struct cap_events events = { 0 };
	struct pd_error *err = cap_probe_add(probes, argv[0], &events);

	if (!err && fails)
		err = cap_probe_add(probes, "/proc/self/exe:no_such_function", &events);
	int status = err ? report(err) : count(&events.list.data[0], argv + 1);
	cap_events_deinit(&events);
	return status;
}

int main(int argc, char **argv)
{
	bool fails = argc > 1 && strcmp(argv[1], "--fail") == 0;
	struct cap_probes *probes;

	if (argc < 3 + fails)
		return 2;
	struct pd_error *err = cap_probes_create(NULL, &probes);
	if (err)
		return report(err);
	int status = probe_and_count(probes, fails, argv + 1 + fails);
	err = cap_probes_remove(probes);
	if (err)
		status = report(err);
	cap_probes_destroy(probes);
	return status;
}
