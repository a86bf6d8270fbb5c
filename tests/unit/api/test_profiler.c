/*
 * Tests of pdconv/profiler.h with programs that run. What the kernel does not permit here is
 * skipped.
 */
#include "parse/open_file.h"
#include "tests/unit/test.h"
#include "tests/unit/capture/permitted.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <pdconv/pdconv.h>

/* Functions that are checked by a sanitizer run mostly in its library, whose stacks are deeper. */
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
static const bool is_sanitized = true;
#else
static const bool is_sanitized;
#endif

/* Programs to profile: children that run one function until they are killed. */

static _Thread_local volatile unsigned long sunk;

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

static double clock_seconds(clockid_t clock)
{
	struct timespec time = { 0 };

	assert_int_equal(clock_gettime(clock, &time), 0);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static double cpu_seconds(pid_t pid)
{
	clockid_t clock;

	assert_int_equal(clock_getcpuclockid(pid, &clock), 0);
	return clock_seconds(clock);
}

/* Wait until a process has computed for some time, however busy the machine is. */
static void let_run(pid_t pid, double seconds)
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
	/* Profile of the file, set by end(). */
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

static void stop_run(struct run *run)
{
	assert_ok(pd_profiler_stop(run->profiler, NULL, NULL, &run->result));
}

/* Read the recording of a profiler that was stopped. */
static void read_back(struct run *run)
{
	static const char *const labels[] = { "cpu", "cgroup", "time" };
	const struct pd_profile_opts opts = {
		.labels = labels,
		.n_labels = 3,
		.jobs = 1,
	};
	struct pd_file *file;

	pd_profiler_destroy(run->profiler);
	assert_ok(pd_file_open(run->path, NULL, &file));
	unlink(run->path);
	assert_ok(pd_profile_create(file, &opts, NULL, &run->profile));
	pd_file_close(file);
}

static void end(struct run *run)
{
	stop_run(run);
	read_back(run);
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

/* CPU time of a process that was profiled for sure, and that may have been. */
struct span {
	double least;
	double most;
};

/*
 * A thread that runs is sampled 999 times a second. Other programs take their part of the machine,
 * so compare with the time that the process got.
 */
static void assert_sampled_once(uint64_t n_samples, const struct span *span)
{
	if ((double)n_samples > span->most * 999 * 1.15 + 10 ||
		(double)n_samples < span->least * 999 * 0.5 - 10)
		fail_msg("%llu samples in %.3f to %.3f s", (unsigned long long)n_samples,
			span->least, span->most);
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
	struct span spans[2];
	struct run run;

	(void)state;
	for (int i = 0; i < 2; i++)
		spans[i].most = -cpu_seconds(children[i]);
	begin(&run, &opts);
	for (int i = 0; i < 2; i++)
		spans[i].least = -cpu_seconds(children[i]);
	for (int i = 0; i < 2; i++)
		let_run(children[i], 0.2);
	for (int i = 0; i < 2; i++)
		spans[i].least += cpu_seconds(children[i]);
	stop_run(&run);
	for (int i = 0; i < 2; i++)
		spans[i].most += cpu_seconds(children[i]);
	read_back(&run);
	for (int i = 0; i < 2; i++)
		assert_sampled_once(count_of_process(&run, children[i]), &spans[i]);
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
	clockid_t clock;
	pid_t tid;

	(void)state;
	for (int i = 0; i < 2; i++)
		assert_int_equal(pthread_create(&burners[i].thread, NULL, burn, &burners[i]), 0);
	while (!burners[0].tid || !burners[1].tid)
		sleep_ms(1);
	tid = burners[1].tid;
	opts.tids = &tid;
	begin(&run, &opts);
	assert_int_equal(pthread_getcpuclockid(burners[1].thread, &clock), 0);
	for (double end_at = clock_seconds(clock) + 0.1; clock_seconds(clock) < end_at;)
		sleep_ms(1);
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
	let_run(children[1], 0.1);
	end(&run);
	which.cpu = last;
	assert_true(run.result.n_samples > 20);
	assert_int_equal(count(run.profile, which).samples, run.result.n_samples);
	assert_true(count_of_process(&run, children[1]) > 20);
	assert_true(!last || !count_of_process(&run, children[0]));
	pd_profile_destroy(run.profile);
	/* Now profile one of the processes on the same CPU. */
	opts.pid = children[last > 0];
	begin(&run, &opts);
	let_run(opts.pid, 0.1);
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
	let_run(children[1], 0.1);
	end(&run);
	end_child(children[0]);
	end_child(children[1]);
	rmdir(dir);
	assert_true(run.result.n_samples > 20);
	assert_int_equal(count_of_process(&run, children[1]), run.result.n_samples);
	assert_non_null(strstr(pd_profile_get_sample(run.profile, 0).cgroup, name));
	pd_profile_destroy(run.profile);
}

static uint64_t now(clockid_t clock)
{
	struct timespec time;

	assert_int_equal(clock_gettime(clock, &time), 0);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static void waits_are_profiled(void **state)
{
	pid_t child = start_child(wait_a_little, -1);
	struct pd_profiler_opts opts = { .pid = child, .offcpu = true };
	struct which which = any;
	uint64_t ns = 0, longest = now(CLOCK_MONOTONIC);
	struct run run;

	(void)state;
	begin(&run, &opts);
	sleep_ms(500);
	stop_run(&run);
	longest = now(CLOCK_MONOTONIC) - longest;
	read_back(&run);
	end_child(child);
	/* Sanitizers have a thread of their own in each process. */
	which.tid = child;
	which.event = "offcpu-time";
	struct pd_sum waits = count(run.profile, which);
	/* A wait takes 10 ms at least. On a busy machine the program gets to few of them. */
	assert_uint_in_range(waits.samples, 5, longest / 10000000 + 1);
	assert_uint_in_range(waits.period, waits.samples * 9000000, longest);
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
		.capture = { .event = "cpu-clock", .use_clockid = true, .clockid = CLOCK_REALTIME },
	};
	uint64_t first, last;
	struct run run;

	(void)state;
	first = now(CLOCK_REALTIME);
	begin(&run, &opts);
	let_run(child, 0.1);
	end(&run);
	last = now(CLOCK_REALTIME);
	end_child(child);
	assert_true(pd_profile_n_samples(run.profile) > 5);
	for (uint32_t i = 0; i < pd_profile_n_samples(run.profile); i++)
		assert_uint_in_range(pd_profile_get_sample(run.profile, i).time, first, last);
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
	if (is_sanitized)
		skip();
	begin(&run, &opts);
	let_run(child, 0.1);
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

/* Add processes. */

/* Fork a child that computes once @p shared is not 0, and write its id there. */
static void compute_in_a_child(volatile pid_t *shared)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (!*shared)
		sleep_ms(1);
	*shared = start_child(compute, -1);
	for (;;)
		compute();
}

static pid_t start_parent(volatile pid_t *shared)
{
	pid_t child = fork();

	assert_true(child >= 0);
	if (!child)
		compute_in_a_child(shared);
	return child;
}

static volatile pid_t *share_pid(void)
{
	pid_t *shared = mmap(
		NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	assert_true(shared != MAP_FAILED);
	return shared;
}

static void added_processes_are_profiled_once_each(void **state)
{
	volatile pid_t *shared = share_pid();
	pid_t parent = start_parent(shared), added = start_child(compute, -1);
	struct pd_profiler_opts opts = { .pid = parent };
	struct span spans[2];
	struct run run;

	(void)state;
	begin(&run, &opts);
	*shared = 1;
	while (*shared == 1)
		sleep_ms(1);
	pid_t child = *shared;
	pid_t pids[] = { added, child };
	for (int i = 0; i < 2; i++) {
		spans[i].most = -cpu_seconds(pids[i]);
		/* The second one is profiled already, because its parent is. */
		assert_ok(pd_profiler_add_pid(run.profiler, pids[i]));
		assert_ok(pd_profiler_add_pid(run.profiler, pids[i]));
		spans[i].least = -cpu_seconds(pids[i]);
	}
	spans[1].most = 0;
	for (int i = 0; i < 2; i++)
		let_run(pids[i], 0.2);
	for (int i = 0; i < 2; i++)
		spans[i].least += cpu_seconds(pids[i]);
	stop_run(&run);
	for (int i = 0; i < 2; i++)
		spans[i].most += cpu_seconds(pids[i]);
	read_back(&run);
	end_child(parent);
	end_child(added);
	kill(child, SIGKILL);
	for (int i = 0; i < 2; i++)
		assert_sampled_once(count_of_process(&run, pids[i]), &spans[i]);
	assert_int_equal(count_of_process(&run, parent) + count_of_process(&run, child) +
				 count_of_process(&run, added),
		run.result.n_samples);
	pd_profile_destroy(run.profile);
	munmap((void *)shared, sizeof(*shared));
}

/* Number of samples of process @p pid whose stack has @p function. */
static uint64_t count_function(const struct run *run, pid_t pid, const char *function)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < pd_profile_n_samples(run->profile); i++) {
		struct pd_profile_sample sample = pd_profile_get_sample(run->profile, i);
		struct pd_profile_thread thread =
			pd_profile_get_thread(run->profile, sample.thread);

		if (thread.pid == (uint32_t)pid &&
			find_function(run->profile, sample.stack, function) >= 0)
			n += sample.sum.samples;
	}
	return n;
}

/* The profiler goes on when nothing is left to profile. */
static void processes_are_added_after_all_others_have_exited(void **state)
{
	pid_t first = start_child(compute, 0);
	struct pd_profiler_opts opts = { .pid = first };
	struct run run;

	(void)state;
	begin(&run, &opts);
	let_run(first, 0.05);
	end_child(first);
	sleep_ms(300);
	pid_t added = start_child(compute, 0);
	assert_ok(pd_profiler_add_pid(run.profiler, added));
	let_run(added, 0.1);
	end_child(added);
	pid_t waiting = start_child(wait_a_little, 0);
	assert_ok(pd_profiler_add_pid(run.profiler, waiting));
	end(&run);
	end_child(waiting);
	assert_true(count_of_process(&run, added) > 20);
	/* Names need the mappings that the process had when it was added. */
	assert_true(
		count_function(&run, added, "compute") > count_of_process(&run, added) / 10 * 8);
	assert_int_equal(run.result.n_lost, 0);
	pd_profile_destroy(run.profile);
}

/* BPF unwinds the processes from the beginning, and those that are added. */
static void stacks_are_unwound_by_bpf(void **state)
{
	pid_t children[] = { start_child(compute, 0), start_child(compute, 0) };
	struct pd_profiler_opts opts = { .pid = children[0],
		.capture = { .event = "cpu-clock", .call_graph = PD_CALL_GRAPH_BPF } };
	struct pd_profiler *profiler;
	struct run run;

	(void)state;
	struct pd_error *err = pd_profiler_start(&opts, &profiler);
	if (err && err->code == PD_ERROR_UNSUPPORTED) {
		pd_error_destroy(err);
		end_child(children[0]);
		end_child(children[1]);
		skip();
	}
	assert_ok(err);
	pd_profiler_destroy(profiler);
	begin(&run, &opts);
	let_run(children[0], 0.1);
	assert_ok(pd_profiler_add_pid(run.profiler, children[1]));
	let_run(children[1], 0.2);
	end(&run);
	for (int i = 0; i < 2; i++) {
		uint64_t n = count_of_process(&run, children[i]);

		end_child(children[i]);
		assert_true(n > 20);
		assert_true(count_function(&run, children[i], "compute") > n / 10 * 8);
		/* The table of an added process is made while it is recorded. */
		assert_true(count_function(&run, children[i], "main") > n / 10 * (i ? 5 : 9));
	}
	pd_profile_destroy(run.profile);
	opts.pid = getpid();
	opts.capture.stack_bytes = 4096;
	assert_error(pd_profiler_start(&opts, &profiler), PD_ERROR_USAGE);
	opts.capture.stack_bytes = 0;
	opts.capture.callchain = true;
	assert_error(pd_profiler_start(&opts, &profiler), PD_ERROR_USAGE);
	struct pd_perf_set *set;
	opts.capture.callchain = false;
	assert_error(pd_perf_set_open(&opts.capture, 0, &set), PD_ERROR_UNSUPPORTED);
	opts.capture.call_graph = PD_CALL_GRAPH_BPF + 1;
	assert_error(pd_profiler_start(&opts, &profiler), PD_ERROR_USAGE);
}

static void waits_of_added_processes_are_profiled(void **state)
{
	pid_t children[] = { start_child(wait_a_little, -1), start_child(wait_a_little, -1) };
	struct pd_profiler_opts opts = { .pid = children[0], .offcpu = true };
	struct which which = any;
	uint64_t longest = now(CLOCK_MONOTONIC);
	struct run run;

	(void)state;
	begin(&run, &opts);
	assert_ok(pd_profiler_add_pid(run.profiler, children[1]));
	sleep_ms(400);
	stop_run(&run);
	longest = now(CLOCK_MONOTONIC) - longest;
	read_back(&run);
	which.event = "offcpu-time";
	for (int i = 0; i < 2; i++) {
		end_child(children[i]);
		which.tid = children[i];
		assert_uint_in_range(count(run.profile, which).period, 50000000, longest);
	}
	pd_profile_destroy(run.profile);
}

static void processes_that_cannot_be_added_are_refused(void **state)
{
	struct pd_profiler_opts opts = { .pid = getpid() };
	struct pd_profiler *profiler;

	(void)state;
	assert_ok(pd_profiler_start(&opts, &profiler));
	assert_error(pd_profiler_add_pid(profiler, 0), PD_ERROR_USAGE);
	struct pd_error *err = pd_profiler_add_pid(profiler, INT_MAX);
	assert_non_null(err);
	assert_non_null(strstr(err->message, "process 2147483647"));
	assert_error(err, PD_ERROR_OS);
	assert_ok(pd_profiler_add_pid(profiler, getppid()));
	assert_ok(pd_profiler_stop(profiler, NULL, NULL, NULL));
	assert_error(pd_profiler_add_pid(profiler, getppid()), PD_ERROR_USAGE);
	pd_profiler_destroy(profiler);
}

static void nothing_can_be_added_to_the_machine(void **state)
{
	struct pd_profiler_opts opts = { 0 };
	struct pd_profiler *profiler;

	(void)state;
	assert_ok(pd_profiler_start(&opts, &profiler));
	assert_error(pd_profiler_add_pid(profiler, getpid()), PD_ERROR_USAGE);
	pd_profiler_destroy(profiler);
}

/* Snapshots. */

struct text {
	char *data;
	size_t n;
};

static struct pd_error *append(void *ctx, const void *bytes, size_t size)
{
	struct text *text = ctx;

	text->data = realloc(text->data, text->n + size + 1);
	assert_non_null(text->data);
	memcpy(text->data + text->n, bytes, size);
	text->n += size;
	text->data[text->n] = '\0';
	return NULL;
}

/* Times of the samples of a recording, in the order of time. */
struct times {
	uint64_t *data;
	size_t n;
};

static struct times read_times(const void *bytes, size_t size)
{
	const struct pd_profile_opts opts = { .keep_rows = true, .no_names = true, .jobs = 1 };
	struct pd_profile *profile;
	struct times times = { 0 };
	struct pd_file *file;

	assert_ok(pd_file_open_memory("snapshot", bytes, size, NULL, &file));
	assert_false(file->is_unfinished);
	assert_true(file->feature[PD_FEATURE_HOSTNAME].is_present);
	assert_true(file->feature[PD_FEATURE_SIMPLEPERF_META_INFO].is_present);
	assert_ok(pd_profile_create(file, &opts, NULL, &profile));
	for (size_t i = 0; i < pd_diag_n(file->diag); i++)
		print_message("%s\n", pd_diag_get(file->diag, i).first->message);
	assert_int_equal(pd_diag_n(file->diag), 0);
	times.n = pd_profile_n_rows(profile);
	times.data = calloc(times.n + 1, sizeof(*times.data));
	assert_non_null(times.data);
	for (size_t i = 0; i < times.n; i++)
		times.data[i] = pd_profile_get_row(profile, i).time;
	pd_profile_destroy(profile);
	pd_file_close(file);
	return times;
}

static struct times snapshot_times(struct pd_profiler *profiler)
{
	struct pd_profiler_result result;
	struct text recording = { 0 };

	assert_ok(pd_profiler_snapshot(profiler, "perfdata", append, &recording, &result));
	struct times times = read_times(recording.data, recording.n);
	free(recording.data);
	assert_int_equal(times.n, result.n_samples);
	return times;
}

/* Let the child run until a snapshot has at least @p n samples. The kernel may sample it slowly. */
static struct times snapshot_with(struct pd_profiler *profiler, pid_t child, size_t n)
{
	enum { TRIES = 200 };

	for (int i = 0; i < TRIES; i++) {
		let_run(child, 0.1);
		struct times ret = snapshot_times(profiler);
		if (ret.n >= n)
			return ret;
		free(ret.data);
	}
	fail_msg("the child has too few samples");
	return (struct times){ 0 };
}

static void snapshots_are_beginnings_of_the_profile(void **state)
{
	enum { N = 4, MORE = 50 };
	const struct pd_tag tag = { "a", "b" };
	pid_t child = start_child(compute, 0);
	struct pd_profiler_opts opts = {
		.pid = child,
		.tags = &tag,
		.n_tags = 1,
		.profile = { .format = { .perfdata = { .keep_stacks = true } } },
	};
	struct pd_profiler *profiler;
	struct times times[N];

	(void)state;
	assert_ok(pd_profiler_start(&opts, &profiler));
	for (int i = 0; i < N - 1; i++)
		times[i] = snapshot_with(profiler, child, (i ? times[i - 1].n : 0) + MORE);
	assert_ok(pd_profiler_stop(profiler, NULL, NULL, NULL));
	times[N - 1] = snapshot_times(profiler);
	end_child(child);
	pd_profiler_destroy(profiler);
	for (int i = 0; i < N; i++) {
		const struct times *all = &times[N - 1];

		/* A snapshot has all samples until then, not only those of the last round. */
		assert_true(times[i].n <= all->n);
		assert_memory_equal(times[i].data, all->data, times[i].n * sizeof(*all->data));
	}
	for (int i = 0; i < N; i++)
		free(times[i].data);
}

/* Sum of the values of folded stacks that have @p function; NULL: of all. */
static uint64_t folded_sum(const struct text *text, const char *function)
{
	uint64_t sum = 0;

	for (const char *line = text->data; line && *line;) {
		const char *end = strchr(line, '\n');
		const char *value = end;

		assert_non_null(end);
		while (value[-1] != ' ')
			value--;
		const char *found = function ? strstr(line, function) : line;
		if (found && found < end)
			sum += strtoull(value, NULL, 10);
		line = end + 1;
	}
	return sum;
}

/* Sum in a snapshot in the format folded, see folded_sum(). */
static uint64_t snapshot_sum(struct pd_profiler *profiler, const char *function)
{
	struct text text = { 0 };

	assert_ok(pd_profiler_snapshot(profiler, "folded", append, &text, NULL));
	uint64_t sum = folded_sum(&text, function);
	free(text.data);
	return sum;
}

static void snapshots_have_the_waits_so_far(void **state)
{
	static const char *const events[] = { "offcpu-time" };
	pid_t child = start_child(wait_a_little, -1);
	struct pd_profiler_opts opts = {
		.pid = child,
		.offcpu = true,
		.profile = { .filter = { .events = events, .n_events = 1 } },
	};
	uint64_t start = now(CLOCK_MONOTONIC);
	struct pd_profiler *profiler;

	(void)state;
	assert_ok(pd_profiler_start(&opts, &profiler));
	sleep_ms(200);
	uint64_t first = snapshot_sum(profiler, "wait_a_little");
	assert_uint_in_range(first, 30000000, now(CLOCK_MONOTONIC) - start);
	sleep_ms(200);
	end_child(child);
	assert_ok(pd_profiler_stop(profiler, NULL, NULL, NULL));
	uint64_t all = snapshot_sum(profiler, "wait_a_little");
	assert_uint_in_range(all, first + 30000000, now(CLOCK_MONOTONIC) - start);
	pd_profiler_destroy(profiler);
}

/* Symbols come from where the options say. */
static void names_come_from_the_given_places(void **state)
{
	char dir[PATH_MAX];
	const char *const dirs[] = { dir };
	ssize_t n = readlink("/proc/self/exe", dir, sizeof(dir) - 1);
	pid_t child = start_child(compute, -1);
	struct pd_profiler_opts opts = {
		.pid = child,
		.profile = { .unwind.no_kernel = true, .search.no_own_paths = true },
	};

	(void)state;
	if (is_sanitized)
		skip();
	assert_true(n > 0);
	dir[n] = '\0';
	*strrchr(dir, '/') = '\0';
	for (int has_dirs = 0; has_dirs < 2; has_dirs++) {
		struct pd_profiler *profiler;

		opts.profile.search.dirs = dirs;
		opts.profile.search.n_dirs = (size_t)has_dirs;
		assert_ok(pd_profiler_start(&opts, &profiler));
		let_run(child, 0.1);
		assert_ok(pd_profiler_stop(profiler, NULL, NULL, NULL));
		uint64_t all = snapshot_sum(profiler, NULL);
		assert_true(all > 10);
		if (has_dirs)
			assert_true(snapshot_sum(profiler, "compute") > all / 10 * 8);
		else
			assert_int_equal(snapshot_sum(profiler, "compute"), 0);
		pd_profiler_destroy(profiler);
	}
	end_child(child);
}

/* Files. */

/* A directory with one file in it, and what on_progress does. */
struct place {
	char dir[32];
	char path[64];
	/** Number of files in the directory while the profile was made. */
	size_t n_files;
	bool fails;
};

static size_t count_files(const struct place *place)
{
	DIR *dir = opendir(place->dir);
	size_t n = 0;

	assert_non_null(dir);
	for (struct dirent *entry; (entry = readdir(dir));)
		n += entry->d_name[0] != '.';
	closedir(dir);
	return n;
}

static void assert_content(const struct place *place, const char *first)
{
	char line[256] = "";
	FILE *file = fopen(place->path, "re");

	assert_non_null(file);
	assert_non_null(fgets(line, sizeof(line), file));
	fclose(file);
	assert_int_equal(strncmp(line, first, strlen(first)), 0);
}

static struct pd_error *look(void *ctx, uint64_t done, uint64_t total)
{
	struct place *place = ctx;

	(void)done;
	(void)total;
	place->n_files = count_files(place);
	assert_content(place, "older");
	return place->fails ? pd_error_create(PD_ERROR_UNSUPPORTED, NULL, "enough") : NULL;
}

static void write_older(const struct place *place)
{
	FILE *file = fopen(place->path, "we");

	assert_non_null(file);
	fputs("older\n", file);
	assert_int_equal(fclose(file), 0);
}

typedef struct pd_error *to_file_fn(struct pd_profiler *profiler, const char *format,
	const char *path, struct pd_profiler_result *ret);

/* A file is replaced when it is complete, or stays as it was. */
static void check_file(to_file_fn *to_file, struct pd_profiler *profiler, struct place *place)
{
	struct pd_profiler_result result = { 0 };

	write_older(place);
	assert_error(to_file(profiler, "unknown", place->path, &result), PD_ERROR_USAGE);
	assert_error(to_file(profiler, "folded", "/no/such/directory/x", &result), PD_ERROR_OS);
	assert_content(place, "older");
	place->fails = true;
	assert_error(to_file(profiler, "folded", place->path, &result), PD_ERROR_UNSUPPORTED);
	assert_int_equal(place->n_files, 2);
	assert_int_equal(count_files(place), 1);
	assert_content(place, "older");
	assert_int_equal(result.n_samples, 0);
	place->fails = false;
	assert_ok(to_file(profiler, "folded", place->path, &result));
	assert_int_equal(place->n_files, 2);
	assert_int_equal(count_files(place), 1);
	assert_content(place, "test_profiler;");
	assert_true(result.n_samples > 10);
}

static void files_are_complete_or_as_before(void **state)
{
	struct place place = { .dir = "/tmp/pdconv-test-XXXXXX" };
	pid_t child = start_child(compute, -1);
	struct pd_profiler_opts opts = {
		.pid = child,
		.profile = { .on_progress = look, .progress_ctx = &place },
	};
	struct pd_profiler *profiler;

	(void)state;
	assert_non_null(mkdtemp(place.dir));
	snprintf(place.path, sizeof(place.path), "%s/profile", place.dir);
	assert_ok(pd_profiler_start(&opts, &profiler));
	let_run(child, 0.1);
	check_file(pd_profiler_snapshot_to_file, profiler, &place);
	check_file(pd_profiler_stop_to_file, profiler, &place);
	pd_profiler_destroy(profiler);
	end_child(child);
	unlink(place.path);
	assert_int_equal(rmdir(place.dir), 0);
}

/* Several threads use a profiler. */

struct user {
	pthread_t thread;
	struct pd_profiler *profiler;
	pid_t pid;
	uint64_t n_samples;
};

static void *use(void *ctx)
{
	struct user *user = ctx;

	for (int i = 0; i < 4; i++) {
		struct pd_profiler_result result;
		size_t size = 0;
		struct pd_error *err = pd_profiler_add_pid(user->profiler, user->pid);

		/* The profiler may have been stopped. */
		pd_error_destroy(err);
		err = pd_profiler_snapshot(user->profiler, "pprof", ignore, &size, &result);
		if (err)
			return err;
		user->n_samples = result.n_samples;
	}
	return NULL;
}

static void several_threads_take_snapshots_until_the_end(void **state)
{
	enum { N = 3 };
	pid_t children[] = { start_child(compute, -1), start_child(wait_a_little, -1) };
	struct pd_profiler_opts opts = { .pid = children[0], .profile.jobs = 1 };
	struct pd_profiler_result result;
	struct pd_profiler *profiler;
	struct user users[N];

	(void)state;
	assert_ok(pd_profiler_start(&opts, &profiler));
	for (int i = 0; i < N; i++) {
		users[i] = (struct user){ .profiler = profiler, .pid = children[i % 2] };
		assert_int_equal(pthread_create(&users[i].thread, NULL, use, &users[i]), 0);
	}
	sleep_ms(200);
	assert_ok(pd_profiler_stop(profiler, NULL, NULL, &result));
	for (int i = 0; i < N; i++) {
		void *err;

		pthread_join(users[i].thread, &err);
		assert_ok(err);
		assert_true(users[i].n_samples <= result.n_samples);
	}
	pd_profiler_destroy(profiler);
	end_child(children[0]);
	end_child(children[1]);
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
	char mount[512];

	find_cgroups(mount, sizeof(mount));
	const char *no_cgroup = mount[0] ? cgroups[0] : "no cgroup hierarchy";
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
		{ { .cgroups = cgroups, .n_cgroups = 1 }, PD_ERROR_OS, no_cgroup },
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

static size_t count_entries(const char *dir)
{
	struct dirent *entry;
	DIR *files = opendir(dir);
	size_t n = 0;

	assert_non_null(files);
	while ((entry = readdir(files)))
		n += entry->d_name[0] != '.';
	closedir(files);
	return n;
}

/* The kernel refuses the event when the file is already open. */
static void a_profiler_that_fails_leaves_files_alone(void **state)
{
	struct pd_profiler_opts opts = { .pid = getpid(),
		.capture = { .event = "cpu-clock", .use_clockid = true, .clockid = 77 } };
	char dir[] = "/tmp/pdconv-test-XXXXXX", path[64], text[16] = { 0 };
	struct pd_profiler *profiler;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/perf.data", dir);
	opts.recording = path;
	assert_error(pd_profiler_start(&opts, &profiler), PD_ERROR_OS);
	assert_int_equal(count_entries(dir), 0);
	FILE *older = fopen(path, "w");
	fputs("older", older);
	fclose(older);
	assert_error(pd_profiler_start(&opts, &profiler), PD_ERROR_OS);
	older = fopen(path, "r");
	assert_int_equal(fread(text, 1, sizeof(text) - 1, older), 5);
	fclose(older);
	assert_string_equal(text, "older");
	assert_int_equal(count_entries(dir), 1);
	unlink(path);
	rmdir(dir);
}

/* Skip tests of what the kernel does not permit. */
static bool has_events, has_switches, has_machine;

static int find_out(void **state)
{
	(void)state;
	has_events = is_permitted("cpu-clock", 0, -1);
	has_switches = is_permitted("context-switches:k", 0, -1);
	has_machine = is_permitted("cpu-clock", -1, 0);
	return 0;
}

#define WITH_EVENTS(R) \
	R(processes_are_profiled_once_each) \
	R(threads_are_profiled_alone) \
	R(times_come_from_the_given_clock) \
	R(added_processes_are_profiled_once_each) \
	R(processes_are_added_after_all_others_have_exited) \
	R(stacks_are_unwound_by_bpf) \
	R(processes_that_cannot_be_added_are_refused) \
	R(snapshots_are_beginnings_of_the_profile) \
	R(names_come_from_the_given_places) \
	R(files_are_complete_or_as_before) \
	R(several_threads_take_snapshots_until_the_end) \
	R(a_profiler_that_fails_leaves_files_alone) \
	R(errors_name_what_is_wrong)
#define WITH_SWITCHES(R) \
	R(waits_are_profiled) \
	R(waits_of_added_processes_are_profiled) \
	R(snapshots_have_the_waits_so_far)
#define WITH_MACHINE(R) \
	R(nothing_can_be_added_to_the_machine) \
	R(only_the_given_cpus_are_profiled) \
	R(a_cgroup_is_profiled_with_its_label) \
	R(stacks_go_from_the_kernel_to_the_program)
#define RUN_IF_EVENTS(test) RUN_IF(has_events, test)
#define RUN_IF_SWITCHES(test) RUN_IF(has_switches, test)
#define RUN_IF_MACHINE(test) RUN_IF(has_machine, test)
WITH_EVENTS(RUN_IF_EVENTS)
WITH_SWITCHES(RUN_IF_SWITCHES)
WITH_MACHINE(RUN_IF_MACHINE)

int main(void)
{
#define UNIT_TEST(test) cmocka_unit_test(test##_here),
	const struct CMUnitTest tests[] = { WITH_EVENTS(UNIT_TEST) WITH_SWITCHES(UNIT_TEST)
			WITH_MACHINE(UNIT_TEST) };

	return cmocka_run_group_tests(tests, find_out, NULL);
}
