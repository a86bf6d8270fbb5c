/* Changes of running events, records and options of a monitor, with the running kernel. */
#include "tests/unit/capture/damaged_ring.h"
#include "tests/unit/capture/burn.h"
#include "tests/unit/capture/permitted.h"

#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <pdconv/pdconv.h>

#include "base/array.h"

/* Descriptors that are never open: closing one is an occurrence with a number. */
enum { FIRST = 100001, SECOND = 100002 };

static const struct pd_capture_opts closes = { .event = "syscalls:sys_enter_close",
	.filter = "fd == 100001" };

/* Samples and records that a monitor delivered. */
struct handed {
	struct pd_monitor *monitor;
	size_t n_first, n_second, n_samples;
	/** Set the filter to this when the first sample arrives. */
	const char *next_filter;
	struct pd_count counts[4];
	size_t n_counts;
	/** Records by type, errors of samples, and records that LOST records report. */
	size_t n_comm, n_fork, n_exit, n_errors;
	uint64_t n_lost;
	pid_t child;
	uint64_t last_time;
	char comm[16];
	uint32_t id;
};

static struct pd_error *take(void *ctx, const struct pd_monitor_sample *monitored)
{
	struct handed *handed = ctx;
	struct pd_trace_value value;

	assert_true(monitored->record->time >= handed->last_time);
	handed->last_time = monitored->record->time;
	handed->n_samples++;
	if (pd_trace_find(&monitored->fields, "fd", &value)) {
		handed->n_first += value.number.s == FIRST;
		handed->n_second += value.number.s == SECOND;
	}
	handed->n_counts = pd_sample_counts(monitored->events, monitored->event, monitored->sample,
		handed->counts, PD_ARRAY_LEN(handed->counts));
	if (handed->next_filter)
		assert_ok(
			pd_monitor_set_filter(handed->monitor, monitored->id, handed->next_filter));
	handed->next_filter = NULL;
	return NULL;
}

static struct pd_error *note(void *ctx, const struct pd_monitor_record *monitored)
{
	struct handed *handed = ctx;
	const union pd_body *body = monitored->body;

	assert_true(monitored->record->time >= handed->last_time);
	handed->last_time = monitored->record->time;
	switch (monitored->record->type) {
	case PD_RECORD_COMM:
		if (strncmp(body->comm.comm.s, "renamed", 7) == 0)
			handed->n_comm++;
		break;
	case PD_RECORD_FORK:
		handed->n_fork += body->fork.pid == (uint32_t)handed->child;
		break;
	case PD_RECORD_EXIT:
		handed->n_exit += body->exit.pid == (uint32_t)handed->child;
		break;
	case PD_RECORD_LOST:
		assert_int_equal(monitored->id, handed->id);
		handed->n_lost += body->lost.lost;
		break;
	default:
		fail();
	}
	return NULL;
}

static void note_error(void *ctx, uint32_t id, const struct pd_error *err)
{
	struct handed *handed = ctx;

	assert_int_equal(id, handed->id);
	assert_int_equal(err->code, PD_ERROR_FORMAT);
	handed->n_errors++;
}

/* Monitor this process. */
static void create(struct handed *handed, struct pd_monitor_opts opts)
{
	const pid_t pid = getpid();

	opts.pids = &pid;
	opts.n_pids = 1;
	opts.ctx = handed;
	assert_ok(pd_monitor_create(&opts, &handed->monitor));
}

static void begin(struct handed *handed, const struct pd_capture_opts *opts)
{
	assert_ok(pd_monitor_register(handed->monitor, opts, take, handed, &handed->id));
	assert_ok(pd_monitor_enable(handed->monitor, handed->id, true));
}

static void close_often(int n)
{
	for (int i = 0; i < n; i++) {
		close(FIRST);
		close(SECOND);
	}
}

static void assert_closed(struct handed *handed, size_t n_first, size_t n_second)
{
	assert_ok(pd_monitor_flush(handed->monitor));
	assert_int_equal(handed->n_first, n_first);
	assert_int_equal(handed->n_second, n_second);
}

static void filters_of_running_events_change(void **state)
{
	struct handed handed = { 0 };
	const struct pd_capture_opts clock = { .event = "cpu-clock" };
	uint32_t clock_id;
	size_t n_files;

	(void)state;
	create(&handed, (struct pd_monitor_opts){ 0 });
	begin(&handed, &closes);
	n_files = n_open_files();
	close_often(3);
	/* Samples of the time before the change are passed on after it. */
	assert_ok(pd_monitor_set_filter(handed.monitor, handed.id, "fd == 100002"));
	close_often(5);
	assert_closed(&handed, 3, 5);
	/* After an error the filter is as before. */
	struct pd_error *err = pd_monitor_set_filter(handed.monitor, handed.id, "nobody == 1");
	assert_error(err, PD_ERROR_OS);
	close_often(1);
	assert_closed(&handed, 3, 6);
	assert_error(pd_monitor_set_filter(handed.monitor, handed.id + 1, NULL), PD_ERROR_USAGE);
	assert_ok(pd_monitor_set_filter(handed.monitor, handed.id, NULL));
	close_often(2);
	assert_closed(&handed, 5, 8);
	/* The change does not enable an event. */
	assert_ok(pd_monitor_enable(handed.monitor, handed.id, false));
	assert_ok(pd_monitor_set_filter(handed.monitor, handed.id, "fd == 100001"));
	close_often(7);
	assert_closed(&handed, 5, 8);
	assert_ok(pd_monitor_enable(handed.monitor, handed.id, true));
	close_often(1);
	assert_closed(&handed, 6, 8);
	assert_int_equal(n_open_files(), n_files);
	assert_ok(pd_monitor_register(handed.monitor, &clock, take, &handed, &clock_id));
	assert_error(pd_monitor_set_filter(handed.monitor, clock_id, "a == 1"), PD_ERROR_USAGE);
	pd_monitor_destroy(handed.monitor);
}

/* A callback changes the filter while samples of the one before are still queued. */
static void callbacks_change_filters(void **state)
{
	struct handed handed = { .next_filter = "fd == 100002" };

	(void)state;
	create(&handed, (struct pd_monitor_opts){ 0 });
	begin(&handed, &closes);
	close_often(50);
	assert_closed(&handed, 50, 0);
	for (int i = 0; i < 6; i++) {
		close_often(1);
		assert_ok(pd_monitor_poll(handed.monitor, 1));
	}
	assert_closed(&handed, 50, 6);
	pd_monitor_destroy(handed.monitor);
}

/* A child that closes descriptors when it reads a byte, and answers. */
struct child {
	pid_t pid;
	int to, from;
};

static struct child start_child(void)
{
	int to[2], from[2];
	char byte;

	assert_int_equal(pipe(to), 0);
	assert_int_equal(pipe(from), 0);
	struct child child = { .pid = fork(), .to = to[1], .from = from[0] };
	if (child.pid == 0) {
		close(to[1]);
		while (read(to[0], &byte, 1) == 1) {
			close_often(1);
			if (write(from[1], &byte, 1) != 1)
				_exit(1);
		}
		_exit(0);
	}
	close(to[0]);
	close(from[1]);
	return child;
}

static void let_close(const struct child *child)
{
	char byte = 0;

	assert_int_equal(write(child->to, &byte, 1), 1);
	assert_int_equal(read(child->from, &byte, 1), 1);
}

static void end_child(const struct child *child)
{
	/* Its end of the pipe may be open in children that were forked later. */
	kill(child->pid, SIGKILL);
	close(child->to);
	close(child->from);
	waitpid(child->pid, NULL, 0);
}

/* Children that are monitored still are after a change, and others are still not. */
static void children_keep_being_monitored(void **state)
{
	struct child before = start_child();
	struct handed handed = { 0 };

	(void)state;
	create(&handed, (struct pd_monitor_opts){ 0 });
	begin(&handed, &closes);
	struct child after = start_child();
	let_close(&before);
	let_close(&after);
	assert_closed(&handed, 1, 0);
	assert_ok(pd_monitor_set_filter(handed.monitor, handed.id, "fd == 100002"));
	let_close(&before);
	let_close(&after);
	assert_closed(&handed, 1, 1);
	struct child last = start_child();
	let_close(&last);
	assert_closed(&handed, 1, 2);
	end_child(&before);
	end_child(&after);
	end_child(&last);
	pd_monitor_destroy(handed.monitor);
}

static void all_events_are_enabled_at_once(void **state)
{
	const struct pd_capture_opts faults = { .event = "page-faults:u", .period = 1 };
	struct handed closed = { 0 }, faulted = { 0 };

	(void)state;
	create(&closed, (struct pd_monitor_opts){ 0 });
	faulted.monitor = closed.monitor;
	assert_ok(pd_monitor_register(closed.monitor, &closes, take, &closed, &closed.id));
	assert_ok(pd_monitor_register(closed.monitor, &faults, take, &faulted, &faulted.id));
	for (size_t i = 0; i < 3; i++) {
		close_often(2);
		touch_pages(10);
		assert_ok(pd_monitor_flush(closed.monitor));
		assert_int_equal(closed.n_first, i == 2 ? 4 : i * 2);
		assert_int_equal(faulted.n_samples >= 10, i > 0);
		assert_ok(pd_monitor_enable_all(closed.monitor, i == 0));
		if (i == 1)
			assert_ok(pd_monitor_enable(closed.monitor, closed.id, true));
	}
	pd_monitor_destroy(closed.monitor);
}

static void names_forks_and_exits_are_told_in_order(void **state)
{
	struct handed handed = { 0 };

	(void)state;
	create(&handed, (struct pd_monitor_opts){ .on_record = note });
	begin(&handed, &closes);
	struct child child = start_child();
	handed.child = child.pid;
	prctl(PR_SET_NAME, "renamed");
	let_close(&child);
	end_child(&child);
	assert_closed(&handed, 1, 0);
	assert_int_equal(handed.n_comm, 1);
	assert_int_equal(handed.n_fork, 1);
	assert_int_equal(handed.n_exit, 1);
	/* They go on when the last registration has gone. */
	assert_ok(pd_monitor_unregister(handed.monitor, handed.id));
	prctl(PR_SET_NAME, "renamed again");
	assert_ok(pd_monitor_flush(handed.monitor));
	assert_int_equal(handed.n_comm, 2);
	pd_monitor_destroy(handed.monitor);
}

/* Each loss is in the count, and in a LOST record once another record follows. */
static void losses_are_told(void **state)
{
	const struct pd_capture_opts faults = { .event = "page-faults:u", .period = 1 };
	struct handed handed = { 0 };
	enum { N = 2000 };
	cpu_set_t all, one;

	(void)state;
	/* Stay on one CPU: LOST records are written before later ones of the same ring. */
	assert_int_equal(sched_getaffinity(0, sizeof(all), &all), 0);
	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
	create(&handed, (struct pd_monitor_opts){ .on_record = note, .ring_pages = 1 });
	begin(&handed, &faults);
	touch_pages(N);
	assert_ok(pd_monitor_flush(handed.monitor));
	assert_true(pd_monitor_n_lost(handed.monitor) > 0);
	assert_true(handed.n_samples + pd_monitor_n_lost(handed.monitor) >= N);
	for (int i = 0; i < 100 && handed.n_lost < pd_monitor_n_lost(handed.monitor); i++) {
		touch_pages(5);
		usleep(1000);
		assert_ok(pd_monitor_flush(handed.monitor));
	}
	assert_uint_in_range(handed.n_lost, N / 2, pd_monitor_n_lost(handed.monitor));
	pd_monitor_destroy(handed.monitor);
	sched_setaffinity(0, sizeof(all), &all);
}

static void counters_of_a_group_have_their_events(void **state)
{
	const struct pd_capture_opts group = { .event = "{page-faults,context-switches}:S",
		.period = 1 };
	struct handed handed = { 0 }, closed = { 0 };

	(void)state;
	create(&handed, (struct pd_monitor_opts){ 0 });
	begin(&handed, &group);
	/* The events of the group are not the last ones. */
	closed.monitor = handed.monitor;
	begin(&closed, &closes);
	touch_pages(10);
	assert_ok(pd_monitor_flush(handed.monitor));
	assert_true(handed.n_samples >= 10);
	assert_int_equal(handed.n_counts, 2);
	assert_string_equal(handed.counts[0].event->name, "page-faults");
	assert_string_equal(handed.counts[1].event->name, "context-switches");
	assert_true(handed.counts[0].value > 0);
	pd_monitor_destroy(handed.monitor);
}

static void write_text(const char *dir, const char *name, const char *text)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	FILE *out = fopen(path, "w");
	assert_non_null(out);
	fputs(text, out);
	assert_int_equal(fclose(out), 0);
}

static void copy_file(const char *from, const char *dir, const char *name)
{
	char text[16384];
	FILE *in = fopen(from, "r");

	assert_non_null(in);
	text[fread(text, 1, sizeof(text) - 1, in)] = 0;
	fclose(in);
	write_text(dir, name, text);
}

/* A directory with a tracepoint of another name, which is that of close(2). */
static void tracefs_and_cgroups_may_be_elsewhere(void **state)
{
	static const char system_dir[] = "/sys/kernel/tracing/events/syscalls/sys_enter_close";
	static const char *const dirs[] = { "events", "events/own", "events/own/shut",
		"events/ftrace" };
	static const char *const group = "none";
	const struct pd_capture_opts shut = { .event = "own:shut", .filter = "fd == 100001" };
	char root[] = "/tmp/pdconv-test-XXXXXX", path[PATH_MAX], command[PATH_MAX];
	struct handed handed = { 0 };
	struct pd_monitor *monitor;
	uint32_t id;

	(void)state;
	assert_non_null(mkdtemp(root));
	for (size_t i = 0; i < PD_ARRAY_LEN(dirs); i++) {
		snprintf(path, sizeof(path), "%s/%s", root, dirs[i]);
		assert_int_equal(mkdir(path, 0700), 0);
	}
	snprintf(path, sizeof(path), "%s/events/own/shut", root);
	snprintf(command, sizeof(command), "%s/id", system_dir);
	copy_file(command, path, "id");
	snprintf(command, sizeof(command), "%s/format", system_dir);
	copy_file(command, path, "format");
	create(&handed, (struct pd_monitor_opts){ .tracing_dir = root });
	begin(&handed, &shut);
	close_often(3);
	assert_closed(&handed, 3, 0);
	assert_error(pd_monitor_register(handed.monitor, &closes, take, NULL, &id), PD_ERROR_USAGE);
	pd_monitor_destroy(handed.monitor);
	const struct pd_monitor_opts groups = {
		.cgroups = &group, .n_cgroups = 1, .cgroup_dir = root
	};
	struct pd_error *err = pd_monitor_create(&groups, &monitor);
	assert_non_null(err);
	assert_non_null(strstr(err->message, root));
	assert_error(err, PD_ERROR_OS);
	snprintf(command, sizeof(command), "rm -r %s", root);
	assert_int_equal(system(command), 0);
}

static void a_sample_that_cannot_be_decoded_ends_nothing(void **state)
{
	const struct pd_capture_opts chains = {
		.event = "page-faults:u", .period = 1, .callchain = true
	};

	(void)state;
	for (int has_callback = 0; has_callback < 2; has_callback++) {
		struct handed handed = { 0 };
		struct pd_monitor_opts opts = { .on_error = has_callback ? note_error : NULL };

		create(&handed, opts);
		begin(&handed, &chains);
		touch_pages(20);
		assert_ok(pd_monitor_enable(handed.monitor, handed.id, false));
		assert_true(damage_a_ring(DAMAGE_CHAIN));
		struct pd_error *err = pd_monitor_flush(handed.monitor);
		if (has_callback) {
			assert_ok(err);
			assert_int_equal(handed.n_errors, 1);
			assert_true(handed.n_samples >= 19);
		} else {
			assert_error(err, PD_ERROR_FORMAT);
		}
		pd_monitor_destroy(handed.monitor);
	}
}

/* Have @p n page faults on CPU @p cpu, if it exists. */
static void touch_pages_on(int cpu, size_t n)
{
	cpu_set_t before, only;

	assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
	CPU_ZERO(&only);
	CPU_SET(cpu, &only);
	if (CPU_ISSET(cpu, &before))
		assert_int_equal(sched_setaffinity(0, sizeof(only), &only), 0);
	touch_pages(n);
	assert_int_equal(sched_setaffinity(0, sizeof(before), &before), 0);
}

/* Records after the damage in one ring are lost; the ring of another CPU is read nevertheless. */
static void a_record_of_invalid_size_ends_nothing(void **state)
{
	const struct pd_capture_opts faults = { .event = "page-faults:u", .period = 1 };
	bool has_other = sysconf(_SC_NPROCESSORS_ONLN) > 1;

	(void)state;
	for (int has_callback = 0; has_callback < 2; has_callback++) {
		struct handed handed = { 0 };

		create(&handed,
			(struct pd_monitor_opts){ .on_error = has_callback ? note_error : NULL });
		begin(&handed, &faults);
		touch_pages_on(0, 20);
		touch_pages_on(1, 20);
		assert_ok(pd_monitor_enable(handed.monitor, handed.id, false));
		assert_true(damage_a_ring(DAMAGE_SIZE));
		/* The error belongs to no events. */
		handed.id = 0;
		struct pd_error *err = pd_monitor_flush(handed.monitor);
		if (has_callback)
			assert_ok(err);
		else
			assert_error(err, PD_ERROR_FORMAT);
		assert_int_equal(handed.n_errors, has_callback);
		assert_true(handed.n_samples >= 20 || !has_callback || !has_other);
		pd_monitor_destroy(handed.monitor);
	}
}

static double seconds(void)
{
	struct timespec at;

	clock_gettime(CLOCK_MONOTONIC, &at);
	return (double)at.tv_sec + 1e-9 * (double)at.tv_nsec;
}

static struct pd_error *write_sample(void *ctx, const struct pd_monitor_sample *monitored)
{
	pd_monitor_sample_write(monitored, ctx);
	fputc('\n', ctx);
	return NULL;
}

/* A monitor of one process that enables its events itself, and runs for a time. */
static void a_monitor_runs_for_a_time(void **state)
{
	const struct pd_monitor_opts opts = { .pid = getpid(), .is_enabled = true };
	struct pd_monitor *monitor;
	char *text = NULL;
	size_t size;
	char expected[64];
	FILE *out = open_memstream(&text, &size);

	(void)state;
	assert_ok(pd_monitor_create(&opts, &monitor));
	assert_ok(pd_monitor_register(monitor, &closes, write_sample, out, NULL));
	close_often(3);
	double start = seconds();
	assert_ok(pd_monitor_run_for(monitor, 250));
	assert_uint_in_range((int)((seconds() - start) * 1000), 249, 5000);
	close_often(1);
	assert_ok(pd_monitor_run_for(monitor, 0));
	fclose(out);
	snprintf(expected, sizeof(expected), "%d/%d syscalls:sys_enter_close ", (int)getpid(),
		(int)getpid());
	size_t n = 0;
	for (const char *at = text; (at = strstr(at, expected)); at++)
		n += strstr(at, "fd=100001\n") || strstr(at, "fd=0x186a1\n");
	if (n != 4)
		fail_msg("%s", text);
	free(text);
	pd_monitor_destroy(monitor);
}

static void *stop_later(void *monitor)
{
	usleep(300000);
	pd_monitor_stop(monitor);
	return NULL;
}

static struct pd_error *run_again(void *ctx, const struct pd_monitor_sample *monitored)
{
	(void)monitored;
	return pd_monitor_flush(ctx);
}

static void a_stop_before_the_run_ends_it(void **state)
{
	struct handed handed = { 0 };
	pthread_t thread;
	uint32_t id;

	(void)state;
	create(&handed, (struct pd_monitor_opts){ 0 });
	begin(&handed, &closes);
	pd_monitor_stop(handed.monitor);
	double start = seconds();
	assert_ok(pd_monitor_poll(handed.monitor, 100));
	assert_true(seconds() - start > 0.09);
	/* Otherwise a program that gets a signal right before its run would never end. */
	pd_monitor_stop(handed.monitor);
	start = seconds();
	assert_ok(pd_monitor_run(handed.monitor));
	assert_true(seconds() - start < 60);
	assert_int_equal(pthread_create(&thread, NULL, stop_later, handed.monitor), 0);
	start = seconds();
	assert_ok(pd_monitor_run(handed.monitor));
	assert_true(seconds() - start > 0.25);
	pthread_join(thread, NULL);
	/* A callback cannot run its monitor. */
	assert_ok(pd_monitor_register(handed.monitor, &closes, run_again, handed.monitor, &id));
	assert_ok(pd_monitor_enable_all(handed.monitor, true));
	close_often(1);
	assert_error(pd_monitor_flush(handed.monitor), PD_ERROR_USAGE);
	assert_ok(pd_monitor_flush(handed.monitor));
	pd_monitor_destroy(handed.monitor);
}

/* A monitor that one thread runs and another one changes, and the samples of its events. */
struct elsewhere {
	struct pd_monitor *monitor;
	atomic_uint n_samples;
};

static struct pd_error *count_elsewhere(void *ctx, const struct pd_monitor_sample *monitored)
{
	struct elsewhere *elsewhere = ctx;

	(void)monitored;
	atomic_fetch_add(&elsewhere->n_samples, 1);
	return NULL;
}

static void *change_elsewhere(void *ctx)
{
	enum { N_ROUNDS = 5 };
	struct elsewhere *elsewhere = ctx;
	struct pd_monitor *monitor = elsewhere->monitor;
	struct pd_error *err;
	uint32_t id;

	for (unsigned round = 0; round < N_ROUNDS; round++) {
		assert_ok(pd_monitor_register(monitor, &closes, count_elsewhere, elsewhere, &id));
		assert_ok(pd_monitor_set_filter(monitor, id, "fd == 100002"));
		assert_ok(pd_monitor_enable(monitor, id, true));
		close_often(1);
		while (atomic_load(&elsewhere->n_samples) == round)
			usleep(1000);
		/* Until the other thread has begun its run, this one can pass samples on. */
		while (!(err = pd_monitor_flush(monitor)))
			usleep(1000);
		assert_error(err, PD_ERROR_USAGE);
		assert_ok(pd_monitor_unregister(monitor, id));
	}
	pd_monitor_stop(monitor);
	return NULL;
}

/* Registering, filters and enabling are for all threads, while one of them runs the monitor. */
static void other_threads_change_a_monitor_that_runs(void **state)
{
	struct handed handed = { 0 };
	struct elsewhere elsewhere = { 0 };
	pthread_t thread;

	(void)state;
	create(&handed, (struct pd_monitor_opts){ 0 });
	elsewhere.monitor = handed.monitor;
	assert_int_equal(pthread_create(&thread, NULL, change_elsewhere, &elsewhere), 0);
	assert_ok(pd_monitor_run(handed.monitor));
	pthread_join(thread, NULL);
	assert_int_equal(elsewhere.n_samples, 5);
	pd_monitor_destroy(handed.monitor);
}

static bool is_readable(int fd)
{
	struct pollfd readable = { .fd = fd, .events = POLLIN };

	assert_true(poll(&readable, 1, 0) >= 0);
	return readable.revents & POLLIN;
}

/* A program that has an event loop waits for the descriptor, which stays the same. */
static void the_descriptor_tells_when_to_poll(void **state)
{
	const struct pd_capture_opts faults = { .event = "page-faults:u",
		.period = 1,
		.use_clockid = true,
		.clockid = CLOCK_MONOTONIC,
		.ring_pages = 1 };
	struct handed handed = { 0 };

	(void)state;
	create(&handed, (struct pd_monitor_opts){ .ring_pages = 1 });
	int fd = pd_monitor_fd(handed.monitor);
	assert_false(is_readable(fd));
	begin(&handed, &faults);
	assert_int_equal(pd_monitor_fd(handed.monitor), fd);
	touch_pages_on(0, 500);
	assert_true(is_readable(fd));
	assert_ok(pd_monitor_poll(handed.monitor, 0));
	assert_ok(pd_monitor_enable_all(handed.monitor, false));
	assert_ok(pd_monitor_flush(handed.monitor));
	assert_true(handed.n_samples > 0);
	/* The kernel may have woken it after the poll, which it reports once. */
	(void)is_readable(fd);
	assert_false(is_readable(fd));
	pd_monitor_stop(handed.monitor);
	assert_true(is_readable(fd));
	pd_monitor_destroy(handed.monitor);
}

static uint64_t now_on(clockid_t clock)
{
	struct timespec now;

	assert_int_equal(clock_gettime(clock, &now), 0);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* The first event decides on the clock of all, and of the records of threads. */
static void a_monitor_has_the_clock_of_its_first_event(void **state)
{
	const struct pd_capture_opts faults = { .event = "page-faults:u", .period = 1 };
	struct pd_capture_opts with_clock = faults, other = faults;
	struct handed handed = { 0 };
	uint32_t id;

	(void)state;
	with_clock.use_clockid = other.use_clockid = true;
	/* Not that of tracepoints, but far from perf's own. */
	with_clock.clockid = CLOCK_REALTIME;
	other.clockid = CLOCK_MONOTONIC;
	create(&handed, (struct pd_monitor_opts){ .on_record = note });
	uint64_t before = now_on(CLOCK_REALTIME);
	begin(&handed, &with_clock);
	assert_error(
		pd_monitor_register(handed.monitor, &other, take, &handed, &id), PD_ERROR_USAGE);
	assert_ok(pd_monitor_register(handed.monitor, &faults, take, &handed, &id));
	assert_ok(pd_monitor_register(handed.monitor, &with_clock, take, &handed, &id));
	assert_ok(pd_monitor_enable_all(handed.monitor, true));
	touch_pages(10);
	prctl(PR_SET_NAME, "renamed", 0, 0, 0);
	assert_ok(pd_monitor_flush(handed.monitor));
	assert_uint_in_range(handed.n_samples, 30, 300);
	assert_int_equal(handed.n_comm, 1);
	assert_uint_in_range(handed.last_time, before, now_on(CLOCK_REALTIME));
	pd_monitor_destroy(handed.monitor);
}

/* After an event that has no such clock, the monitor goes on with perf's own. */
static void a_clock_that_is_refused_changes_nothing(void **state)
{
	struct pd_capture_opts with_clock = closes;
	struct handed handed = { 0 };
	uint32_t id;

	(void)state;
	with_clock.use_clockid = true;
	with_clock.clockid = 77;
	create(&handed, (struct pd_monitor_opts){ 0 });
	assert_error(
		pd_monitor_register(handed.monitor, &with_clock, take, &handed, &id), PD_ERROR_OS);
	begin(&handed, &closes);
	close_often(2);
	assert_closed(&handed, 2, 0);
	pd_monitor_destroy(handed.monitor);
}

static bool has_tracepoints;

static int find_out(void **state)
{
	(void)state;
	/* A kernel of 64 bits does not trace the system calls of programs of 32 bits. */
	has_tracepoints = sizeof(long) == 8 && is_permitted("syscalls:sys_enter_close", -1, 0);
	return 0;
}

#define RUN_IF_TRACEPOINTS(test) RUN_IF(has_tracepoints, test)
#define WITH_TRACEPOINTS(R) \
	R(a_monitor_has_the_clock_of_its_first_event) \
	R(a_clock_that_is_refused_changes_nothing) \
	R(filters_of_running_events_change) \
	R(callbacks_change_filters) \
	R(children_keep_being_monitored) \
	R(all_events_are_enabled_at_once) \
	R(names_forks_and_exits_are_told_in_order) \
	R(losses_are_told) \
	R(counters_of_a_group_have_their_events) \
	R(tracefs_and_cgroups_may_be_elsewhere) \
	R(a_sample_that_cannot_be_decoded_ends_nothing) \
	R(a_record_of_invalid_size_ends_nothing) \
	R(a_monitor_runs_for_a_time) \
	R(a_stop_before_the_run_ends_it) \
	R(other_threads_change_a_monitor_that_runs) \
	R(the_descriptor_tells_when_to_poll)
WITH_TRACEPOINTS(RUN_IF_TRACEPOINTS)

int main(void)
{
#define UNIT_TEST(test) cmocka_unit_test(test##_here),
	const struct CMUnitTest tests[] = { WITH_TRACEPOINTS(UNIT_TEST) };

	return cmocka_run_group_tests(tests, find_out, NULL);
}
