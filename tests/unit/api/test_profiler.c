/*
 * Tests of pdconv/profiler.h with programs that run. What the kernel does not permit here is
 * skipped.
 */
#include "tests/unit/test.h"

#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <pdconv/pdconv.h>

/* Programs to profile: children that run one function until they are killed. */

static volatile unsigned long sunk;

static __attribute__((noinline)) void compute(void)
{
	for (int i = 0; i < 100000; i++)
		sunk += (unsigned long)i;
}

static __attribute__((noinline)) void read_zeros(void)
{
	static char buf[1 << 20];
	int fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);

	for (int i = 0; i < 100; i++)
		sunk += (unsigned long)read(fd, buf, sizeof(buf));
	close(fd);
}

static void sleep_ms(long ms)
{
	const struct timespec time = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 };

	nanosleep(&time, NULL);
}

static __attribute__((noinline)) void wait_a_little(void)
{
	sleep_ms(10);
	sunk++;
}

static void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

/* Start a child that calls @p fn again and again, on CPU @p cpu; -1: on any. */
static pid_t start_child(void (*fn)(void), int cpu)
{
	pid_t child = fork();

	assert_true(child >= 0);
	if (child)
		return child;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (cpu >= 0)
		pin(cpu);
	for (;;)
		fn();
}

static void end_child(pid_t child)
{
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

static double cpu_seconds(pid_t pid)
{
	struct timespec time = { 0 };
	clockid_t clock;

	assert_int_equal(clock_getcpuclockid(pid, &clock), 0);
	assert_int_equal(clock_gettime(clock, &time), 0);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static uint64_t now(clockid_t clock)
{
	struct timespec time;

	assert_int_equal(clock_gettime(clock, &time), 0);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

/* Wait until process @p pid was on a CPU for @p seconds. Other programs take their part of it. */
static void await_cpu(pid_t pid, double seconds)
{
	double end = cpu_seconds(pid) + seconds;

	while (cpu_seconds(pid) < end)
		sleep_ms(1);
}

/* A profile that is recorded into a file. */
struct run {
	char path[32];
	struct pd_profiler *profiler;
	struct pd_profiler_result result;
	/* Of the file, after end(). */
	struct pd_profile *profile;
};

static struct pd_error *ignore(void *ctx, const void *bytes, size_t size)
{
	(void)bytes;
	*(size_t *)ctx += size;
	return NULL;
}

static void begin(struct run *run, struct pd_profiler_opts *opts)
{
	*run = (struct run){ .path = "/tmp/pdconv-test-XXXXXX" };
	int fd = mkstemp(run->path);

	assert_true(fd >= 0);
	close(fd);
	opts->recording = run->path;
	assert_ok(pd_profiler_start(opts, &run->profiler));
}

static void end(struct run *run)
{
	static const char *const labels[] = { "cpu", "cgroup", "time" };
	const struct pd_profile_opts opts = {
		.labels = labels,
		.n_labels = 3,
		.jobs = 1,
	};
	struct pd_file *file;
	size_t size = 0;

	assert_ok(pd_profiler_stop(run->profiler, ignore, &size, &run->result));
	assert_true(size > 0);
	pd_profiler_destroy(run->profiler);
	assert_ok(pd_file_open(run->path, NULL, &file));
	unlink(run->path);
	assert_ok(pd_profile_create(file, &opts, NULL, &run->profile));
	pd_file_close(file);
}

/* Samples to count; -1 and NULL stand for any. */
struct which {
	pid_t pid;
	pid_t tid;
	int cpu;
	const char *event;
};

static const struct which any = { -1, -1, -1, NULL };

static struct pd_sum count(const struct pd_profile *profile, struct which which)
{
	struct pd_sum sum = { 0 };

	for (uint32_t i = 0; i < pd_profile_n_samples(profile); i++) {
		struct pd_profile_sample sample = pd_profile_get_sample(profile, i);
		struct pd_profile_thread thread = pd_profile_get_thread(profile, sample.thread);
		struct pd_profile_event event = pd_profile_get_event(profile, sample.event);

		if ((which.pid >= 0 && (uint32_t)which.pid != thread.pid) ||
			(which.tid >= 0 && (uint32_t)which.tid != thread.tid) ||
			(which.cpu >= 0 && (uint32_t)which.cpu != sample.cpu) ||
			(which.event && strcmp(which.event, event.name) != 0))
			continue;
		sum.samples += sample.sum.samples;
		sum.period += sample.sum.period;
	}
	return sum;
}

static uint64_t count_of_process(const struct run *run, pid_t pid)
{
	struct which which = any;

	which.pid = pid;
	return count(run->profile, which).samples;
}

static bool has_function(const struct pd_profile *profile, uint32_t frame, const char *name)
{
	struct pd_profile_frame at = pd_profile_get_frame(profile, frame);

	for (uint32_t i = 0; i < at.n_functions; i++) {
		if (strcmp(pd_profile_get_function(profile, frame, i).name, name) == 0)
			return true;
	}
	return false;
}

/* Position of @p name in the stack, or -1. */
static int find_function(const struct pd_profile *profile, uint32_t stack, const char *name)
{
	size_t n;
	const uint32_t *frames = pd_profile_get_stack(profile, stack, &n);

	for (size_t i = 0; i < n; i++) {
		if (has_function(profile, frames[i], name))
			return (int)i;
	}
	return -1;
}

/*
 * A thread that runs is sampled 999 times a second. Other programs take their part of the machine,
 * so compare with the time that the process got.
 */
static void assert_sampled_once(uint64_t n_samples, double seconds)
{
	assert_true((double)n_samples < seconds * 999 * 1.15 + 10);
	assert_true((double)n_samples > seconds * 999 * 0.5 - 10);
}

static void processes_are_profiled_once_each(void **state)
{
	pid_t children[] = { start_child(compute, -1), start_child(compute, -1),
		start_child(compute, -1) };
	const pid_t more[] = { children[1], children[0], children[1] };
	struct pd_profiler_opts opts = {
		.pid = children[0],
		.pids = more,
		.n_pids = 3,
		.tids = more,
		.n_tids = 2,
	};
	double before[2];
	struct run run;

	(void)state;
	begin(&run, &opts);
	for (int i = 0; i < 2; i++)
		before[i] = cpu_seconds(children[i]);
	sleep_ms(500);
	for (int i = 0; i < 2; i++)
		before[i] = cpu_seconds(children[i]) - before[i];
	end(&run);
	for (int i = 0; i < 2; i++)
		assert_sampled_once(count_of_process(&run, children[i]), before[i]);
	assert_int_equal(count_of_process(&run, children[0]) + count_of_process(&run, children[1]),
		run.result.n_samples);
	pd_profile_destroy(run.profile);
	for (int i = 0; i < 3; i++)
		end_child(children[i]);
}

struct burner {
	pthread_t thread;
	_Atomic pid_t tid;
	_Atomic bool is_ended;
};

static void *burn(void *ctx)
{
	struct burner *burner = ctx;

	burner->tid = (pid_t)syscall(SYS_gettid);
	while (!burner->is_ended)
		compute();
	return NULL;
}

static void threads_are_profiled_alone(void **state)
{
	struct burner burners[2] = { 0 };
	struct pd_profiler_opts opts = { .n_tids = 1 };
	struct which which = any;
	struct run run;
	pid_t tid;

	(void)state;
	for (int i = 0; i < 2; i++)
		assert_int_equal(pthread_create(&burners[i].thread, NULL, burn, &burners[i]), 0);
	while (!burners[0].tid || !burners[1].tid)
		sleep_ms(1);
	tid = burners[1].tid;
	opts.tids = &tid;
	begin(&run, &opts);
	await_cpu(getpid(), 0.4);
	end(&run);
	for (int i = 0; i < 2; i++) {
		burners[i].is_ended = true;
		pthread_join(burners[i].thread, NULL);
	}
	which.pid = getpid();
	which.tid = tid;
	assert_true(run.result.n_samples > 20);
	assert_int_equal(count(run.profile, which).samples, run.result.n_samples);
	pd_profile_destroy(run.profile);
}

static void only_the_given_cpus_are_profiled(void **state)
{
	int last = (int)sysconf(_SC_NPROCESSORS_ONLN) - 1;
	pid_t children[] = { start_child(compute, 0), start_child(compute, last) };
	struct pd_number_range range = { (uint32_t)last, (uint32_t)last };
	struct pd_profiler_opts opts = { .cpus = &range, .n_cpus = 1 };
	struct which which = any;
	struct run run;

	(void)state;
	begin(&run, &opts);
	await_cpu(children[1], 0.2);
	end(&run);
	which.cpu = last;
	assert_true(run.result.n_samples > 20);
	assert_int_equal(count(run.profile, which).samples, run.result.n_samples);
	assert_true(count_of_process(&run, children[1]) > 20);
	assert_true(!last || !count_of_process(&run, children[0]));
	pd_profile_destroy(run.profile);
	/* The same CPU, and one of the processes that run there. */
	opts.pid = children[last > 0];
	begin(&run, &opts);
	await_cpu(opts.pid, 0.1);
	end(&run);
	assert_true(run.result.n_samples > 10);
	assert_int_equal(count_of_process(&run, opts.pid), run.result.n_samples);
	pd_profile_destroy(run.profile);
	end_child(children[0]);
	end_child(children[1]);
}

/* Directory of the cgroups that can be profiled; "": there is none. */
static void find_cgroups(char *ret, size_t size)
{
	char line[1024], dir[512], type[64], flags[256];
	FILE *mounts = fopen("/proc/mounts", "re");

	ret[0] = '\0';
	while (mounts && fgets(line, sizeof(line), mounts)) {
		if (sscanf(line, "%*s %511s %63s %255s", dir, type, flags) != 3)
			continue;
		bool is_v1 = strcmp(type, "cgroup") == 0 && strstr(flags, "perf_event");

		if (is_v1 || (strcmp(type, "cgroup2") == 0 && !ret[0]))
			snprintf(ret, size, "%s", dir);
	}
	if (mounts)
		fclose(mounts);
}

static void join_cgroup(const char *dir, pid_t pid)
{
	char path[1024];

	snprintf(path, sizeof(path), "%s/cgroup.procs", dir);
	FILE *procs = fopen(path, "we");
	assert_non_null(procs);
	fprintf(procs, "%d\n", (int)pid);
	assert_int_equal(fclose(procs), 0);
}

static void a_cgroup_is_profiled_with_its_label(void **state)
{
	static const char *const labels[] = { "cgroup" };
	char mount[512], dir[600], name[32];
	const char *names[] = { name };
	struct pd_profiler_opts opts = {
		.cgroups = names,
		.n_cgroups = 1,
		.profile = { .labels = labels, .n_labels = 1 },
	};
	struct run run;

	(void)state;
	find_cgroups(mount, sizeof(mount));
	snprintf(name, sizeof(name), "pdconv-test-%d", (int)getpid());
	snprintf(dir, sizeof(dir), "%s/%s", mount, name);
	if (!mount[0] || mkdir(dir, 0777) < 0)
		skip();
	pid_t children[] = { start_child(compute, -1), start_child(compute, -1) };
	join_cgroup(dir, children[1]);
	begin(&run, &opts);
	await_cpu(children[1], 0.2);
	end(&run);
	end_child(children[0]);
	end_child(children[1]);
	rmdir(dir);
	assert_true(run.result.n_samples > 20);
	assert_int_equal(count_of_process(&run, children[1]), run.result.n_samples);
	assert_non_null(strstr(pd_profile_get_sample(run.profile, 0).cgroup, name));
	pd_profile_destroy(run.profile);
}

static void waits_are_profiled(void **state)
{
	pid_t child = start_child(wait_a_little, -1);
	struct pd_profiler_opts opts = { .pid = child, .offcpu = true };
	struct which which = any;
	uint64_t ns = 0, elapsed = now(CLOCK_MONOTONIC);
	struct run run;

	(void)state;
	begin(&run, &opts);
	sleep_ms(500);
	end(&run);
	elapsed = now(CLOCK_MONOTONIC) - elapsed;
	end_child(child);
	which.pid = child;
	which.event = "offcpu-time";
	struct pd_sum waits = count(run.profile, which);
	/* A wait takes 10 ms at least. On a busy machine the program gets to few of them. */
	assert_in_range(waits.samples, 5, elapsed / 10000000 + 1);
	assert_in_range(waits.period, waits.samples * 9000000, elapsed);
	for (uint32_t i = 0; i < pd_profile_n_samples(run.profile); i++) {
		struct pd_profile_sample sample = pd_profile_get_sample(run.profile, i);

		if (find_function(run.profile, sample.stack, "wait_a_little") > 0)
			ns += sample.sum.period;
	}
	assert_true(ns > waits.period / 10 * 9);
	pd_profile_destroy(run.profile);
}

static void times_come_from_the_given_clock(void **state)
{
	pid_t child = start_child(compute, -1);
	struct pd_profiler_opts opts = {
		.pid = child,
		.has_clock = true,
		.clock = CLOCK_REALTIME,
		.capture = { .event = "cpu-clock" },
	};
	uint64_t first, last;
	struct run run;

	(void)state;
	first = now(CLOCK_REALTIME);
	begin(&run, &opts);
	await_cpu(child, 0.1);
	end(&run);
	last = now(CLOCK_REALTIME);
	end_child(child);
	assert_true(pd_profile_n_samples(run.profile) > 5);
	for (uint32_t i = 0; i < pd_profile_n_samples(run.profile); i++)
		assert_in_range(pd_profile_get_sample(run.profile, i).time, first, last);
	pd_profile_destroy(run.profile);
}

/* Whether the stack has frames of the kernel, all before those of the program. */
static bool enters_kernel(const struct pd_profile *profile, uint32_t stack)
{
	size_t n, n_kernel = 0;
	const uint32_t *frames = pd_profile_get_stack(profile, stack, &n);

	while (n_kernel < n &&
		pd_profile_get_frame(profile, frames[n_kernel]).kind == PD_FRAME_KERNEL)
		n_kernel++;
	return n_kernel && find_function(profile, stack, "read_zeros") >= (int)n_kernel;
}

static void stacks_go_from_the_kernel_to_the_program(void **state)
{
	pid_t child = start_child(read_zeros, -1);
	struct pd_profiler_opts opts = { 0 };
	uint64_t n = 0;
	struct run run;

	(void)state;
	begin(&run, &opts);
	await_cpu(child, 0.2);
	end(&run);
	end_child(child);
	for (uint32_t i = 0; i < pd_profile_n_samples(run.profile); i++) {
		struct pd_profile_sample sample = pd_profile_get_sample(run.profile, i);

		if (enters_kernel(run.profile, sample.stack))
			n += sample.sum.samples;
	}
	/* Zeroing pages is nearly all that the program does. */
	assert_true(n > count_of_process(&run, child) / 10 * 7 && n > 20);
	pd_profile_destroy(run.profile);
}

/* Assert that a profiler cannot be started, and that the error has @p text. */
static void assert_refused(
	const struct pd_profiler_opts *opts, enum pd_error_code code, const char *text)
{
	struct pd_profiler *profiler;
	struct pd_error *err = pd_profiler_start(opts, &profiler);

	assert_non_null(err);
	if (err->code != code || !strstr(err->message, text))
		fail_msg("'%s' does not say '%s'", err->message, text);
	pd_error_destroy(err);
}

static void errors_name_what_is_wrong(void **state)
{
	static const char *const cgroups[] = { "there/is/no/such/group" };
	static const char *const labels[] = { "colour" };
	static const struct pd_number_range backwards = { 2, 1 }, absent = { 60000, 60000 },
					    huge = { 0, UINT32_MAX };
	const pid_t none = INT_MAX, negative = -3, self = getpid();
	const struct {
		struct pd_profiler_opts opts;
		enum pd_error_code code;
		const char *text;
	} cases[] = {
		{ { .pids = &none, .n_pids = 1 }, PD_ERROR_OS, "process 2147483647" },
		{ { .tids = &none, .n_tids = 1 }, PD_ERROR_OS, "thread 2147483647" },
		{ { .pid = -3 }, PD_ERROR_USAGE, "pid: " },
		{ { .pids = &negative, .n_pids = 1 }, PD_ERROR_USAGE, "pids: " },
		{ { .tids = &negative, .n_tids = 1 }, PD_ERROR_USAGE, "tids: " },
		{ { .cgroups = cgroups, .n_cgroups = 1 }, PD_ERROR_OS, cgroups[0] },
		{ { .tids = &self, .n_tids = 1, .cgroups = cgroups, .n_cgroups = 1 },
			PD_ERROR_USAGE, "exclude cgroups" },
		{ { .cpus = &backwards, .n_cpus = 1 }, PD_ERROR_USAGE, "cpus: invalid range 2-1" },
		{ { .cpus = &absent, .n_cpus = 1 }, PD_ERROR_USAGE, "cpus: there is no CPU" },
		{ { .cpus = &huge, .n_cpus = 1 }, PD_ERROR_USAGE, "cpus: there is no CPU" },
		{ { .pid = self, .capture = { .ring_pages = 3 } }, PD_ERROR_USAGE,
			"capture: invalid ring_pages" },
		{ { .profile = { .keep_rows = true } }, PD_ERROR_USAGE, "profile: " },
		{ { .profile = { .format.perfdata.level = 99 } }, PD_ERROR_USAGE, "profile: " },
		{ { .profile = { .labels = labels, .n_labels = 1 } }, PD_ERROR_USAGE,
			"profile: unknown label 'colour'" },
		{ { .profile = { .filter = { .times = &(const char *){ "x" }, .n_times = 1 } } },
			PD_ERROR_USAGE, "profile: " },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_refused(&cases[i].opts, cases[i].code, cases[i].text);
}

/* Skip tests of what the kernel does not permit. */
static bool permits(const char *event, pid_t tid, int cpu)
{
	const struct pd_capture_opts opts = { .event = event };
	struct pd_perf_reader *reader;
	struct pd_error *err = pd_perf_reader_open(&opts, tid, cpu, &reader);

	if (err) {
		print_message("not here: %s\n", err->message);
		pd_error_destroy(err);
		return false;
	}
	pd_perf_reader_close(reader);
	return true;
}

static bool has_events, has_machine;

static int find_out(void **state)
{
	(void)state;
	has_events = permits("cpu-clock", 0, -1);
	has_machine = permits("cpu-clock", -1, 0);
	return 0;
}

#define RUN_IF(condition, test) \
	static void test##_here(void **state) \
	{ \
		if (condition) \
			test(state); \
		else \
			skip(); \
	}
#define WITH_EVENTS(R) \
	R(processes_are_profiled_once_each) \
	R(threads_are_profiled_alone) \
	R(waits_are_profiled) \
	R(times_come_from_the_given_clock) \
	R(errors_name_what_is_wrong)
#define WITH_MACHINE(R) \
	R(only_the_given_cpus_are_profiled) \
	R(a_cgroup_is_profiled_with_its_label) \
	R(stacks_go_from_the_kernel_to_the_program)
#define RUN_IF_EVENTS(test) RUN_IF(has_events, test)
#define RUN_IF_MACHINE(test) RUN_IF(has_machine, test)
WITH_EVENTS(RUN_IF_EVENTS)
WITH_MACHINE(RUN_IF_MACHINE)

int main(void)
{
#define UNIT_TEST(test) cmocka_unit_test(test##_here),
	const struct CMUnitTest tests[] = { WITH_EVENTS(UNIT_TEST) WITH_MACHINE(UNIT_TEST) };

	return cmocka_run_group_tests(tests, find_out, NULL);
}
