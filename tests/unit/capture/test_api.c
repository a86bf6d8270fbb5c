/*
 * Tests of pdconv/capture.h with the running kernel. Tests of what it does not permit are skipped.
 */
#include "tests/unit/capture/burn.h"
#include "tests/unit/capture/permitted.h"

#include <errno.h>
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <pdconv/pdconv.h>

#include "base/array.h"
#include "parse/open_file.h"

/* Page faults of RUSAGE_THREAD or RUSAGE_SELF, including those in the kernel. */
static uint64_t n_faults(int whose)
{
	struct rusage usage;

	assert_int_equal(getrusage(whose, &usage), 0);
	return (uint64_t)(usage.ru_minflt + usage.ru_majflt);
}

/* Records that a reader delivered. */
struct seen {
	const struct pd_perf_reader *reader;
	size_t n_samples;
	size_t n_others;
	uint64_t n_lost;
	uint64_t last_time;
	/** Number of samples with that many stack bytes, and with a stack pointer. */
	uint64_t stack_bytes;
	bool has_code_map;
};

static struct pd_error *see(void *ctx, const struct pd_record *rec, const struct pd_sample *sample)
{
	struct seen *seen = ctx;
	union pd_body body;
	const char *wrong;

	if (sample) {
		assert_true(rec->time == sample->time && rec->time >= seen->last_time);
		assert_int_equal(sample->pid, getpid());
		seen->last_time = rec->time;
		seen->n_samples++;
		seen->stack_bytes = sample->stack_user.bytes.n;
		return NULL;
	}
	seen->n_others++;
	assert_true(pd_events_decode(pd_perf_reader_events(seen->reader), rec, &body, &wrong));
	if (rec->type == PD_RECORD_LOST)
		seen->n_lost += body.lost.lost;
	if (rec->type == PD_RECORD_MMAP2)
		seen->has_code_map |= body.mmap2.prot & PROT_EXEC;
	return NULL;
}

static void read_all(struct pd_perf_reader *reader, struct seen *seen)
{
	bool has = true;

	seen->reader = reader;
	while (has)
		assert_ok(pd_perf_reader_next(reader, see, seen, &has));
}

static struct pd_perf_reader *open_own(const struct pd_capture_opts *opts)
{
	struct pd_perf_reader *reader;

	assert_ok(pd_perf_reader_open(opts, 0, -1, &reader));
	return reader;
}

static void a_reader_hands_over_registers_and_stack(void **state)
{
	const struct pd_capture_opts opts = {
		.event = "cpu-clock:u", .frequency = 997, .stack_bytes = 1001
	};
	struct pd_perf_reader *reader = open_own(&opts);
	struct seen seen = { 0 };

	(void)state;
	burn(0.05);
	read_all(reader, &seen);
	assert_int_equal(seen.n_samples, 0);
	assert_ok(pd_perf_reader_enable(reader, true));
	burn(0.2);
	assert_ok(pd_perf_reader_enable(reader, false));
	read_all(reader, &seen);
	assert_uint_in_range(seen.n_samples, 20, 250);
	assert_int_equal(seen.stack_bytes, 1008);
	const struct pd_event *event = &pd_perf_reader_events(reader)->list.data[0];
	assert_string_equal(event->name, "cpu-clock:u");
	assert_int_equal(__builtin_popcountll(event->attr.sample_regs_user) >= 8, 1);
	assert_int_equal(pd_perf_reader_cpu(reader), -1);
	assert_true(pd_perf_reader_fd(reader) >= 0);
	pd_perf_reader_close(reader);
	pd_perf_reader_close(NULL);
}

/* Each page fault must become a sample or be reported as lost. */
static void a_reader_loses_nothing_in_silence(void **state)
{
	enum { N = 5000 };
	const struct pd_capture_opts opts = {
		.event = "page-faults:u", .period = 1, .callchain = true, .ring_pages = 1
	};
	struct pd_perf_reader *reader = open_own(&opts);
	struct seen seen = { 0 };
	uint64_t before = n_faults(RUSAGE_THREAD);

	(void)state;
	assert_ok(pd_perf_reader_enable(reader, true));
	touch_pages(N);
	read_all(reader, &seen);
	assert_uint_in_range(seen.n_samples, 10, N / 2);
	/* The kernel reports losses with the next record. */
	touch_pages(1);
	assert_ok(pd_perf_reader_enable(reader, false));
	read_all(reader, &seen);
	assert_uint_in_range(seen.n_samples + seen.n_lost, N + 1, n_faults(RUSAGE_THREAD) - before);
	touch_pages(10);
	struct seen none = { 0 };
	read_all(reader, &none);
	assert_int_equal(none.n_samples, 0);
	pd_perf_reader_close(reader);
}

static void a_reader_tells_of_mappings_if_asked(void **state)
{
	struct pd_capture_opts opts = { .event = "cpu-clock", .tracking = true };
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	(void)state;
	for (int i = 0; i < 2; i++, opts.tracking = false) {
		struct pd_perf_reader *reader = open_own(&opts);
		struct seen seen = { 0 };

		assert_ok(pd_perf_reader_enable(reader, true));
		void *map =
			mmap(NULL, page, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		munmap(map, page);
		read_all(reader, &seen);
		assert_int_equal(seen.has_code_map, opts.tracking);
		pd_perf_reader_close(reader);
	}
}

static struct pd_error *refuse(
	void *ctx, const struct pd_record *rec, const struct pd_sample *sample)
{
	(void)rec, (void)sample;
	++*(int *)ctx;
	return pd_error_create(PD_ERROR_UNSUPPORTED, NULL, "enough");
}

static void what_the_callback_says_is_returned(void **state)
{
	const struct pd_capture_opts opts = { .event = "page-faults:u", .period = 1 };
	struct pd_perf_reader *reader = open_own(&opts);
	struct seen seen = { 0 };
	int n = 0;
	bool has;

	(void)state;
	assert_ok(pd_perf_reader_enable(reader, true));
	touch_pages(3);
	assert_ok(pd_perf_reader_enable(reader, false));
	assert_error(pd_perf_reader_next(reader, refuse, &n, &has), PD_ERROR_UNSUPPORTED);
	assert_int_equal(n, 1);
	read_all(reader, &seen);
	assert_true(seen.n_samples >= 2);
	pd_perf_reader_close(reader);
}

static void what_makes_no_sense_is_refused(void **state)
{
	static const struct pd_capture_opts bad[] = {
		{ .event = "cpu-clock,page-faults" },
		{ .event = "cpu-clock", .frequency = 1, .period = 1 },
		{ .event = "cpu-clock", .ring_pages = 3 },
		{ .event = "cpu-clock", .stack_bytes = 65529 },
		{ .event = "cpu-clock", .inherit = true },
		{ .event = "{cpu-clock,page-faults},task-clock" },
		{ .event = "cpu-clock", .filter = "a > 1" },
		{ .event = "no-such-event" },
	};
	const struct pd_capture_opts good = { .event = "cpu-clock" };
	struct pd_perf_reader *reader;
	size_t n = n_open_files();

	(void)state;
	for (size_t i = 0; i < PD_ARRAY_LEN(bad); i++)
		assert_error(pd_perf_reader_open(&bad[i], 0, -1, &reader), PD_ERROR_USAGE);
	assert_error(pd_perf_reader_open(&good, -1, -1, &reader), PD_ERROR_USAGE);
	struct pd_error *err = pd_perf_reader_open(&good, INT_MAX, -1, &reader);
	assert_int_equal(err->errnum, ESRCH);
	assert_error(err, PD_ERROR_OS);
	assert_int_equal(n_open_files(), n);
}

/* The kernel says no more than EINVAL of a filter. */
static void filters_name_what_is_wrong(void **state)
{
	const struct {
		const char *filter, *text;
	} cases[] = {
		{ "prev_pidd == 7", "compares 'prev_pidd', but the tracepoint has no such field" },
		{ "prev_pid == 7 && (nobody != 1 || next_pid > 3)", "compares 'nobody'" },
		{ "common_pid == 1 && cpu == 1 && next_comm ~ \"nobody == 1\" && x & 1",
			"compares 'x'" },
		{ "prev_comm.ustring == \"a\" && y <= 1", "compares 'y'" },
		{ "prev_pid === 7", "does not accept the filter 'prev_pid === 7'" },
		{ "prev_pid", "does not accept the filter 'prev_pid'" },
	};
	struct pd_perf_reader *reader;

	(void)state;
	for (size_t i = 0; i < PD_ARRAY_LEN(cases); i++) {
		const struct pd_capture_opts opts = { .event = "sched:sched_switch",
			.filter = cases[i].filter };
		struct pd_error *err = pd_perf_reader_open(&opts, 0, -1, &reader);

		assert_non_null(err);
		if (!strstr(err->message, cases[i].text))
			fail_msg("%s", err->message);
		assert_error(err, PD_ERROR_OS);
	}
}

/* cpu-clock is taken for cycles only if no event is named. */
static void a_named_event_has_no_substitute(void **state)
{
	const struct pd_capture_opts named = { .event = "cycles" }, any = { 0 };
	struct pd_perf_reader *reader;
	struct pd_error *err = pd_perf_reader_open(&named, 0, -1, &reader);

	(void)state;
	if (err) {
		assert_error(err, PD_ERROR_OS);
	} else {
		assert_int_equal(
			pd_perf_reader_events(reader)->list.data[0].attr.type, PD_TYPE_HARDWARE);
		pd_perf_reader_close(reader);
	}
	assert_ok(pd_perf_reader_open(&any, 0, -1, &reader));
	pd_perf_reader_close(reader);
}

static void a_set_is_on_all_cpus(void **state)
{
	const struct pd_capture_opts opts = {
		.event = "page-faults:u",
		.period = 1,
		.inherit = true,
		.stack_bytes = PD_STACK_NONE,
	};
	const struct pd_capture_opts bad = { .event = "sched:sched_switch",
		.filter = "nobody == 1" };
	size_t n_files = n_open_files();
	struct seen seen = { 0 };
	struct pd_perf_set *set;

	(void)state;
	assert_ok(pd_perf_set_open(&opts, 0, &set));
	assert_int_equal(
		pd_perf_set_n(set) + pd_perf_set_n_offline(set), sysconf(_SC_NPROCESSORS_ONLN));
	touch_pages(100);
	uint64_t before = n_faults(RUSAGE_THREAD);
	assert_ok(pd_perf_set_enable(set, true));
	touch_pages(100);
	assert_ok(pd_perf_set_enable(set, false));
	for (size_t i = 0; i < pd_perf_set_n(set); i++) {
		seen.last_time = 0;
		read_all(pd_perf_set_reader(set, i), &seen);
	}
	assert_uint_in_range(seen.n_samples, 100, n_faults(RUSAGE_THREAD) - before);
	pd_perf_set_close(set);
	pd_perf_set_close(NULL);
	assert_int_equal(n_open_files(), n_files);
	struct pd_error *err = pd_perf_set_open(&bad, -1, &set);
	assert_non_null(err);
	pd_error_destroy(err);
	assert_int_equal(n_open_files(), n_files);
}

/* Records that pd_perf_set_read() passes on. */
struct merged {
	size_t n_samples;
	/** Mappings of code. */
	size_t n_mappings;
	uint64_t last_time;
	/** CPUs that have samples, as a mask. */
	uint64_t cpus;
	bool refuses;
};

static struct pd_error *see_merged(
	void *ctx, const struct pd_record *rec, const struct pd_sample *sample)
{
	struct merged *merged = ctx;

	if (merged->refuses)
		return pd_error_create(PD_ERROR_UNSUPPORTED, NULL, "enough");
	assert_true(rec->time >= merged->last_time);
	merged->last_time = rec->time;
	merged->n_mappings +=
		rec->type == PD_RECORD_MMAP2 && !(rec->misc & PERF_RECORD_MISC_MMAP_DATA);
	if (!sample)
		return NULL;
	merged->n_samples++;
	merged->cpus |= UINT64_C(1) << (sample->cpu & 63);
	return NULL;
}

/* A thread that is moved from CPU to CPU maps code, which must be seen before the faults that follow. */
static void *fault_on_all_cpus(void *is_done)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	for (int i = 0; i < 200; i++) {
		cpu_set_t cpus;

		CPU_ZERO(&cpus);
		CPU_SET(i % (int)sysconf(_SC_NPROCESSORS_ONLN), &cpus);
		sched_setaffinity(0, sizeof(cpus), &cpus);
		munmap(mmap(NULL, page, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
			page);
		touch_pages(10);
	}
	atomic_store((atomic_bool *)is_done, true);
	return NULL;
}

static void records_of_all_cpus_are_in_order(void **state)
{
	const struct pd_capture_opts opts = {
		.event = "page-faults:u",
		.period = 1,
		/* So small samples fit the ring on a busy machine. */
		.stack_bytes = PD_STACK_NONE,
		.inherit = true,
		.tracking = true,
	};
	struct merged merged = { 0 };
	struct pd_perf_set *set;
	atomic_bool is_done = false;
	pthread_t thread;

	(void)state;
	assert_ok(pd_perf_set_open(&opts, 0, &set));
	uint64_t before = n_faults(RUSAGE_SELF);
	assert_ok(pd_perf_set_enable(set, true));
	assert_int_equal(pthread_create(&thread, NULL, fault_on_all_cpus, &is_done), 0);
	while (!atomic_load(&is_done))
		assert_ok(pd_perf_set_read(set, 5, see_merged, &merged));
	pthread_join(thread, NULL);
	touch_pages(10);
	assert_ok(pd_perf_set_enable(set, false));
	/* An error loses one record. */
	merged.refuses = true;
	assert_error(pd_perf_set_read(set, -1, see_merged, &merged), PD_ERROR_UNSUPPORTED);
	merged.refuses = false;
	assert_ok(pd_perf_set_read(set, -1, see_merged, &merged));
	assert_uint_in_range(merged.n_samples, 1999, n_faults(RUSAGE_SELF) - before);
	assert_uint_in_range(merged.n_mappings, 199, 200);
	assert_int_equal(__builtin_popcountll(merged.cpus), pd_perf_set_n(set));
	size_t n = merged.n_samples;
	assert_ok(pd_perf_set_read(set, -1, see_merged, &merged));
	assert_int_equal(merged.n_samples, n);
	pd_perf_set_close(set);
}

/* Samples that a monitor delivered. */
struct handed {
	struct pd_monitor *monitor;
	/** Stop after this many samples; 0: never. */
	size_t limit;
	size_t n;
	uint64_t last_time;
	uint32_t id;
	int64_t sum;
	char text[64];
	/** Registered when the first sample arrives. */
	const struct pd_capture_opts *next;
	struct handed *next_handed;
};

static struct pd_error *take(void *ctx, const struct pd_monitor_sample *monitored)
{
	struct handed *handed = ctx;
	struct pd_trace_value value;

	assert_int_equal(monitored->id, handed->id);
	assert_true(monitored->sample->time >= handed->last_time);
	handed->last_time = monitored->sample->time;
	handed->n++;
	if (pd_trace_find(&monitored->fields, "n", &value))
		handed->sum += value.number.s;
	if (pd_trace_find(&monitored->fields, "filename", &value))
		snprintf(handed->text, sizeof(handed->text), "%.*s", (int)value.data.n,
			value.data.data);
	assert_false(pd_trace_find(&monitored->fields, "no_such_field", &value));
	if (handed->n == handed->limit)
		pd_monitor_stop(handed->monitor);
	return NULL;
}

static struct pd_monitor *monitor_own(void)
{
	const pid_t pid = getpid();
	const struct pd_monitor_opts opts = { .pids = &pid, .n_pids = 1 };
	struct pd_monitor *monitor;

	assert_ok(pd_monitor_create(&opts, &monitor));
	return monitor;
}

static void begin(struct pd_monitor *monitor, const struct pd_capture_opts *opts, pd_on_sample *fn,
	struct handed *handed)
{
	handed->monitor = monitor;
	assert_ok(pd_monitor_register(monitor, opts, fn, handed, &handed->id));
	assert_ok(pd_monitor_enable(monitor, handed->id, true));
}

#define TEXT(x) #x
#define TEXT_OF(x) TEXT(x)

/*
 * The calls of call_often(). syscalls:sys_enter_getppid would be the same, but a kernel of 64 bits
 * has no such events of programs of 32 bits.
 */
static const struct pd_capture_opts calls = { .event = "raw_syscalls:sys_enter",
	.filter = "id == " TEXT_OF(__NR_getppid) };

static void *call_often(void *arg)
{
	for (int i = 0; i < 2000; i++)
		syscall(SYS_getppid);
	return arg;
}

enum { N_THREADS = 4 };

/* Stop the monitor when all threads have finished. */
static void *call_from_threads(void *monitor)
{
	pthread_t threads[N_THREADS];

	for (size_t i = 0; i < N_THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, call_often, NULL), 0);
	for (size_t i = 0; i < N_THREADS; i++)
		pthread_join(threads[i], NULL);
	pd_monitor_stop(monitor);
	return NULL;
}

/* Samples of threads on all CPUs, and of an event without fields. */
static void a_monitor_hands_samples_over_in_order(void **state)
{
	const struct pd_capture_opts faults = { .event = "page-faults", .period = 1 };
	struct pd_monitor *monitor = monitor_own();
	struct handed called = { 0 }, faulted = { 0 };
	pthread_t thread;

	(void)state;
	begin(monitor, &calls, take, &called);
	begin(monitor, &faults, take, &faulted);
	assert_int_not_equal(called.id, faulted.id);
	assert_int_equal(pthread_create(&thread, NULL, call_from_threads, monitor), 0);
	assert_ok(pd_monitor_run(monitor));
	pthread_join(thread, NULL);
	/* Lost samples may be of either event. */
	assert_true(called.n <= 2000 * N_THREADS);
	assert_true(called.n + pd_monitor_n_lost(monitor) >= 2000 * N_THREADS);
	assert_true(faulted.n > 0);
	/* A stopped event delivers nothing, the others go on. */
	assert_ok(pd_monitor_enable(monitor, called.id, false));
	size_t n_called = called.n, n_faulted = faulted.n;
	call_often(NULL);
	touch_pages(10);
	assert_ok(pd_monitor_flush(monitor));
	assert_int_equal(called.n, n_called);
	assert_true(faulted.n >= n_faulted + 10);
	pd_monitor_destroy(monitor);
	pd_monitor_destroy(NULL);
}

/* One of the monitored processes has exited before the first event is registered. */
static void a_monitor_outlives_its_processes(void **state)
{
	const pid_t child = fork();
	struct pd_monitor *monitor;
	struct handed called = { 0 };

	(void)state;
	if (child == 0) {
		pause();
		_exit(0);
	}
	const pid_t pids[] = { child, getpid() };
	assert_ok(pd_monitor_create(
		&(struct pd_monitor_opts){ .pids = pids, .n_pids = 2 }, &monitor));
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	begin(monitor, &calls, take, &called);
	call_often(NULL);
	assert_ok(pd_monitor_flush(monitor));
	assert_true(called.n + pd_monitor_n_lost(monitor) >= 2000);
	pd_monitor_destroy(monitor);
}

static void *stop_later(void *monitor)
{
	usleep(300000);
	pd_monitor_stop(monitor);
	return NULL;
}

static void run_program(const char *path)
{
	pid_t pid = fork();

	if (pid == 0) {
		execl(path, path, NULL);
		_exit(1);
	}
	waitpid(pid, NULL, 0);
}

static void filters_and_fields_are_those_of_the_tracepoint(void **state)
{
	const struct pd_capture_opts execs = { .event = "sched:sched_process_exec",
		.filter = "filename ~ \"*/true\"" };
	struct pd_monitor *monitor = monitor_own();
	struct handed handed = { 0 };
	pthread_t thread;

	(void)state;
	begin(monitor, &execs, take, &handed);
	run_program("/bin/false");
	run_program("/bin/true");
	assert_int_equal(pthread_create(&thread, NULL, stop_later, monitor), 0);
	assert_ok(pd_monitor_run(monitor));
	pthread_join(thread, NULL);
	assert_int_equal(handed.n, 1);
	assert_string_equal(handed.text, "/bin/true");
	pd_monitor_destroy(monitor);
}

/* The callback unregisters its own event and registers another one. */
static struct pd_error *change(void *ctx, const struct pd_monitor_sample *monitored)
{
	struct handed *handed = ctx;

	handed->n++;
	assert_ok(pd_monitor_unregister(handed->monitor, monitored->id));
	begin(handed->monitor, handed->next, take, handed->next_handed);
	/* Everything that was registered still exists. */
	assert_string_equal(monitored->event->name, "page-faults:u");
	return NULL;
}

static void events_come_and_go_meanwhile(void **state)
{
	const struct pd_capture_opts faults = { .event = "page-faults:u", .period = 1 };
	struct pd_monitor *monitor = monitor_own();
	struct handed called = { 0 };
	struct handed faulted = { .next = &calls, .next_handed = &called };
	size_t n_files = n_open_files();

	(void)state;
	begin(monitor, &faults, change, &faulted);
	touch_pages(50);
	assert_ok(pd_monitor_flush(monitor));
	assert_int_equal(faulted.n, 1);
	call_often(NULL);
	touch_pages(50);
	assert_ok(pd_monitor_flush(monitor));
	assert_int_equal(faulted.n, 1);
	assert_int_equal(called.n, 2000);
	assert_ok(pd_monitor_unregister(monitor, called.id));
	assert_int_equal(n_open_files(), n_files);
	assert_error(pd_monitor_unregister(monitor, called.id), PD_ERROR_USAGE);
	assert_error(pd_monitor_enable(monitor, 0, true), PD_ERROR_USAGE);
	pd_monitor_destroy(monitor);
}

__attribute__((noinline)) int probed(int n);
__attribute__((noinline)) int probed(int n)
{
	sunk += (unsigned long)n;
	return n;
}

static bool is_probe_left(void)
{
	char line[512], group[32];
	FILE *in = fopen("/sys/kernel/tracing/uprobe_events", "r");
	bool found = false;

	assert_non_null(in);
	snprintf(group, sizeof(group), "pdconv_%d/", (int)getpid());
	while (fgets(line, sizeof(line), in))
		found |= strstr(line, group) != NULL;
	fclose(in);
	return found;
}

/* Two probes of the same function, with different names. */
static void probes_are_made_and_removed(void **state)
{
	char path[PATH_MAX], first[PATH_MAX + 64], second[PATH_MAX + 64];
	struct handed one = { 0 }, two = { 0 };
	struct pd_monitor *monitor = monitor_own();
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	(void)state;
	assert_true(n > 0);
	path[n] = '\0';
#ifdef __x86_64__
	snprintf(first, sizeof(first), "probe:%s:probed n=%%di:s32", path);
#else
	snprintf(first, sizeof(first), "probe:%s:probed", path);
#endif
	snprintf(second, sizeof(second), "probe:%s:probed", path);
	begin(monitor, &(struct pd_capture_opts){ .event = first }, take, &one);
	begin(monitor, &(struct pd_capture_opts){ .event = second }, take, &two);
	assert_true(is_probe_left());
	for (int i = 0; i < 10; i++)
		probed(-i);
	assert_ok(pd_monitor_flush(monitor));
	assert_int_equal(one.n, 10);
	assert_int_equal(two.n, 10);
#ifdef __x86_64__
	assert_int_equal(one.sum, -45);
#endif
	assert_ok(pd_monitor_unregister(monitor, one.id));
	pd_monitor_destroy(monitor);
	assert_false(is_probe_left());
}

static void monitors_that_cannot_be_are_refused(void **state)
{
	const pid_t nobody = INT_MAX;
	const char *const none = "pdconv-no-such-group";
	const struct pd_monitor_opts pids = { .pids = &nobody, .n_pids = 1 };
	const struct pd_monitor_opts groups = { .cgroups = &none, .n_cgroups = 1 };
	const struct pd_capture_opts bad = { .event = "no-such-event" };
	size_t n_files = n_open_files();
	struct pd_monitor *monitor;
	uint32_t id;

	(void)state;
	assert_error(pd_monitor_create(&pids, &monitor), PD_ERROR_OS);
	assert_error(pd_monitor_create(&groups, &monitor), PD_ERROR_OS);
	monitor = monitor_own();
	assert_error(pd_monitor_register(monitor, &bad, take, NULL, &id), PD_ERROR_USAGE);
	pd_monitor_destroy(monitor);
	assert_int_equal(n_open_files(), n_files);
}

/* The first bytes of a profile, and its size. */
struct written {
	unsigned char first[2];
	size_t n;
	/** Refuse more bytes than this. */
	size_t limit;
};

static struct pd_error *keep(void *ctx, const void *bytes, size_t size)
{
	struct written *written = ctx;

	if (written->limit && written->n + size > written->limit)
		return pd_error_create(PD_ERROR_UNSUPPORTED, NULL, "enough");
	if (!written->n && size >= 2)
		memcpy(written->first, bytes, 2);
	written->n += size;
	return NULL;
}

static void a_profiler_writes_pprof_and_a_recording(void **state)
{
	char path[] = "/tmp/pdconv-test-XXXXXX";
	const struct pd_tag tag = { "a", "b" };
	struct pd_profiler_opts opts = { .pid = getpid(), .tags = &tag, .n_tags = 1 };
	struct pd_profiler_result result;
	struct written written = { 0 };
	struct pd_profiler *profiler;
	size_t n_files = n_open_files();
	sigset_t before, after;
	struct pd_file *file;
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	opts.recording = path;
	sigprocmask(SIG_BLOCK, NULL, &before);
	assert_ok(pd_profiler_start(&opts, &profiler));
	burn(0.3);
	assert_ok(pd_profiler_stop(profiler, keep, &written, &result));
	pd_profiler_destroy(profiler);
	sigprocmask(SIG_BLOCK, NULL, &after);
	for (int i = 1; i < NSIG; i++)
		assert_int_equal(sigismember(&before, i), sigismember(&after, i));
	assert_true(written.first[0] == 0x1f && written.first[1] == 0x8b && written.n > 100);
	assert_uint_in_range(result.n_samples, 50, 2000);
	assert_true(result.seconds > 0.1 && result.seconds < 10);
	assert_ok(pd_file_open(path, NULL, &file));
	assert_int_equal(file->events.list.n, 1);
	assert_true(file->events.list.data[0].attr.sample_stack_user == 8192);
	assert_true(file->feature[PD_FEATURE_HOSTNAME].is_present);
	assert_true(file->feature[PD_FEATURE_SIMPLEPERF_META_INFO].is_present);
	pd_file_close(file);
	unlink(path);
	assert_int_equal(n_open_files(), n_files);
}

static void a_profiler_that_cannot_go_on_says_so(void **state)
{
	const struct pd_tag bad_tag = { "a=b", "c" };
	struct written written = { .limit = 10 };
	struct pd_profiler_opts opts = { .pid = INT_MAX };
	struct pd_profiler *profiler;
	size_t n_files = n_open_files();

	(void)state;
	assert_error(pd_profiler_start(&opts, &profiler), PD_ERROR_OS);
	opts.pid = getpid();
	opts.recording = "/dev/null/perf.data";
	assert_error(pd_profiler_start(&opts, &profiler), PD_ERROR_OS);
	opts.recording = NULL;
	opts.tags = &bad_tag;
	opts.n_tags = 1;
	assert_error(pd_profiler_start(&opts, &profiler), PD_ERROR_USAGE);
	opts.n_tags = 0;
	opts.capture.event = "sched:sched_switch";
	opts.capture.filter = "nobody == 1";
	struct pd_error *err = pd_profiler_start(&opts, &profiler);
	assert_non_null(err);
	pd_error_destroy(err);
	opts.capture = (struct pd_capture_opts){ 0 };
	assert_ok(pd_profiler_start(&opts, &profiler));
	pd_profiler_destroy(profiler);
	pd_profiler_destroy(NULL);
	assert_ok(pd_profiler_start(&opts, &profiler));
	burn(0.05);
	assert_error(pd_profiler_stop(profiler, keep, &written, NULL), PD_ERROR_UNSUPPORTED);
	pd_profiler_destroy(profiler);
	assert_int_equal(n_open_files(), n_files);
}

/* The process ends before the profile does. */
static void a_profile_of_what_has_ended_is_one(void **state)
{
	struct pd_profiler_result result;
	struct written written = { 0 };
	struct pd_profiler *profiler;
	pid_t child = fork();

	(void)state;
	if (child == 0) {
		burn(0.3);
		_exit(0);
	}
	const struct pd_profiler_opts opts = { .pid = child, .profile.unwind.no_kernel = true };
	assert_ok(pd_profiler_start(&opts, &profiler));
	waitpid(child, NULL, 0);
	assert_ok(pd_profiler_stop(profiler, keep, &written, &result));
	pd_profiler_destroy(profiler);
	assert_uint_in_range(result.n_samples, 20, 2000);
	assert_true(written.n > 100);
}

static bool has_events, has_tracepoints;

static int find_out(void **state)
{
	(void)state;
	has_events = is_permitted("cpu-clock", 0, -1);
	has_tracepoints = is_permitted("sched:sched_switch", 0, -1);
	return 0;
}

#define WITH_EVENTS(R) \
	R(a_reader_hands_over_registers_and_stack) \
	R(a_reader_loses_nothing_in_silence) \
	R(a_reader_tells_of_mappings_if_asked) \
	R(what_the_callback_says_is_returned) \
	R(what_makes_no_sense_is_refused) \
	R(a_named_event_has_no_substitute) \
	R(a_profiler_writes_pprof_and_a_recording) \
	R(a_profile_of_what_has_ended_is_one)
#define WITH_TRACEPOINTS(R) \
	R(a_set_is_on_all_cpus) \
	R(filters_name_what_is_wrong) \
	R(records_of_all_cpus_are_in_order) \
	R(a_monitor_hands_samples_over_in_order) \
	R(a_monitor_outlives_its_processes) \
	R(filters_and_fields_are_those_of_the_tracepoint) \
	R(events_come_and_go_meanwhile) \
	R(probes_are_made_and_removed) \
	R(monitors_that_cannot_be_are_refused) \
	R(a_profiler_that_cannot_go_on_says_so)
#define RUN_IF_EVENTS(test) RUN_IF(has_events, test)
#define RUN_IF_TRACEPOINTS(test) RUN_IF(has_tracepoints, test)
WITH_EVENTS(RUN_IF_EVENTS)
WITH_TRACEPOINTS(RUN_IF_TRACEPOINTS)

int main(void)
{
#define UNIT_TEST(test) cmocka_unit_test(test##_here),
	const struct CMUnitTest tests[] = { WITH_EVENTS(UNIT_TEST) WITH_TRACEPOINTS(UNIT_TEST) };

	return cmocka_run_group_tests(tests, find_out, NULL);
}
